import { z } from "zod";
import { defineOperation } from "../define-operation.ts";

export const remainingCredits = defineOperation({
  id: "account.remaining-credits",
  name: "Remaining Credits",
  store: null,
  method: "GET",
  path: "/api-key",
  params: {},
  cost: 0,
  range: null,
  paging: null,
  envelope: "data",
  items: null,
  answer: z.object({
    creditTotal: z.number(),
    creditRemaining: z.number(),
    // an allowance that is never renewed may have neither
    creditResetPeriod: z.number().nullish(),
    creditResetTime: z.number().nullish(),
  }),
  summary: "The allowance: total, remaining, length of the period in hours, seconds until it resets.",
});
