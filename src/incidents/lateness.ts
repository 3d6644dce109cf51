import { sql } from "../postgres/sql.ts";
import { isOn, type Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { addDays, day, dayMs, hourMs } from "../core/day.ts";
import { daysBetweenAnswers, onceDays, type Timing } from "../core/timing.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
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
    select s.dataset, s.state, s.slices + coalesce(f.slice_count, 0) as slices, s.rows + coalesce(f.rows_loaded, 0) as rows, s.rejects,
           s."newestEnd", s."plannedAt"
    from   (select dataset, state, count(*)::float8 as slices, coalesce(sum(rows_loaded), 0)::float8 as rows,
                   coalesce(sum(rows_rejected), 0)::float8 as rejects, max(window_end) as "newestEnd", min(created_at) as "plannedAt"
            from   ops.slice
            group  by dataset, state) as s
    left   join ops.folded_slices as f on f.dataset = s.dataset and f.state = s.state
    order  by s.dataset, s.state`.execute(db);
  return rows;
}

const answered: ReadonlySet<string> = new Set(["loaded", "empty"]);

/** Datasets that lines of the crontab name, each with the longest distance of two runs, in ms; `everyDataset` for lines that name none. */
export type RunIntervals = ReadonlyMap<string, number>;

/** Stands in them for all datasets that are on. */
export const everyDataset = "*";

/** Datasets of which every list has a timing of its own, which lets days wait: how many at least until they are requested together. */
export type OwnRhythms = ReadonlyMap<string, number>;

/** What lateness is judged by. */
export type LatenessParts = {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly scheduled: RunIntervals;
  readonly rhythms: OwnRhythms;
};

/** A list that was not planned for so much longer than its days wait is not in the portfolio any more. */
const plannedAgainDays = 7;

/** Reads these datasets, as planning has noted the timings: figures of the account of apps that are not connected, of which there are hardly any. */
export async function readOwnRhythms(db: Database, now: number): Promise<OwnRhythms> {
  const { rows } = await sql<{ dataset: string; packDays: number }>`
    with own as (
      select dataset, min(coalesce(pack_days, 1)) as "packDays"
      from   ops.list_timing
      group  by dataset
      having min(coalesce(pack_days, 1)) > 1
    )
    select dataset, "packDays"
    from   own
    where  not exists (
      select from ops.slice_log as s
      where  s.dataset = own.dataset
      and    s.created_at > ${new Date(now).toISOString()}::timestamptz - make_interval(days => own."packDays" + ${plannedAgainDays}::integer)
      and    not exists (select from ops.list_timing as t where t.dataset = s.dataset and t.scope = s.scope))`.execute(
    db,
  );
  return new Map(rows.map(({ dataset, packDays }) => [dataset, packDays]));
}

type Choice = Pick<LatenessParts, "settings" | "scheduled">;
type Switched = Pick<Dataset, "name" | "on" | "stage">;

/** True for a dataset that is on, or off by default and named by a line of the crontab; not for a list of the account that does not count. */
export function isInUse({ name, on, stage }: Switched, { settings, scheduled }: Choice): boolean {
  if (stage === "portfolio" && settings.portfolio.source === "config") return false;
  return isOn({ name, on: on || scheduled.has(name) }, settings);
}

/** The longest distance of two runs of a dataset, in ms; null for one that no line of the crontab runs. */
function distanceOf(dataset: Switched, choice: Choice): number | null {
  const { settings, scheduled } = choice;
  if (!isInUse(dataset, choice)) return null;
  const own = [scheduled.get(dataset.name), isOn(dataset, settings) ? scheduled.get(everyDataset) : undefined];
  const known = own.filter((distance) => distance !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}

/** What lateness is worked out from. */
type PlannedState = Pick<SliceSums, "dataset" | "state" | "newestEnd" | "plannedAt">;

/** The lateness of each dataset that runs on schedule, was planned once or more, and is requested regularly. */
export function latenessOf(states: readonly PlannedState[], parts: LatenessParts): readonly Lateness[] {
  const { settings, clock, rhythms } = parts;
  const now = nowOfToday(clock);
  return datasets.flatMap((dataset) => {
    const chosen = settings.datasets[dataset.name] ?? {};
    const everyMs = distanceOf(dataset, parts);
    const own = states.filter((state) => state.dataset === dataset.name);
    if (everyMs === null || own.length === 0) return [];
    const rhythm = rhythms.get(dataset.name);
    const newest = newestEndOf(own);
    // the service has reported nothing for each, and they are requested again only now and then
    if (rhythm !== undefined && newest === null && own.every(({ state }) => state === "skipped")) return [];
    const timing = inRhythm(timingWith(dataset.timing, chosen), rhythm);
    const limitMs = freshnessLimit(timing, { freshHours: chosen.fresh_hours, everyMs });
    if (limitMs === null) return [];
    const plannedAt = Math.min(...own.map((state) => state.plannedAt.getTime()));
    const newestEnd = newest === null ? null : Date.parse(newest);
    return [
      {
        dataset: dataset.name,
        ageMs: freshnessAge({ newestEnd, plannedAt }, now),
        limitMs,
        newestDay: newest === null ? null : addDays(day(newest), -1),
      },
    ];
  });
}

function inRhythm(timing: Timing, packDays: number | undefined): Timing {
  return packDays === undefined || timing.kind !== "series" ? timing : { ...timing, packDays };
}

/** Day after the newest one that is answered; null when none is. */
function newestEndOf(own: readonly PlannedState[]): string | null {
  const ends = own.filter(({ state }) => answered.has(state)).map(({ newestEnd }) => newestEnd);
  return ends.sort().at(-1) ?? null;
}

/** Scheduled datasets whose rows of today are not loaded, and are available today only: those that are requested each day as of now. */
export function atRisk(states: readonly SliceSums[], parts: Omit<LatenessParts, "rhythms">): readonly string[] {
  const today = parts.clock.today();
  return datasets.flatMap((dataset) => {
    const timing = timingWith(dataset.timing, parts.settings.datasets[dataset.name] ?? {});
    const own = states.filter((state) => state.dataset === dataset.name);
    if (dataset.stage === "portfolio" || timing.kind !== "snapshot" || timing.refreshDays > 1) return [];
    if (distanceOf(dataset, parts) === null || own.length === 0 || (newestEndOf(own) ?? "") > today) return [];
    return [dataset.name];
  });
}

/** The time of day, on the day that counts as today. */
function nowOfToday(clock: Clock): number {
  return Date.parse(clock.today()) + (clock.now() % dayMs);
}

/** The last night's run is done six hours after midnight, and one missed night can be made up for before anything is late. */
const marginMs = 6 * hourMs + dayMs;

/**
 * How long after the end of its newest day (ms) a dataset counts as late; null for a dataset that is requested once. `freshHours` is
 * the limit of the settings. Else it is the time until the next day is due by the dataset's timing, or by the schedule where its runs are
 * further apart (`everyMs`), and a night and a day more.
 */
export function freshnessLimit(
  timing: Timing,
  { freshHours, everyMs = 0 }: { readonly freshHours?: number | undefined; readonly everyMs?: number } = {},
): number | null {
  if (freshHours !== undefined) return freshHours * hourMs;
  const days = daysBetweenAnswers(timing);
  if (days >= onceDays) return null;
  const settleDays = timing.kind === "snapshot" ? 0 : timing.settleDays;
  return (Math.max(days, Math.ceil(everyMs / dayMs)) - 1 + settleDays) * dayMs + marginMs;
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
