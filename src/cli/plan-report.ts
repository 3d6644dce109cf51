import { accountIdIn, type App } from "../app.ts";
import type { OpenWork } from "../ledger/open-slices.ts";
import type { BudgetWork } from "../planner/credit-budgets.ts";
import { planTotals } from "../planner/plan-tally.ts";
import { finishWords, readOutlook, type WorkOutlook } from "../planner/work-outlook.ts";
import { print } from "./output.ts";
import { count } from "../core/words.ts";
import { guessLines } from "./step-price.ts";
import { table } from "./table.ts";
import { timeText } from "./times.ts";

/** Reads the outlook of some work for the account of a command. */
export async function outlookOf({ warehouse: { db }, config, clock }: App, work: readonly BudgetWork[]) {
  return readOutlook({ db, settings: config.settings, clock, accountId: await accountIdIn(db, config) }, work);
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
export function printPlan({ lines, waiting, totals, atLeast, ...outlook }: PlanWords): void {
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
  print(`${saves ? "" : "\n"}${finishWords(outlook, timeText).join("\n")}`);
}
