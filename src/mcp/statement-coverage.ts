import { appNamed } from "../postgres/app-named.ts";
import { isOn, type Settings } from "../config/settings.ts";
import { countOf } from "../core/words.ts";
import type { Day } from "../core/day.ts";
import { daysOf, lastDay, type Window } from "../core/window.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { sumOfCells, type CellCounts, type CellState } from "../plan/cell-states.ts";
import { timingWith } from "../planner/dataset-settings.ts";
import { gapLines } from "../planner/gap-lines.ts";
import type { ScopeCoverage } from "../planner/gaps.ts";
import type { SyncRequest } from "../planner/request.ts";
import type { NamedScopes } from "../core/partition-group.ts";
import { readNamedCoverage } from "../planner/named-coverage.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/** How complete and how fresh a dataset is. `cells`: the cells of the requested days, by state. */
type DatasetCoverage = {
  readonly dataset: string;
  /** False if nothing of it is requested: its data is unknown, not zero. */
  readonly is_requested: boolean;
  readonly newest_day: string | null;
  /** Newest day that should be there by the end of today; null if nothing is due. */
  readonly due_day: string | null;
  /** Apps and countries by freshness_state of mart.data_freshness: on time, late, stopped, nothing due. */
  readonly freshness: Readonly<Record<string, number>>;
  readonly last_loaded_at: string | null;
  /** Null for a dataset that lists the portfolio or is not requested: it has no cells by day. */
  readonly cells: CellCounts | null;
  /** Null if `cells` is, and if the statement may read more than these days. */
  readonly is_complete: boolean | null;
  readonly gaps: readonly Gap[];
  readonly more_gaps: number;
  /** The first and the last requested day on which an app and country has no cell: not published yet, or never requested. */
  readonly days_without_cells: { readonly from: string; readonly to: string } | null;
};

type Gap = {
  readonly store: string | null;
  readonly app: string | null;
  readonly country: string | null;
  readonly cells: CellCounts;
  readonly from: string;
  readonly to: string;
};

/** Coverage and freshness with an answer, and a sentence that says what they mean for it. */
export type StatementCoverage = {
  readonly from: string;
  readonly to: string;
  readonly is_complete: boolean | null;
  readonly says: string;
  readonly datasets: readonly DatasetCoverage[];
};

/** States of cells without an answer. The rows of dropped cells were removed with their month. */
const unanswered: readonly CellState[] = [
  "missing",
  "failed",
  "deferred",
  "pending",
  "running",
  "skipped",
  "lost",
  "dropped",
];
/** How many gaps are listed for each dataset; the rest are counted. */
const listedGaps = 10;

/** The datasets, days, apps and countries whose coverage is read. */
export type CoverageRequest = {
  readonly datasets: readonly string[];
  readonly window: Window;
  /**
   * A sentence that says what the statement may read besides these days, apps and countries; null if it reads nothing else, or there is no
   * statement. If it is set, nothing counts as complete.
   */
  readonly guessed?: string | null;
  /** True if the answer may lack rows that the statement describes. */
  readonly isCut?: boolean;
  readonly named: NamedScopes;
  readonly settings: Settings;
  readonly today: Day;
};

/** Reads the coverage of some datasets, as `storehouse gaps` does, and how fresh they are. */
export async function readStatementCoverage(db: Database, request: CoverageRequest): Promise<StatementCoverage> {
  const { window, named, settings, today } = request;
  const fresh = await readFreshness(db, request);
  const isRequested = (name: string) => isOn(datasetNamed(name), settings) || fresh.has(name);
  const byDay = request.datasets.filter((name) => isRequested(name) && datasetNamed(name).stage !== "portfolio");
  const coverage = await readCoverage(db, { request: { datasets: byDay, bounds: window, today }, named, settings });
  const datasets = request.datasets.map((dataset) => ({
    dataset,
    is_requested: isRequested(dataset),
    ...(fresh.get(dataset) ?? { newest_day: null, due_day: null, freshness: {}, last_loaded_at: null }),
    ...(byDay.includes(dataset)
      ? cellsOf(
          coverage.filter((one) => one.dataset === dataset),
          daysOf(window),
          isOfEachDay(dataset, settings),
        )
      : { cells: null, is_complete: null, gaps: [], more_gaps: 0, days_without_cells: null }),
  }));
  const known = datasets.filter(({ is_complete }) => is_complete !== null);
  const isWhole = known.length === 0 ? null : datasets.every((one) => one.is_complete !== false && one.is_requested);
  const [from, to] = [window.start, lastDay(window)];
  const completeIf = (isTrue: boolean | null) => (isTrue === true && request.guessed != null ? null : isTrue);
  return {
    from,
    to,
    is_complete: completeIf(isWhole),
    says: wordsOf(datasets, isWhole, request),
    datasets: datasets.map((one) => ({ ...one, is_complete: completeIf(one.is_complete) })),
  };
}

type CoverageOf = Pick<CoverageRequest, "named" | "settings"> & { readonly request: SyncRequest };

/** The coverage of datasets for the named apps; all of it for a dataset that is not about apps, such as charts. */
async function readCoverage(db: Database, { request, named, settings }: CoverageOf): Promise<readonly ScopeCoverage[]> {
  const read = (datasets: readonly string[], own: NamedScopes) =>
    datasets.length === 0
      ? []
      : readNamedCoverage(db, { request: { ...request, datasets }, named: own, withoutCells: true }, settings);
  const coverage = await read(request.datasets, named);
  if (named.apps.length === 0) return coverage;
  const others = request.datasets.filter((name) => !coverage.some(({ dataset }) => dataset === name));
  const ofNoApp = await read(others, { ...named, apps: [] });
  return [...coverage, ...ofNoApp.filter(({ trackId }) => trackId === null)];
}

/** True if a dataset has an answer for each day. A list that is fetched every few days, or once, is valid for the days between. */
function isOfEachDay(name: string, settings: Settings): boolean {
  const timing = timingWith(datasetNamed(name).timing, settings.datasets[name] ?? {});
  return timing.kind !== "snapshot" || timing.refreshDays <= 1;
}

/** `wanted`: days on which each app and country should have a cell; on at least one of them if `isDaily` is false. */
function cellsOf(coverage: readonly ScopeCoverage[], wanted: readonly Day[], isDaily: boolean) {
  const cells = sumOfCells(coverage.flatMap(({ days }) => [...days.values()]));
  const lines = gapLines(coverage, unanswered);
  const gaps = lines.slice(0, listedGaps).map(({ coverage: one, cells: counts, first, last }) => ({
    store: one.store,
    app: one.trackId,
    country: one.country,
    cells: Object.fromEntries(Object.entries(counts).filter(([state]) => unanswered.some((name) => name === state))),
    from: first,
    to: last,
  }));
  const bare = wanted.filter((day) => coverage.some(({ days }) => (isDaily ? !days.has(day) : days.size === 0)));
  const [from, to] = [bare[0], bare.at(-1)];
  // without a cell, nothing was ever requested for these days
  const isComplete = Object.keys(cells).length > 0 && lines.length === 0 && bare.length === 0;
  const without = from === undefined || to === undefined ? null : { from, to };
  return { cells, is_complete: isComplete, gaps, more_gaps: lines.length - gaps.length, days_without_cells: without };
}

function wordsOf(
  datasets: readonly DatasetCoverage[],
  isWhole: boolean | null,
  { guessed = null, isCut = false }: Pick<CoverageRequest, "guessed" | "isCut">,
): string {
  if (datasets.length === 0) return "The statement reads no dataset: its coverage is unknown.";
  const off = datasets.filter((one) => !one.is_requested).map(({ dataset }) => dataset);
  const holes = datasets.filter((one) => one.is_requested && one.is_complete === false).map(({ dataset }) => dataset);
  const behind = datasets.filter(({ freshness }) => (freshness["late"] ?? 0) + (freshness["stopped"] ?? 0) > 0);
  const parts = [
    holes.length === 0 ? "" : `Days are missing for ${holes.join(", ")}: a missing row is unknown, not zero.`,
    off.length === 0 ? "" : `Nothing is requested for ${off.join(", ")}: a missing row is unknown, not zero.`,
    isWhole === true && guessed === null
      ? `Every cell of these days has its answer${isCut ? ", but not every row is shown: a missing row may have been left out." : ": a missing row means that there is none."}`
      : "",
    isWhole === null ? "" : (guessed ?? ""),
    isWhole === null && off.length === 0
      ? "These datasets have no days: freshness and last_loaded_at show how fresh they are."
      : "",
    ...behind.map(behindWords),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** How late a dataset is, even if the days are complete: the newest figures of some apps may be older than they should be. */
function behindWords({ dataset, freshness, newest_day: newest, due_day: due }: DatasetCoverage): string {
  const counts = (["stopped", "late"] as const).flatMap((state) => {
    const places = freshness[state] ?? 0;
    return places === 0 ? [] : [`${state} for ${countOf(places, "app and country", "apps and countries")}`];
  });
  const dueWords = due === null ? "" : `, and the due day is ${due}`;
  return `${dataset} is ${counts.join(" and ")}: its newest day is ${newest ?? "none"}${dueWords}.`;
}

type Fresh = Pick<DatasetCoverage, "newest_day" | "due_day" | "freshness" | "last_loaded_at">;

async function readFreshness(
  db: Database,
  { datasets, named, today }: Pick<CoverageRequest, "datasets" | "named" | "today">,
): Promise<ReadonlyMap<string, Fresh>> {
  const { apps, countries } = named;
  const { rows } = await db.transaction().execute(async (transaction) => {
    await sql`select set_config('storehouse.today', ${today}, true)`.execute(transaction);
    return sql<Fresh & { dataset: string }>`
      select dataset, max(newest_day) as newest_day, max(due_day) as due_day, jsonb_object_agg(freshness_state, places) as freshness,
             to_char(max(last_loaded_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as last_loaded_at
      from   (
        select dataset, freshness_state, count(*)::int as places, max(newest_day) as newest_day, max(due_day) as due_day, max(last_loaded_at) as last_loaded_at
        from   ops.freshness
        where  dataset = any (${[...datasets]}::text[])
        and    (track_id is null or ${apps.length === 0} or ${appNamed(apps, { store: sql`store`, trackId: sql`track_id` })})
        and    (country_code is null or ${countries.length === 0} or country_code = any (${countries.map((one) => one.toUpperCase())}::text[]))
        group  by 1, 2) as f
      group  by dataset`.execute(transaction);
  });
  return new Map(rows.map(({ dataset, ...fresh }) => [dataset, fresh]));
}
