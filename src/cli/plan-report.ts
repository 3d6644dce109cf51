import { accountIdIn, type App } from "../app.ts";
import { dayOf, hourMs } from "../core/day.ts";
import type { CreditClass } from "../core/slice.ts";
import { leftNow, readAccount } from "../credits/account.ts";
import { cheaperNights, keptOfAllowance, readNightsAhead } from "../credits/nights-ahead.ts";
import { deferredWords } from "../plan/budget-words.ts";
import type { OverBudget } from "../plan/over-budget.ts";
import { readOverBudget, type BudgetWork } from "../planner/credit-budgets.ts";
import { planTotals } from "../planner/plan-tally.ts";
import type { OpenWork } from "../ledger/open-slices.ts";
import { forecast } from "../plan/forecast.ts";
import { print } from "./output.ts";
import { count } from "../core/words.ts";
import { guessLines } from "./step-price.ts";
import { table } from "./table.ts";
import { isoTime, timeText } from "./times.ts";

/** When work would be done: allowance periods, including the current one, and an instant as ISO 8601. */
type Done = (
  | { readonly periods: number; readonly doneAt: string }
  | { readonly unknown: "allowance_not_known" | "allowance_too_small" | "budget_too_small" | "nights_take_allowance" }
) & {
  /** Credits that its history leaves until the reset for the floor and the forecast nights; 0 if it has no history. */
  readonly keptForNights: number;
};

/** When work would be done, and the part of it that budgets put off. */
export type WorkOutlook = { readonly forecast: Done; readonly overBudget: readonly OverBudget[] };

/** Reads the outlook of some work, with the app of each line if it is about one. */
export async function outlookOf(app: App, work: readonly BudgetWork[]): Promise<WorkOutlook> {
  const { settings } = app.config;
  const { db } = app.warehouse;
  const overBudget = await readOverBudget(db, work, {
    settings,
    accountId: await accountIdIn(db, app.config),
    day: dayOf(app.clock.now()),
  });
  const done = await forecastOf(app, work);
  const isTooDear = !("unknown" in done) && overBudget.some(({ tooDear }) => tooDear !== undefined);
  return {
    forecast: isTooDear ? { unknown: "budget_too_small", keptForNights: done.keptForNights } : done,
    overBudget,
  };
}

/**
 * When the work would be done if there were no budgets, or why that is not known: the service has not reported the allowance yet, or the
 * floors, or the nights that history leaves credits for, leave too few for ever.
 */
async function forecastOf(app: App, work: readonly BudgetWork[]): Promise<Done> {
  const { settings } = app.config;
  const { db } = app.warehouse;
  const notKnown = { unknown: "allowance_not_known", keptForNights: 0 } as const;
  const accountId = await accountIdIn(db, app.config);
  const account = await readAccount(db, accountId);
  const { total, remaining, held = 0, resetsAt, periodHours } = account ?? {};
  if (total == null || remaining == null || resetsAt == null || periodHours == null) return notKnown;
  const now = app.clock.now();
  const { floors } = settings.credits;
  const keptForNights = keptOfAllowance(await readNightsAhead(db, accountId, now), account, { floors, now });
  const of = (name: CreditClass) => planTotals(work.filter((one) => one.class === name));
  const input = {
    work: { snapshot: of("snapshot"), daily: of("daily"), lookback: of("lookback"), history: of("history") },
    floors,
    total,
    remaining: leftNow({ total, remaining, resetsAt }, now) - held,
    resetsAt: Math.max(resetsAt, now),
    periodMs: periodHours * hourMs,
    requestsPerSecond: settings.api.requests_per_second,
    now,
    keptForNights,
  };
  const kept = { keptForNights: input.work.history.requests === 0 ? 0 : keptForNights(now, resetsAt) };
  const done = forecast(input);
  if (done !== null) return { periods: done.periods, doneAt: isoTime(done.doneAt), ...kept };
  const isForNights = forecast({ ...input, keptForNights: () => 0 }) !== null;
  return { unknown: isForNights ? "nights_take_allowance" : "allowance_too_small", ...kept };
}

/** The contents of a plan, as every command that plans shows them. `waiting` was planned earlier and is part of `totals`. */
export type PlanWords = WorkOutlook & {
  readonly lines: readonly OpenWork[];
  readonly waiting: readonly OpenWork[];
  /** `naiveCredits` null when it is not known. */
  readonly totals: Omit<OpenWork, "dataset" | "class"> & { readonly naiveCredits: number | null };
  /** Datasets whose answers may have more pages than expected: their requests and credits are a minimum. */
  readonly atLeast: readonly string[];
};

/** Prints the table of a plan, what it saves, when it would be done, and what budgets put off. */
export function printPlan({ lines, waiting, totals, forecast: done, overBudget, atLeast }: PlanWords): void {
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
  print(`${saves ? "" : "\n"}${doneWords(done, overBudget.length > 0)}`);
  for (const line of deferredWords(overBudget)) print(line);
}

function doneWords(done: Done, isOverBudget: boolean): string {
  if (!("unknown" in done)) {
    const others =
      done.keptForNights === 0
        ? "If no other process spends credits"
        : `If only the coming nights spend credits besides (history leaves them ${count(done.keptForNights)} until the reset)`;
    return `${others}, ${done.periods === 1 ? "this period's credits are enough" : `it takes ${done.periods} allowance periods`}, and ${isOverBudget ? "without budgets " : ""}the work finishes at ${timeText(Date.parse(done.doneAt))}.`;
  }
  return unknownWords[done.unknown];
}

const unknownWords = {
  allowance_not_known:
    "How many allowance periods it takes is not known yet: `storehouse credits` checks the allowance for free.",
  allowance_too_small:
    "The part of the allowance that credits.floors leaves is never enough for it: see config/storehouse.yaml.",
  budget_too_small: "It does not finish: a budget never pays for a part of it.",
  nights_take_allowance: `Its history does not finish: the nights need what the allowance has above the floors, and history leaves it to them. To let it run, ${cheaperNights}`,
} as const;
