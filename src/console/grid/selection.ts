import { accountOf } from "../../config/config-of-account.ts";
import type { App } from "../../app.ts";
import { addDays, type Day } from "../../core/day.ts";
import { groupKey, type PartitionGroup } from "../../core/partition-group.ts";
import { count } from "../../core/words.ts";
import { windowLength, type Window } from "../../core/window.ts";
import { readReasons, type Reason } from "../../ledger/reasons.ts";
import { reopenable, type Reopened, type Reopening } from "../../ledger/reopen.ts";
import { sumOfCells, type CellCounts } from "../../plan/cell-states.ts";
import { pricePlan } from "../../planner/backfill-plan.ts";
import { readReported, sumReported, type ReportedSum } from "../../planner/reported-cells.ts";
import type { ReportedCells } from "../../ledger/reported-cells.ts";
import type { BackfillRequest } from "../../planner/backfill-request.ts";
import { datasetNamed } from "../../datasets/shared/all.ts";
import type { Database } from "../../postgres/database.ts";
import { readCells } from "./read-grid.ts";

/** Rows and days of the grid that a visitor chose: the rows from one to another, and the days from one to another. */
export type Selection = { readonly groups: readonly PartitionGroup[]; readonly window: Window };

/** More cells are not read or priced at once: the planner processes each of them. */
const mostCells = 100_000;

/** Why a selection is too large to be read, priced or filled here; null if it is not. */
export function tooLarge({ groups, window }: Selection): string | null {
  const cells = groups.length * windowLength(window);
  if (cells <= mostCells) return null;
  return `${count(groups.length)} partitions × ${count(windowLength(window))} days are ${count(cells)} cells; at most ${count(mostCells)} can be selected at once: select fewer, or use \`storehouse backfill\``;
}

/** The two ends of a selection. */
export type Ends = { readonly first: string; readonly last: string; readonly from: Day; readonly to: Day };

/** The numbers of the first and the last row of a selection, whichever end comes first; null if the grid does not have one of them. */
export function rowsBetween(
  rows: readonly PartitionGroup[],
  { first, last }: Pick<Ends, "first" | "last">,
): { readonly top: number; readonly bottom: number } | null {
  const ends = [first, last].map((key) => rows.findIndex((row) => groupKey(row) === key)).sort((a, b) => a - b);
  const [top = -1, bottom = -1] = ends;
  return top < 0 ? null : { top, bottom };
}

/** The selection between two ends; null if the grid no longer has one of the rows. */
export function selectionOf(rows: readonly PartitionGroup[], ends: Ends): Selection | null {
  const found = rowsBetween(rows, ends);
  if (found === null) return null;
  const { from, to } = ends;
  const [start, end] = from <= to ? [from, to] : [to, from];
  return { groups: rows.slice(found.top, found.bottom + 1), window: { start, end: addDays(end, 1) } };
}

/** Facts about a selection before anything is done about it. */
export type SelectionFacts = {
  readonly cells: CellCounts;
  readonly reasons: readonly Reason[];
  /** The price of a backfill of its missing cells; null if none can be requested. `notes`: what is unavailable, in sentences. */
  readonly fill: { readonly slices: number; readonly requests: number; readonly credits: number } | null;
  readonly notes: readonly string[];
  /** The slices that a retry would run again. */
  readonly retry: readonly Reopened[];
  /** Cells that answers of other datasets reported. */
  readonly reported: readonly ReportedSum[];
};

/** Reads these facts. Writes nothing. */
export async function readSelection(app: App, db: Database, selection: Selection): Promise<SelectionFacts> {
  const rows = await readCells(app, db, { ...selection, width: "week" });
  const wanted = fillRequest(selection, null);
  const fill =
    wanted.datasets.length === 0
      ? { sum: null, notes: [] }
      : await pricePlan(db, { requested: wanted, settings: app.config.settings, clock: app.clock });
  const notes = wanted.datasets.length < datasetsOf(selection).length ? [...fill.notes, portfolioNote] : fill.notes;
  return {
    cells: sumOfCells(rows.flatMap(({ cells }) => cells)),
    reasons: await readReasons(db, selection),
    fill: fill.sum,
    notes,
    retry: await reopenable(db, { ...retryOf(selection), account: accountOf(app.config.settings) }),
    reported: sumReported(await reportedOf(app, db, selection)),
  };
}

async function reportedOf(
  { config: { settings }, clock }: App,
  db: Database,
  selection: Selection,
): Promise<readonly ReportedCells[]> {
  const request = { datasets: datasetsOf(selection), bounds: {}, today: clock.today() };
  const cells = await readReported(db, { request, settings, shown: selection.window });
  const keys = new Set(selection.groups.map(groupKey));
  return cells.filter((one) => keys.has(groupKey(one)));
}

const portfolioNote = "Datasets that list the portfolio are fetched by `storehouse sync`, not by a backfill.";

function datasetsOf({ groups }: Selection): readonly string[] {
  return [...new Set(groups.map(({ dataset }) => dataset))];
}

/** The backfill of exactly these partitions and days, for at most this many credits; without datasets that list the portfolio. */
export function fillRequest(selection: Selection, mostCredits: number | null): BackfillRequest {
  const datasets = datasetsOf(selection).filter((name) => datasetNamed(name).stage !== "portfolio");
  return {
    datasets,
    bounds: selection.window,
    apps: [],
    countries: [],
    groups: selection.groups.filter(({ dataset }) => datasets.includes(dataset)),
    reprocess: "missing",
    newestFirst: true,
    mostCredits,
  };
}

/** The retry of failed slices of these partitions that cover any of these days. */
export function retryOf(selection: Selection): Reopening {
  return { datasets: datasetsOf(selection), groups: selection.groups, about: selection.window };
}
