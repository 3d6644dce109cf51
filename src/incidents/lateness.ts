import { sql } from "../postgres/sql.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { addDays, day } from "../core/day.ts";
import type { Timing } from "../core/timing.ts";
import { datasets } from "../datasets/shared/all.ts";
import { timingWith } from "../planner/dataset-settings.ts";
import type { Database } from "../postgres/database.ts";

/** How old the newest day of a dataset is, and its limit; ms. */
export type Lateness = {
  readonly dataset: string;
  readonly ageMs: number;
  readonly limitMs: number;
  /** Null when no day is loaded. */
  readonly newestDay: string | null;
};

/** Sums over the slices of one dataset in one state. */
export type SliceSums = {
  readonly dataset: string;
  readonly state: string;
  readonly slices: number;
  readonly rows: number;
  readonly rejects: number;
  /** Day after the newest one. */
  readonly newestEnd: string;
  readonly plannedAt: Date;
};

/** Reads the sums of the ledger's slices by dataset and state, in one pass over the table. */
export async function readSliceSums(db: Database): Promise<readonly SliceSums[]> {
  const { rows } = await sql<SliceSums>`
    select dataset, state, count(*)::float8 as slices, coalesce(sum(rows_loaded), 0)::float8 as rows,
           coalesce(sum(rows_rejected), 0)::float8 as rejects, max(window_end) as "newestEnd", min(created_at) as "plannedAt"
    from   ops.slice
    group  by dataset, state
    order  by dataset, state`.execute(db);
  return rows;
}

const answered: ReadonlySet<string> = new Set(["loaded", "empty"]);

/** The lateness of each dataset that is on, was planned once or more, and is requested regularly. */
export function latenessOf(states: readonly SliceSums[], settings: Settings, clock: Clock): readonly Lateness[] {
  const now = nowOfToday(clock);
  return datasets.flatMap((dataset) => {
    const chosen = settings.datasets[dataset.name] ?? {};
    const limitMs = freshnessLimit(timingWith(dataset.timing, chosen), chosen.fresh_hours);
    const own = states.filter((state) => state.dataset === dataset.name);
    if (!(chosen.on ?? dataset.on) || limitMs === null || own.length === 0) return [];
    const newest = own
      .filter(({ state }) => answered.has(state))
      .map(({ newestEnd }) => newestEnd)
      .sort()
      .at(-1);
    const plannedAt = Math.min(...own.map((state) => state.plannedAt.getTime()));
    const newestEnd = newest === undefined ? null : Date.parse(newest);
    return [
      {
        dataset: dataset.name,
        ageMs: freshnessAge({ newestEnd, plannedAt }, now),
        limitMs,
        newestDay: newest === undefined ? null : addDays(day(newest), -1),
      },
    ];
  });
}

/** The time of day, on the day that counts as today. */
function nowOfToday(clock: Clock): number {
  return Date.parse(clock.today()) + (clock.now() % dayMs);
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The last night's run is done by then, counted from midnight. */
const nightMs = 6 * hourMs;
/** One missed night can be made up for before it is an incident. */
const graceMs = dayMs;
/** A dataset that is refreshed this seldom is requested once. */
const onceDays = 3650;

/**
 * How long after the end of its newest day (ms) a dataset counts as late; null for a dataset that is requested once. `freshHours` is
 * the limit of the settings. Else it is the time between two answers by the dataset's timing, and a night and a day more.
 */
export function freshnessLimit(timing: Timing, freshHours?: number): number | null {
  if (freshHours !== undefined) return freshHours * hourMs;
  const margin = nightMs + graceMs;
  if (timing.kind === "snapshot")
    return timing.refreshDays >= onceDays ? null : (timing.refreshDays - 1) * dayMs + margin;
  if (timing.kind === "period") {
    const longest = "days" in timing.grid ? timing.grid.days : 31;
    return (longest + timing.settleDays) * dayMs + margin;
  }
  return ((timing.packDays ?? 1) - 1 + timing.settleDays) * dayMs + margin;
}

/**
 * How old the newest day is (ms): since its end, or since the dataset was first planned where no day is loaded. Never below 0: a
 * snapshot of today is loaded before today ends.
 */
export function freshnessAge(
  { newestEnd, plannedAt }: { readonly newestEnd: number | null; readonly plannedAt: number },
  now: number,
): number {
  return Math.max(0, now - (newestEnd ?? plannedAt));
}
