import type { Command } from "commander";
import type { App } from "../../app.ts";
import { accountIdOf } from "../../config/config.ts";
import { latestAccount, readAccount } from "../../credits/account.ts";
import { readOpenIncidents } from "../../incidents/open-incidents.ts";
import { readNextRuns } from "../../ledger/next-runs.ts";
import { newlyLost, readLostDays } from "../../ledger/lost-days.ts";
import { readStatus, type Status } from "../../ledger/status.ts";
import { readWorkerCounts } from "../../ledger/worker-counts.ts";
import { withWarehouse } from "../environment.ts";
import { factList } from "../fact-list.ts";
import { print, printJson } from "../output.ts";
import { toned } from "../screen.ts";
import { statusFacts, type StatusFacts } from "../status-facts.ts";
import { optional, table, type Cell } from "../table.ts";
import { verdictOf, type Verdict } from "../verdict.ts";

/** `storehouse status`: the page of the morning, the verdict first. */
export function defineStatus(command: Command): void {
  command.option("--json", "as JSON").action((options: { json?: true }) =>
    withWarehouse(
      async (app) => {
        const page = await readPage(app);
        if (options.json) printJson(asJson(page));
        else printPage(page);
      },
      { showsWorkers: true },
    ),
  );
}

type Page = Status & StatusFacts & { readonly verdict: Verdict };

async function readPage({ warehouse: { db }, config, clock }: App): Promise<Page> {
  const token = config.environment.API_TOKEN;
  const now = clock.now();
  const accountId = token === undefined ? await latestAccount(db) : accountIdOf(token);
  const status = await readStatus(db);
  const lostDays = new Set(newlyLost(await readLostDays(db), now).map(({ day }) => day)).size;
  const facts = {
    now,
    account: await readAccount(db, accountId),
    nextRuns: await readNextRuns(db, now),
    workers: await readWorkerCounts(db),
    incidents: await readOpenIncidents(db),
    lastRun: status.lastRun,
  };
  return {
    ...status,
    ...facts,
    verdict: verdictOf({ ...sumsOf(status), ...facts, lostDays, incidents: facts.incidents.length }),
  };
}

function sumsOf({ datasets, failedForNow }: Status) {
  const sum = (count: (dataset: Status["datasets"][number]) => number) =>
    datasets.reduce((all, dataset) => all + count(dataset), 0);
  return {
    failed: sum(({ failed }) => failed) - failedForNow,
    failedForNow,
    open: sum(({ pending, running, deferred }) => pending + running + deferred),
    running: sum(({ running }) => running),
    deferred: sum(({ deferred }) => deferred),
    datasets: datasets.length,
    newestDay: datasets.flatMap(({ lastDay }) => lastDay ?? []).reduce<string | null>(later, null),
  };
}

function later(a: string | null, b: string): string {
  return a === null || b > a ? b : a;
}

function asJson({ verdict, account, nextRuns, workers, incidents, datasets, lastRun, troubles, failedForNow }: Page) {
  const instant = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const credits = account && {
    total: account.total,
    remaining: account.remaining,
    held: account.held,
    resetsAt: instant(account.resetsAt),
    observedAt: instant(account.observedAt),
  };
  const runs = nextRuns.map((run) => ({ ...run, at: instant(run.at), pricedAt: instant(run.pricedAt) }));
  return { verdict, credits, nextRuns: runs, workers, incidents, lastRun, datasets, troubles, failedForNow };
}

const counts = ["pending", "running", "deferred", "loaded", "empty", "skipped", "failed", "rejects"] as const;

function printPage({ verdict, datasets, troubles, ...facts }: Page): void {
  print(toned(verdict.state, verdict.text));
  print(`\n${factList(statusFacts(facts))}`);
  if (datasets.length === 0) {
    print("\n`storehouse plan` shows what a sync would take, `storehouse sync` fetches it.");
    return;
  }
  print(`\n${datasetTable(datasets)}`);
  if (datasets.some(({ rejects }) => rejects > 0))
    print("\nRows that did not fit are in ops.reject, each with its reason; the rows beside them are loaded.");
  if (troubles.length === 0) return;
  const rows = troubles.map((trouble) => [trouble.dataset, trouble.state, trouble.slices, trouble.example]);
  print(`\n${table(["dataset", "state", "slices", "why"], rows)}`);
  if (troubles.some(({ state }) => state === "failed"))
    print("`storehouse failures` lists failed slices by their numbers; `storehouse retry` requests them now.");
}

function datasetTable(datasets: Status["datasets"]): string {
  // what is nowhere takes no room
  const columns = counts.filter((column) => column === "loaded" || datasets.some((dataset) => dataset[column] > 0));
  const cell = (column: (typeof counts)[number], value: number): Cell =>
    column === "failed" && value > 0 ? { value, tone: "bad" } : value;
  const rows = datasets.map((dataset) => [
    dataset.dataset,
    ...columns.map((column) => cell(column, dataset[column])),
    dataset.firstDay,
    dataset.lastDay,
  ]);
  return table(["dataset", ...columns, optional("from"), "to"], rows);
}
