import type { App } from "../../app.ts";
import { groupKey, type PartitionGroup } from "../../core/partition-group.ts";
import type { Window } from "../../core/window.ts";
import { datasetNamed } from "../../datasets/shared/all.ts";
import { readAppNames } from "../../ledger/app-names.ts";
import type { CellCounts } from "../../plan/cell-states.ts";
import { readPartitionGroups, readScopeCoverage } from "../../planner/gaps.ts";
import type { Database } from "../../postgres/database.ts";
import { sql } from "../../postgres/sql.ts";
import { columnsOf, rolledUp, type ColumnWidth } from "./columns.ts";

/** Whose coverage a grid shows; lists that are empty stand for all. */
export type GridFilters = {
  readonly datasets: readonly string[];
  readonly apps: readonly string[];
  readonly countries: readonly string[];
};

/** A row of the grid: what it is about, and the cells of each column by state. */
export type GridRow = PartitionGroup & { readonly appName: string | null; readonly cells: readonly CellCounts[] };

/** Rows of the grid, in the order of `storehouse gaps --json` as far as they are used. Of the portfolio alone: its cells are not read. */
export async function readRows(
  { config: { settings }, clock }: App,
  db: Database,
  { datasets, apps, countries }: GridFilters,
): Promise<readonly PartitionGroup[]> {
  const only = {
    ...(apps.length === 0 ? {} : { apps }),
    ...(countries.length === 0 ? {} : { countries }),
  };
  const groups = await readPartitionGroups(db, {
    request: { datasets, bounds: {}, today: clock.today(), only },
    settings,
  });
  // what is planned from is kept by a plan, and says nothing of the app that was named
  const shown = apps.length === 0 ? groups : groups.filter(({ trackId }) => trackId !== null);
  const used = await readUsed(db, [...new Set(shown.map(({ dataset }) => dataset))]);
  return shown.toSorted((a, b) => turnOf(a, used) - turnOf(b, used));
}

/** Rows of what was never requested come after the others, and those that list the portfolio last. */
function turnOf({ dataset }: PartitionGroup, used: ReadonlySet<string>): number {
  return datasetNamed(dataset).stage !== "market" ? 2 : used.has(dataset) ? 0 : 1;
}

/** Of these datasets those of which anything was requested. */
async function readUsed(db: Database, datasets: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ dataset: string }>`
    select d.dataset from unnest(${datasets}::text[]) as d (dataset) where exists (select from ops.slice as s where s.dataset = d.dataset)`.execute(
    db,
  );
  return new Set(rows.map(({ dataset }) => dataset));
}

/** The cells of some rows over a window, as `storehouse gaps` counts them; a day that a sync would not request and that has no answer has none. */
export async function readCells(
  { config: { settings }, clock }: App,
  db: Database,
  {
    groups,
    window,
    width,
  }: { readonly groups: readonly PartitionGroup[]; readonly window: Window; readonly width: ColumnWidth },
): Promise<readonly GridRow[]> {
  if (groups.length === 0) return [];
  const coverage = await readScopeCoverage(db, {
    request: {
      datasets: [...new Set(groups.map(({ dataset }) => dataset))],
      bounds: {},
      today: clock.today(),
      only: { groups },
    },
    settings,
    shown: window,
  });
  const names = await readAppNames(db);
  const columns = columnsOf(window, width);
  const days = new Map(coverage.map((one) => [groupKey(one), one.days]));
  return groups.map((group) => ({
    ...group,
    appName: names.get(`${group.store}:${group.trackId}`) ?? null,
    cells: rolledUp(days.get(groupKey(group)) ?? new Map(), columns),
  }));
}
