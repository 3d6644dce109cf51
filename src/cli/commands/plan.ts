import { accountOf } from "../../config/config-of-account.ts";
import type { Command } from "commander";
import type { App } from "../../app.ts";
import { lookbackWords } from "../../plan/lookback-words.ts";
import { readLookbacks, type DatasetLookback } from "../../planner/lookback.ts";
import { readPortfolioApps } from "../../planner/portfolio.ts";
import { planTotals } from "../../planner/plan-tally.ts";
import { datasetsOf, type PlanChunk } from "../../planner/plan-stream.ts";
import { failedCount } from "../../ledger/open-slices.ts";
import { readSyncWork } from "../../runs/sync-work.ts";
import { otherAccountsWords } from "../../planner/of-other-accounts.ts";
import { settingsFile } from "../environment.ts";
import { withApp } from "../with-app.ts";
import { fallbackPrices, otherWays, type FallbackPrice, type OtherWay } from "../../planner/fallback-price.ts";
import { print, printJson } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import { readReported, sumReported, type ReportedSum } from "../../planner/reported-cells.ts";
import { noCellNotes } from "../../planner/no-cells.ts";
import { datasetsAtLeast, workOf } from "../../planner/plan-work.ts";
import { reportedWords } from "../reported-words.ts";
import { outlookOf, printPlan, type PlanWords } from "../plan-report.ts";
import { fallbackLines } from "../step-price.ts";
import { addSyncOptions, requestOf, type SyncOptions } from "../sync-options.ts";

/** `storehouse plan`: what a sync would take. */
export function definePlan(command: Command): void {
  addSyncOptions(command)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\n`storehouse backfill --dataset NAME --dry-run` makes a plan that is kept, can be limited to a number of credits, and runs exactly as shown.",
    )
    .action((options: SyncOptions) =>
      withApp(async (app) => {
        const report = await reportOf(app, options);
        if (options.json) return printJson(report);
        printReport(report, settingsFile(app.config.environment));
        if (report.totals.slices === 0)
          for (const note of await noCellNotes(app.warehouse.db, requestOf(app, options), app.config.settings))
            print(note);
        const others = await otherAccountsWords(app.warehouse.db, requestOf(app, options), app.config.settings);
        if (others !== null) print(others);
      }, options.asOf),
    );
}

type Report = PlanWords & {
  readonly stage: PlanChunk["stage"];
  readonly apps: number;
  readonly failed: number;
  /** What is also requested if answers turn out to be unusable. */
  readonly fallbacks: readonly FallbackPrice[];
  /** How datasets are requested where the usual way does not work. */
  readonly otherWays: readonly OtherWay[];
  /** Datasets whose lookback is to be learned. */
  readonly lookbacks: readonly DatasetLookback[];
  /** What is not requested because other answers reported it. */
  readonly reported: readonly ReportedSum[];
};

async function reportOf(app: App, options: SyncOptions): Promise<Report> {
  const { db } = app.warehouse;
  const { settings } = app.config;
  const request = requestOf(app, options);
  const names = datasetsOf(request, settings).map(({ name }) => name);
  const work = await readSyncWork({ db, clock: app.clock, settings }, request, { whole: true });
  const { stage, tries, cancelled, naiveCredits } = work;
  const [lines, waiting] = [workOf(work.lines), [...workOf(work.waiting), ...workOf(tries)]];
  return {
    stage: stage ?? "market",
    apps: (await readPortfolioApps(db, settings)).length,
    lines,
    waiting,
    totals: { ...planTotals([...lines, ...waiting]), naiveCredits },
    failed:
      (await failedCount(db, names, accountOf(settings), cancelled)) -
      sumBy(tries, ({ joins }) => 1 + (joins?.sliceIds.length ?? 0)),
    ...(await outlookOf(app, [...work.lines, ...work.waiting, ...tries])),
    atLeast: datasetsAtLeast([...lines, ...waiting], settings),
    fallbacks: await fallbackPrices(db, request, settings),
    otherWays: await otherWays(db, request, settings),
    lookbacks: (await readLookbacks(db, { settings, today: request.today })).filter(
      ({ dataset, isLearned }) => isLearned && names.includes(dataset),
    ),
    reported: sumReported(await readReported(db, { request, settings })),
  };
}

function printReport(report: Report, file: string): void {
  const { stage, apps, totals, failed } = report;
  if (totals.slices === 0) {
    print(
      apps === 0
        ? `Nothing to do: the portfolio is empty. See portfolio in ${file}.`
        : "Nothing to do: everything requested that can be fetched is loaded.",
    );
  } else {
    printPlan(report);
    for (const { dataset, learned, fixedDays } of report.lookbacks)
      print(`Lookback of ${dataset}: ${lookbackWords(learned, fixedDays)}`);
    for (const line of fallbackLines({ ...totals, atLeast: report.atLeast }, report.fallbacks)) print(line);
    for (const { dataset, how } of report.otherWays) print(`${dataset}: ${how}.`);
    if (stage === "portfolio")
      print(
        apps === 0
          ? "This is only the first step. Countries, keywords and then the market are planned from its answers, and cost more: `storehouse estimate` prices them all now, `storehouse sync` prices each step before it."
          : "A sync reads the portfolio again first; if it has changed, the rest of the plan changes too.",
      );
  }
  for (const line of reportedWords(report.reported)) print(line);
  if (failed > 0)
    print(
      `${countOf(failed, "failed slice waits", "failed slices wait")} for an automatic retry or for \`storehouse retry\`: see \`storehouse failures\`.`,
    );
}
