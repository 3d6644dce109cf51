import { isAppNamed } from "../../core/app-names.ts";
import type { Settings } from "../../config/settings.ts";
import type { Clock } from "../../core/clock.ts";
import { groupKey, type PartitionGroup } from "../../core/partition-group.ts";
import type { Window } from "../../core/window.ts";
import { datasetNamed } from "../../datasets/shared/all.ts";
import { readAppNames } from "../../ledger/read-app-names.ts";
import type { CellCounts } from "../../plan/cell-states.ts";
import { readPartitionGroups, readScopeCoverage } from "../../planner/gaps.ts";
import type { Database } from "../../postgres/database.ts";
import { sql } from "../../postgres/sql.ts";
import { columnsOf, rolledUp, type ColumnWidth } from "./columns.ts";

/** The parts of an app that the grid uses. */
type GridApp = { readonly config: { readonly settings: Settings }; readonly clock: Pick<Clock, "today"> };

/** Whose coverage a grid shows; empty lists mean all. */
export type GridFilters = {
  readonly datasets: readonly string[];
  readonly apps: readonly string[];
  readonly countries: readonly string[];
};

/** A row of the grid: what it is about, and the cells of each column by state. */
export type GridRow = PartitionGroup & { readonly appName: string | null; readonly cells: readonly CellCounts[] };

/**
 * Rows of the grid for these datasets (if none is named, for those that are on); those in use come first, in the order of `storehouse gaps
 * --json`. Made from the portfolio only: cells are not read.
 */
export async function readRows(
  { config: { settings }, clock }: GridApp,
  db: Database,
  datasets: readonly string[],
): Promise<readonly PartitionGroup[]> {
  const groups = await readPartitionGroups(db, { request: { datasets, bounds: {}, today: clock.today() }, settings });
  const used = await readUsed(db, [...new Set(groups.map(({ dataset }) => dataset))]);
  return groups.toSorted((a, b) => turnOf(a, used) - turnOf(b, used));
}

/** The rows that pass the filters: a filter on an app removes rows without an app; rows about every country stay. */
export function filtered(
  rows: readonly PartitionGroup[],
  { datasets, apps, countries }: GridFilters,
): readonly PartitionGroup[] {
  const named = new Set(apps);
  const wanted = new Set(countries.map((country) => country.toUpperCase()));
  return rows.filter(
    ({ dataset, store, trackId, country }) =>
      (datasets.length === 0 || datasets.includes(dataset)) &&
      (apps.length === 0 || (trackId !== null && isAppNamed(named, { store, trackId }))) &&
      (wanted.size === 0 || country === null || wanted.has(country)),
  );
}

/** Rows of datasets that were never requested come after the others, and datasets that list the portfolio last. */
function turnOf({ dataset }: PartitionGroup, used: ReadonlySet<string>): number {
  return datasetNamed(dataset).stage !== "market" ? 2 : used.has(dataset) ? 0 : 1;
}

/** The datasets among these of which anything was requested. */
async function readUsed(db: Database, datasets: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ dataset: string }>`
    select d.dataset from unnest(${datasets}::text[]) as d (dataset) where exists (select from ops.slice_log as s where s.dataset = d.dataset)`.execute(
    db,
  );
  return new Set(rows.map(({ dataset }) => dataset));
}

/** The cells of some rows over a window, as `storehouse gaps` counts them; a day that a sync would not request and that has no answer has none. */
export async function readCells(
  { config: { settings }, clock }: GridApp,
  db: Database,
  {
    groups,
    window,
    width,
  }: { readonly groups: readonly PartitionGroup[]; readonly window: Window; readonly width: ColumnWidth },
): Promise<readonly GridRow[]> {
  if (groups.length === 0) return [];
  // cells about apps are calculated for these apps only: a large account has many others
  const ofApps = groups.every(({ trackId }) => trackId !== null);
  const apps = ofApps ? { apps: [...new Set(groups.map(({ store, trackId }) => `${store}:${trackId}`))] } : {};
  const coverage = await readScopeCoverage(db, {
    request: {
      datasets: [...new Set(groups.map(({ dataset }) => dataset))],
      bounds: {},
      today: clock.today(),
      only: { groups, ...apps },
    },
    settings,
    shown: window,
  });
  const names = await readAppNames(db, groups);
  const columns = columnsOf(window, width);
  const days = new Map(coverage.map((one) => [groupKey(one), one.days]));
  return groups.map((group) => ({
    ...group,
    appName: names.get(`${group.store}:${group.trackId}`) ?? null,
    cells: rolledUp(days.get(groupKey(group)) ?? new Map(), columns),
  }));
}
