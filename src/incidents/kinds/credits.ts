import { defineKind } from "./define-kind.ts";
import { countOf, count, listed, minuteOf } from "../../core/words.ts";

const whole = (credits: number) => count(Math.round(credits));

/** What waits for a budget, until when, and what waits until its limit is raised. */
function budgetWaitWords(waits: {
  readonly budget: string;
  readonly at: string;
  readonly datasets: readonly string[];
  readonly slices: number;
  readonly too_expensive_datasets: readonly string[];
  readonly too_expensive_slices: number;
}): string {
  const { slices, too_expensive_slices: tooExpensive } = waits;
  const sliceOf = (many: number, datasets: readonly string[]) =>
    `${countOf(many, "slice")} of ${listed(datasets)} wait${many === 1 ? "s" : ""}`;
  const parts = [
    ...(slices === 0
      ? []
      : [
          `${sliceOf(slices, waits.datasets)} until ${minuteOf(waits.at)} and continue${slices === 1 ? "s" : ""} automatically`,
        ]),
    ...(tooExpensive === 0
      ? []
      : [
          `${sliceOf(tooExpensive, waits.too_expensive_datasets)} until credits.budgets.${waits.budget} is raised, because one call takes more than the whole budget`,
        ]),
  ];
  return parts.length === 0 ? "nothing waits for it" : parts.join(", and ");
}

/** The allowance and prices. */
export const creditKinds = {
  credits_exhausted: defineKind<{
    remaining: number;
    total: number;
    slices: number;
    wanted: number;
    resets_at: string;
  }>({
    title: "Credits are used up",
    says: "slices of a class other than history wait for credits; closed when none waits, or when the credits are enough",
    weight: "trouble",
    mend: "credits",
    under: ["requests_stopped"],
    wording: ({ remaining, total, slices, wanted, resets_at: resetsAt }, since) => ({
      happened: `${countOf(slices, "slice")} (${countOf(wanted, "credit")}) have waited for credits since ${since}: ${whole(remaining)} of ${whole(total)} are left`,
      means: `their data is loaded automatically after the reset at ${minuteOf(resetsAt)}, or once credits were bought, except for data that is only available on its own day`,
      command: "storehouse credits",
      does: "shows what used them",
    }),
    example: { remaining: 48, total: 1000, slices: 12, wanted: 130, resets_at: "2026-12-01T00:00:00.000Z" },
  }),
  credits_short: defineKind<{
    remaining: number;
    total: number;
    usable: number;
    wanted: number;
    waiting: number;
    credits_per_hour: number;
    short: number;
    resets_at: string;
    out_at: string | null;
  }>({
    title: "Credits run out before the reset",
    says: "waiting slices and the coming nights (without a forecast: the spending of the last day) need more credits before the reset than are left above the floor of the class daily; closed when the credits are enough",
    weight: "trouble",
    mend: "credits",
    under: ["credits_exhausted", "requests_stopped"],
    wording: ({ remaining, total, usable, wanted, short, resets_at: resetsAt, out_at: outAt }, since) => ({
      happened: `${whole(remaining)} of ${whole(total)} credits are left, and since ${since} that has been ${whole(short)} too few to last until the reset at ${minuteOf(resetsAt)} (${whole(wanted)} are needed, ${whole(usable)} are above the floor)`,
      means: `${outAt === null ? "slices then wait" : `they run out at about ${minuteOf(outAt)}, after which slices wait`} for the reset, and data that is only available on its own day is lost`,
      command: "storehouse credits",
      does: "shows what uses them",
    }),
    example: {
      remaining: 100,
      total: 1000,
      usable: 50,
      wanted: 80,
      waiting: 80,
      credits_per_hour: 4.2,
      short: 30,
      resets_at: "2026-12-01T00:00:00.000Z",
      out_at: "2026-11-22T15:54:00.000Z",
    },
  }),
  budget_exhausted: defineKind<{
    budget: string;
    period: string;
    taken: number;
    limit: number;
    datasets: readonly string[];
    slices: number;
    too_expensive_datasets: readonly string[];
    too_expensive_slices: number;
    continues_at: string;
  }>({
    title: "A budget has too few credits",
    says: "a budget under credits.budgets has too few credits left for a call; closed when its next day or month begins, or when its limit is raised",
    weight: "note",
    mend: "credits",
    under: ["requests_stopped"],
    wording: ({ budget, period, taken, limit, continues_at: at, ...waits }, since) => ({
      happened: `the budget "${budget}" has had too few credits for a call since ${since}: ${whole(taken)} of its ${countOf(limit, "credit")} a ${period} are spent or reserved`,
      means: `${budgetWaitWords({ ...waits, budget, at })}, but data that would be lost for good by then is requested anyway`,
      command: "storehouse credits",
      does: "shows the budgets",
    }),
    example: {
      budget: "reviews",
      period: "day",
      taken: 198,
      limit: 200,
      datasets: ["review"],
      slices: 12,
      too_expensive_datasets: [],
      too_expensive_slices: 0,
      continues_at: "2026-12-01T00:00:00.000Z",
    },
  }),
  cost_changed: defineKind<{ operation: string; documented: number; learned: number }>({
    title: "A call's price differs from the documented one",
    says: "the API charges a different price for an operation than documented; closed when it charges the documented price",
    weight: "note",
    mend: "credits",
    wording: ({ operation, documented, learned }, since) => ({
      happened: `the API has charged ${countOf(learned, "credit")} per call for ${operation} since ${since}, although the documented price is ${documented}`,
      means: "no data is missing, and plans use the charged price",
      command: "storehouse credits",
      does: "compares the prices",
    }),
    example: { operation: "ios.keyword-ranking", documented: 3, learned: 5 },
  }),
  price_wrong: defineKind<{ operation: string; header: number; documented: number; balance_drop: number | null }>({
    title: "The API names a price that cannot be right",
    says: "a reply names a price that is negative, zero, more than ten times the documented price, or not what the balance fell by; closed after a day without such a reply",
    weight: "note",
    mend: "credits",
    wording: ({ operation, header, documented, balance_drop: drop }, since) => ({
      happened: `replies of ${operation} have named ${countOf(header, "credit")} per call since ${since}, but ${documented} are documented${drop === null ? "" : ` and the balance fell by ${drop}`}`,
      means:
        "no data is missing, these calls are booked at the documented price, and the prices of plans stay the same",
      command: "storehouse credits",
      does: "shows the balance and the prices",
    }),
    example: { operation: "ios.keyword-ranking", header: -3, documented: 3, balance_drop: 3 },
  }),
};
