import type { App } from "../app.ts";
import { accountIdOf } from "../config/config.ts";
import { hourMs } from "../core/day.ts";
import type { CreditClass } from "../core/slice.ts";
import { readAccount } from "../credits/account.ts";
import { planTotals } from "../planner/plan-tally.ts";
import type { OpenWork } from "../ledger/open-slices.ts";
import { forecast } from "../plan/forecast.ts";
import { print } from "./output.ts";
import { count } from "../core/words.ts";
import { guessLines } from "./step-price.ts";
import { table } from "./table.ts";
import { isoTime, timeText } from "./times.ts";

/** When work would be done: allowance periods, including the current one, and an instant as ISO 8601. */
export type Done = { readonly periods: number; readonly doneAt: string } | { readonly unknown: DoneUnknown };

/** Why that is not known: the service has not reported the allowance yet, or the floors leave too few credits for ever. */
type DoneUnknown = "allowance_not_known" | "allowance_too_small";

/** When the work would be done, or why that is not known. */
export async function forecastOf(app: App, work: readonly Omit<OpenWork, "dataset">[]): Promise<Done> {
  const { environment, settings } = app.config;
  if (environment.API_TOKEN === undefined) return { unknown: "allowance_not_known" };
  const account = await readAccount(app.warehouse.db, accountIdOf(environment.API_TOKEN));
  const { total, remaining, resetsAt, periodHours } = account ?? {};
  if (total == null || remaining == null || resetsAt == null || periodHours == null)
    return { unknown: "allowance_not_known" };
  const now = app.clock.now();
  const of = (name: CreditClass) => planTotals(work.filter((one) => one.class === name));
  const done = forecast({
    work: { snapshot: of("snapshot"), daily: of("daily"), lookback: of("lookback"), history: of("history") },
    floors: settings.credits.floors,
    total,
    remaining: resetsAt <= now ? total : remaining,
    resetsAt: Math.max(resetsAt, now),
    periodMs: periodHours * hourMs,
    requestsPerSecond: settings.api.requests_per_second,
    now,
  });
  return done === null ? { unknown: "allowance_too_small" } : { periods: done.periods, doneAt: isoTime(done.doneAt) };
}

/** The contents of a plan, as every command that plans shows them. `waiting` was planned earlier and is part of `totals`. */
export type PlanWords = {
  readonly lines: readonly OpenWork[];
  readonly waiting: readonly OpenWork[];
  /** `naiveCredits` null when it is not known. */
  readonly totals: Omit<OpenWork, "dataset" | "class"> & { readonly naiveCredits: number | null };
  readonly forecast: Done;
  /** Datasets whose answers may have more pages than expected: their requests and credits are a minimum. */
  readonly atLeast: readonly string[];
};

/** Prints the table of a plan, what it saves, and when it would be done. */
export function printPlan({ lines, waiting, totals, forecast: done, atLeast }: PlanWords): void {
  const row = ({ dataset, class: name, slices, requests, credits }: OpenWork, notes: readonly string[]) => [
    dataset,
    name,
    slices,
    requests,
    credits,
    [...(atLeast.includes(dataset) ? ["at least"] : []), ...notes].join(", "),
  ];
  const rows = [
    ...lines.map((line) => row(line, [])),
    ...waiting.map((line) => row(line, ["planned earlier, waiting"])),
  ];
  const guessed = atLeast.length > 0 ? "at least" : "";
  print(
    table(
      ["dataset", "class", "slices", "requests", "credits", ""],
      [...rows, ["total", "", totals.slices, totals.requests, totals.credits, guessed]],
    ),
  );
  for (const line of guessLines(atLeast)) print(`\n${line}`);
  // open slices of earlier plans were compared when they were planned
  const saves = totals.naiveCredits !== null && totals.naiveCredits > planTotals(lines).credits;
  if (saves)
    print(`\nOne request per keyword would cost ${count(totals.naiveCredits ?? 0)} credits for what is newly planned.`);
  print(`${saves ? "" : "\n"}${doneWords(done)}`);
}

function doneWords(done: Done): string {
  if (!("unknown" in done))
    return `If no other process spends credits, ${done.periods === 1 ? "this period's credits are enough" : `it takes ${done.periods} allowance periods`}, and the work finishes at ${timeText(Date.parse(done.doneAt))}.`;
  return done.unknown === "allowance_not_known"
    ? "How many allowance periods it takes is not known yet: `storehouse credits` checks the allowance for free."
    : "The part of the allowance that credits.floors leaves is never enough for it: see config/storehouse.yaml.";
}
