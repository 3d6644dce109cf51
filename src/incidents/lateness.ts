import { sql } from "../postgres/sql.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { addDays, day } from "../core/day.ts";
import type { Timing } from "../core/timing.ts";
import { datasets } from "../datasets/shared/all.ts";
import { timingWith } from "../planner/dataset-settings.ts";
import type { Database } from "../postgres/database.ts";
import type { Lateness } from "./findings.ts";

/** Slices of one dataset in one state, added up. */
export type StateFacts = {
  readonly dataset: string;
  readonly state: string;
  readonly slices: number;
  readonly rows: number;
  readonly rejects: number;
  /** Day after the newest one. */
  readonly newestEnd: string;
  readonly plannedAt: Date;
};

/** Reads the ledger's slices by dataset and state. One pass over the table. */
export async function readStates(db: Database): Promise<readonly StateFacts[]> {
  const { rows } = await sql<StateFacts>`
    select dataset, state, count(*)::float8 as slices, coalesce(sum(rows_loaded), 0)::float8 as rows,
           coalesce(sum(rows_rejected), 0)::float8 as rejects, max(window_end) as "newestEnd", min(created_at) as "plannedAt"
    from   ops.slice
    group  by dataset, state
    order  by dataset, state`.execute(db);
  return rows;
}

const answered: ReadonlySet<string> = new Set(["loaded", "empty"]);

/** How late each dataset is that takes part in the schedule, was planned at least once, and is asked for again and again. */
export function latenessOf(states: readonly StateFacts[], settings: Settings, clock: Clock): readonly Lateness[] {
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

/** The newest night's work is in by then, counted from midnight. */
const nightMs = 6 * hourMs;
/** A whole night may be missed and made up for before anybody is told. */
const graceMs = dayMs;
/** What is asked for as seldom as that is asked for once. */
const onceDays = 3650;

/**
 * How long after the end of its newest day (ms) a dataset counts as late; null for what is asked for once. `freshHours` is the
 * limit that the settings name. Else it is what passes between two answers by the dataset's rhythm, and a night and a day more.
 */
export function freshnessLimit(timing: Timing, freshHours?: number): number | null {
  if (freshHours !== undefined) return freshHours * hourMs;
  const patience = nightMs + graceMs;
  if (timing.kind === "snapshot")
    return timing.refreshDays >= onceDays ? null : (timing.refreshDays - 1) * dayMs + patience;
  if (timing.kind === "period") {
    const longest = "days" in timing.grid ? timing.grid.days : 31;
    return (longest + timing.settleDays) * dayMs + patience;
  }
  return ((timing.packDays ?? 1) - 1 + timing.settleDays) * dayMs + patience;
}

/**
 * How old the newest day is (ms): from its end, where something came, else from when it was first planned, since which nothing came.
 * Never below 0: what holds today is asked for while its day lasts.
 */
export function freshnessAge(
  { newestEnd, plannedAt }: { readonly newestEnd: number | null; readonly plannedAt: number },
  now: number,
): number {
  return Math.max(0, now - (newestEnd ?? plannedAt));
}
