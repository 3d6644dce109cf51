import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { apiAccess } from "../../config/config.ts";
import { countOf } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import { fail } from "../../core/errors.ts";
import { datasetNamed } from "../../datasets/shared/all.ts";
import { retryInForeground } from "../../foreground.ts";
import { reopenable, type Reopening } from "../../ledger/reopen.ts";
import { retried } from "../../runs/sync.ts";
import { defineAction, runStarted, type ActionContext } from "../define-action.ts";
import { LedgerId } from "../parse-input.ts";

/** Texts with commas between them; none for an empty field. */
const Names = z
  .string()
  .default("")
  .transform((text) => text.split(",").filter((name) => name !== ""));

const Input = z.object({
  datasets: Names,
  codes: Names,
  // as an incident names it
  app: z
    .string()
    .regex(/^((ios|android) \S+)?$/, "is not an app of a store")
    .default(""),
  slices: Names.refine((all) => all.every((one) => LedgerId.safeParse(one).success), "is not a slice number"),
});

type Retry = z.output<typeof Input>;

function whichOf({ codes, slices, app }: Retry): Omit<Reopening, "datasets"> {
  const [store = "", trackId = ""] = app.split(" ");
  return {
    ...(app === "" ? {} : { app: { store, trackId } }),
    ...(codes.length === 0 ? {} : { codes }),
    ...(slices.length === 0 ? {} : { slices }),
  };
}

function requestOf({ app }: ActionContext, { datasets }: Retry) {
  return { datasets: datasets.map((name) => datasetNamed(name).name), bounds: {}, today: app.clock.today() };
}

/** Requests failed slices again, as `storehouse retry` does: by dataset, error code, app or number. */
export const retryAction = defineAction({
  name: "retry",
  label: "Retry",
  input: Input,
  price: async (context, input) => {
    const { app } = context;
    apiAccess(app.config.environment);
    const found = await reopenable(app.warehouse.db, {
      ...retried(requestOf(context, input), whichOf(input)),
      account: accountOf(app.config.settings),
    });
    const slices = sumBy(found, (one) => one.slices);
    if (slices === 0) throw fail("nothing_to_retry");
    const datasets = [...new Set(found.map(({ dataset }) => dataset))].join(", ");
    return {
      credits: sumBy(found, ({ credits }) => credits),
      says: `${countOf(slices, "failed slice")} of ${datasets} ${slices === 1 ? "is" : "are"} requested again.`,
    };
  },
  run: (context, input, agreed) => {
    const { app } = context;
    const what = `Retry of ${input.slices.length > 0 ? countOf(input.slices.length, "slice") : [...input.datasets, ...input.codes, input.app].filter(Boolean).join(", ") || "all failed slices"}`;
    const retry = { request: requestOf(context, input), maxCredits: agreed.credits, which: whichOf(input) };
    return Promise.resolve(
      runStarted({ what, work: (control) => retryInForeground(app, { ...control, ...retry }) }, agreed, "/runs"),
    );
  },
});
