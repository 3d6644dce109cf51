import { accountOf } from "../../config/config-of-account.ts";
import type { Command } from "commander";
import { readMorning, type Morning } from "../../incidents/morning.ts";
import { verdictWithUnrequested } from "../../incidents/verdict.ts";
import { incidentText, textOfAccount } from "../../incidents/open-incidents.ts";
import type { Status } from "../../ledger/status.ts";
import { isServed, readOutdatedWorkers } from "../../ledger/worker-counts.ts";
import { withWarehouse } from "../environment.ts";
import { factList, type Fact } from "../fact-list.ts";
import { print, printJson } from "../output.ts";
import { toned } from "../screen.ts";
import { statusFacts, type StatusFacts } from "../status-facts.ts";
import { optional, table, type Cell } from "../table.ts";
import { isoTime } from "../times.ts";
import { accountIdIn, type App } from "../../app.ts";
import { UsageError } from "../../core/errors.ts";

/** `storehouse status`: the overview for every morning, the verdict first. */
export function defineStatus(command: Command): void {
  command.option("--json", "as JSON").action((options: { json?: true }) =>
    withWarehouse(
      async (app) => {
        const { config, warehouse, clock } = app;
        const accountId = await accountIdIn(warehouse.db, config);
        const morning = await readMorning(warehouse.db, {
          settings: config.settings,
          accountId,
          readLate: async (datasets) => {
            // this loads every dataset, which doubles the start time: needed only if no worker runs
            const { readLateDatasets } = await import("../../worker/late-datasets.ts");
            return readLateDatasets(warehouse.db, datasets, app);
          },
          now: clock.now(),
        });
        const unrequested = morning.datasets.length === 0 ? [] : await readUnrequested(app);
        const deviations = isServed(morning.workers) ? await readDeviations(app, accountId) : nothingToSay;
        const page = {
          ...morning,
          ...deviations,
          unrequested,
          verdict: verdictWithUnrequested(morning.verdict, unrequested),
        };
        if (options.json) printJson(asJson(page));
        else printPage(page, accountOf(config.settings));
      },
      { showsWorkers: true },
    ),
  );
}

/** The overview does not wait until years of the ledger are read. */
const patienceMs = 2_000;

/** What is shown: the overview, days that a sync no longer reaches, and how workers deviate from the schedule. */
type Page = Morning & Pick<StatusFacts, "unrequested"> & Deviations;

type Deviations = Pick<StatusFacts, "notAgreed" | "outdatedWorkers">;

const nothingToSay: Deviations = { notAgreed: null, outdatedWorkers: [] };

/** Reads days that a sync no longer reaches; null if that takes too long. */
async function readUnrequested({ warehouse, config: { settings }, clock }: App): Promise<Page["unrequested"]> {
  // this loads every dataset, too
  const { readNeverRequestedWithin } = await import("../../planner/earlier-gaps.ts");
  return readNeverRequestedWithin(warehouse.db, { settings, today: clock.today(), ms: patienceMs });
}

/**
 * Compares what workers do with the schedule as a worker would read it now. Nothing for an invalid file, which `storehouse doctor` names.
 */
async function readDeviations({ warehouse: { db } }: App, accountId: string): Promise<Deviations> {
  // these load every dataset, too
  const [{ loadConfig }, { scheduleFileOf }] = await Promise.all([
    import("../with-app.ts"),
    import("../../worker/schedule-file.ts"),
  ]);
  try {
    const config = loadConfig();
    const { digest, readNotAgreed } = scheduleFileOf(config);
    return {
      notAgreed: accountId === "" ? null : await readNotAgreed(db),
      outdatedWorkers: await readOutdatedWorkers(db, accountOf(config.settings), digest()),
    };
  } catch (error) {
    if (error instanceof UsageError) return nothingToSay;
    throw error;
  }
}

function asJson({
  verdict,
  account,
  budgets,
  nextRuns,
  workers,
  incidents,
  datasets,
  lastRun,
  troubles,
  failedForNow,
  lockWait,
  unrequested,
  notAgreed,
  outdatedWorkers,
}: Page) {
  const credits = account && {
    total: account.total,
    remaining: account.remaining,
    held: account.held,
    resetsAt: isoTime(account.resetsAt),
    observedAt: isoTime(account.observedAt),
  };
  const runs = nextRuns.map((run) => ({ ...run, at: isoTime(run.at), pricedAt: isoTime(run.pricedAt) }));
  const shown = {
    verdict,
    credits,
    budgets,
    nextRuns: runs,
    workers,
    incidents,
    lastRun,
    lockWait,
    unrequested,
    notAgreed,
    outdatedWorkers,
  };
  return { ...shown, datasets, troubles, failedForNow };
}

const syncHint = "`storehouse plan` shows what a sync would take, `storehouse sync` fetches it.";

const counts = ["pending", "running", "deferred", "loaded", "empty", "skipped", "failed", "rejects"] as const;

function printPage({ verdict, datasets, troubles, ...facts }: Page, account: string): void {
  print(toned(verdict.state, verdict.text));
  const whose: readonly Fact[] = account === "" ? [] : [["account", account]];
  const incidents = facts.incidents.map((one) => ({ ...one, summary: incidentText(one, account) }));
  print(`\n${factList([...whose, ...statusFacts({ ...facts, incidents, own: account })])}`);
  if (datasets.length === 0) {
    print(`\n${syncHint}`);
    return;
  }
  print(`\n${datasetTable(datasets)}`);
  if (datasets.some(({ rejects }) => rejects > 0))
    print("\nRejected rows are in ops.reject, each with its reason; the other rows are loaded.");
  // a worker requests it anyway, and no sync reaches days that are not requested any more
  if (verdict.state === "warn" && !isServed(facts.workers) && (facts.unrequested ?? []).length === 0)
    print(`\n${syncHint}`);
  if (troubles.length === 0) return;
  const rows = troubles.map((trouble) => [
    trouble.dataset,
    trouble.state,
    trouble.slices,
    textOfAccount(trouble.account, account, trouble.example),
  ]);
  print(`\n${table(["dataset", "state", "slices", "why"], rows)}`);
  if (troubles.some(({ state }) => state === "failed"))
    print("`storehouse failures` lists failed slices with their numbers; `storehouse retry` requests them now.");
}

function datasetTable(datasets: Status["datasets"]): string {
  // a count that is zero everywhere gets no column
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
