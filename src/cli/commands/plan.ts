import type { Command } from "commander";
import type { App } from "../../app.ts";
import { accountIdOf } from "../../config/config.ts";
import type { CreditClass } from "../../core/slice.ts";
import { readAccount } from "../../credits/account.ts";
import { datasetsOf, planRequest, type StagePlan } from "../../ingest/planning.ts";
import { failedCount, openWork, type Work } from "../../ledger/open-work.ts";
import { forecast, type Forecast } from "../../plan/forecast.ts";
import { withApp } from "../environment.ts";
import { print, printJson } from "../output.ts";
import { addSyncOptions, requestOf, type SyncOptions } from "../sync-options.ts";
import { table } from "../table.ts";

/** `storehouse plan`: what a sync would take. */
export function addPlan(program: Command): void {
  addSyncOptions(
    program
      .command("plan")
      .description("show the slices, requests and credits that a sync would take; writes and spends nothing"),
  )
    .option("--json", "as JSON")
    .action((options: SyncOptions) =>
      withApp(async (app) => {
        const report = await reportOf(app, options);
        if (options.json) printJson(report);
        else printReport(report);
      }, options.asOf),
    );
}

type Report = {
  readonly stage: StagePlan["stage"];
  readonly apps: number;
  readonly lines: readonly Work[];
  readonly waiting: readonly Work[];
  readonly totals: Omit<Work, "dataset" | "class"> & { readonly naiveCredits: number };
  readonly failed: number;
  readonly forecast: { readonly periods: number; readonly doneAt: string } | null;
};

async function reportOf(app: App, options: SyncOptions): Promise<Report> {
  const { db } = app.warehouse;
  const request = requestOf(app, options);
  const names = datasetsOf(request, app.config.settings).map(({ name }) => name);
  const plan = await planRequest(db, request, app.config.settings, true);
  const waiting = await openWork(db, names);
  const lines = plan.plans.flatMap(({ dataset, slices }) =>
    [...Map.groupBy(slices, (slice) => slice.class)].map(([creditClass, group]) => ({
      dataset,
      class: creditClass,
      slices: group.length,
      requests: group.reduce((sum, slice) => sum + slice.requests, 0),
      credits: group.reduce((sum, slice) => sum + slice.credits, 0),
    })),
  );
  const all = [...lines, ...waiting];
  const done = await forecastOf(app, all);
  return {
    stage: plan.stage,
    apps: plan.portfolio.apps.length,
    lines,
    waiting,
    totals: { ...sumOf(all), naiveCredits: plan.plans.reduce((sum, one) => sum + one.naiveCredits, 0) },
    failed: await failedCount(db, names),
    forecast: done === null ? null : { periods: done.periods, doneAt: new Date(done.doneAt).toISOString() },
  };
}

function sumOf(work: readonly Work[]) {
  return {
    slices: work.reduce((sum, one) => sum + one.slices, 0),
    requests: work.reduce((sum, one) => sum + one.requests, 0),
    credits: work.reduce((sum, one) => sum + one.credits, 0),
  };
}

/** When the work would be done; null while the service has not told the allowance, or when it never would. */
async function forecastOf(app: App, work: readonly Work[]): Promise<Forecast> {
  const { environment, settings } = app.config;
  if (environment.API_TOKEN === undefined) return null;
  const account = await readAccount(app.warehouse.db, accountIdOf(environment.API_TOKEN));
  const { total, remaining, resetsAt, periodHours } = account ?? {};
  if (total == null || remaining == null || resetsAt == null || periodHours == null) return null;
  const now = app.clock.now();
  const of = (name: CreditClass) => sumOf(work.filter((one) => one.class === name));
  return forecast({
    work: { snapshot: of("snapshot"), daily: of("daily"), lookback: of("lookback"), backfill: of("backfill") },
    floors: settings.credits.floors,
    total,
    remaining: resetsAt <= now ? total : remaining,
    resetsAt: Math.max(resetsAt, now),
    periodMs: periodHours * 3_600_000,
    requestsPerSecond: settings.api.requests_per_second,
    now,
  });
}

function printReport({ stage, apps, lines, waiting, totals, failed, forecast: done }: Report): void {
  if (totals.slices === 0) {
    print(
      apps === 0
        ? "Nothing to do: no app is followed. See portfolio in config/storehouse.yaml."
        : "Nothing to do: everything asked for is loaded.",
    );
  } else {
    const row = ({ dataset, class: name, slices, requests, credits }: Work, note: string) => [
      dataset,
      name,
      slices,
      requests,
      credits,
      note,
    ];
    const rows = [...lines.map((line) => row(line, "")), ...waiting.map((line) => row(line, "planned earlier, waits"))];
    print(
      table(
        ["dataset", "class", "slices", "requests", "credits", ""],
        [...rows, ["total", "", totals.slices, totals.requests, totals.credits, ""]],
      ),
    );
    print(
      `\nOne request a keyword would cost ${totals.naiveCredits.toLocaleString("en-US")} credits for what is newly planned.`,
    );
    if (done !== null)
      print(
        `With nobody else spending, it takes ${done.periods} allowance period${done.periods === 1 ? "" : "s"} and is done at ${done.doneAt}.`,
      );
    if (stage === "portfolio")
      print(
        apps === 0
          ? "This reads what is followed; the market is planned from it. Run `storehouse sync`, or plan again after it."
          : "What is followed is read again first; where it changed, the rest of the plan changes with it.",
      );
  }
  if (failed > 0)
    print(`${failed} slices failed and are not planned again: see \`storehouse status\`, \`storehouse retry\`.`);
}
