import { sql } from "../postgres/sql.ts";
import { isOn, type Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { addDays, day, dayMs, dayOf, hourMs } from "../core/day.ts";
import { origin } from "../core/period.ts";
import { daysBetweenAnswers, isLostByTomorrow, onceDays, type Timing } from "../core/timing.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { isPlannable, timingWith } from "../planner/dataset-settings.ts";
import type { SliceSums } from "../ledger/slice-sums.ts";
import type { Database } from "../postgres/database.ts";

/** The age of the newest day of a dataset, and the age from which it is late, in ms. */
export type Lateness = {
  readonly dataset: string;
  readonly ageMs: number;
  readonly limitMs: number;
  /** Null if no day is loaded. */
  readonly newestDay: string | null;
};

const answered: ReadonlySet<string> = new Set(["loaded", "empty"]);

/** The longest time between two runs (ms) for each dataset that the crontab names; under `everyDataset`, for lines that name none. */
export type RunIntervals = ReadonlyMap<string, number>;

/** The key for all datasets that are on. */
export const everyDataset = "*";

/** Datasets whose partitions all have their own timing, with the smallest `packDays` of these; see `readOwnPackDays`. */
export type OwnPackDays = ReadonlyMap<string, number>;

/** What the decision needs in addition to the ledger. */
export type LatenessParts = {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly scheduled: RunIntervals;
  readonly ownPackDays: OwnPackDays;
};

/** A partition without an answer about the last `packDays` plus this many days is no longer requested, for example after options have changed. */
const plannedAgainDays = 7;

/**
 * Reads the datasets whose partitions all have their own timing. An app whose store account is not connected is requested only every few
 * weeks. If that is so for every app of the portfolio, lateness of the dataset follows that timing, not the usual one. A partition with the
 * usual timing counts from its first answer that does not end with a pack: until then, its newest day is that of the timing it had before.
 */
export async function readOwnPackDays(db: Database, now: number): Promise<OwnPackDays> {
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
      and    s.window_end > ${dayOf(now)}::date - (own."packDays" + ${plannedAgainDays}::integer)
      and    s.state in ('loaded', 'empty') and (s.window_end - ${origin}::date) % own."packDays" <> 0
      and    not exists (select from ops.list_timing as t where t.dataset = s.dataset and t.scope = s.scope)
      and    (s.scope ->> 'app' is null
              or exists (select from ops.listed_app as a
                         where  a.store = s.scope ->> 'store' and a.track_id = s.scope ->> 'app' and a.account = coalesce(s.scope ->> 'account', ''))))`.execute(
    db,
  );
  return new Map(rows.map(({ dataset, packDays }) => [dataset, packDays]));
}

type Choice = Pick<LatenessParts, "settings" | "scheduled">;
type Switched = Pick<Dataset, "name" | "on" | "stage">;

/** True for a dataset that is on, or that the crontab names; false for the lists of the account if the portfolio is configured. */
export function isInUse({ name, on, stage }: Switched, { settings, scheduled }: Choice): boolean {
  return isPlannable({ stage }, settings) && isOn({ name, on: on || scheduled.has(name) }, settings);
}

/** The longest time between two runs of a dataset, in ms; null if the crontab does not run it. */
function runIntervalOf(dataset: Switched, choice: Choice): number | null {
  const { settings, scheduled } = choice;
  if (!isInUse(dataset, choice)) return null;
  const own = [scheduled.get(dataset.name), isOn(dataset, settings) ? scheduled.get(everyDataset) : undefined];
  const known = own.filter((interval) => interval !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}

/** The parts of slice sums that the decision needs. */
type PlannedState = Pick<SliceSums, "dataset" | "state" | "newestEnd" | "plannedAt">;

/**
 * The only decision about which datasets are late, among those that run on schedule, have slices, and are requested regularly. A dataset
 * that is on and has answers, but that no line of the crontab runs, is judged by its own timing: another crontab, or a sync from cron,
 * should run it.
 */
export function latenessOf(states: readonly PlannedState[], parts: LatenessParts): readonly Lateness[] {
  const { settings, clock, ownPackDays } = parts;
  const now = nowOfToday(clock);
  return datasets.flatMap((dataset) => {
    const chosen = settings.datasets[dataset.name] ?? {};
    const own = states.filter((state) => state.dataset === dataset.name);
    const packDays = ownPackDays.get(dataset.name);
    const newest = newestEndOf(own);
    const isRunElsewhere = newest !== null && isOn(dataset, settings) && isInUse(dataset, parts);
    const everyMs = runIntervalOf(dataset, parts) ?? (isRunElsewhere ? 0 : null);
    if (everyMs === null || own.length === 0) return [];
    // the service has no data for any partition, and they are requested only from time to time
    if (packDays !== undefined && newest === null && own.every(({ state }) => state === "skipped")) return [];
    const timing = withPackDays(timingWith(dataset.timing, chosen), packDays);
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

function withPackDays(timing: Timing, packDays: number | undefined): Timing {
  return packDays === undefined || timing.kind !== "series" ? timing : { ...timing, packDays };
}

/** The day after the newest answered one; null if there is none. */
function newestEndOf(own: readonly PlannedState[]): string | null {
  const ends = own.filter(({ state }) => answered.has(state)).map(({ newestEnd }) => newestEnd);
  return ends.sort().at(-1) ?? null;
}

/** Scheduled daily snapshots without a loaded answer of today: tomorrow they can no longer be requested. */
export function atRisk(states: readonly SliceSums[], parts: Omit<LatenessParts, "ownPackDays">): readonly string[] {
  const today = parts.clock.today();
  return datasets.flatMap((dataset) => {
    const timing = timingWith(dataset.timing, parts.settings.datasets[dataset.name] ?? {});
    const own = states.filter((state) => state.dataset === dataset.name);
    if (dataset.stage === "portfolio" || !isLostByTomorrow(timing)) return [];
    if (runIntervalOf(dataset, parts) === null || own.length === 0 || (newestEndOf(own) ?? "") > today) return [];
    return [dataset.name];
  });
}

/** The current time, moved to the day that counts as today. */
function nowOfToday(clock: Clock): number {
  return Date.parse(clock.today()) + (clock.now() % dayMs);
}

/** The run of a night is done six hours after midnight, and one missed night can be made up before anything is late. */
const marginMs = 6 * hourMs + dayMs;

/**
 * How long after the end of its newest day (ms) a dataset counts as late; null for a dataset that is requested once. `freshHours` is the
 * limit of the settings. Otherwise the limit is the time until the next day is due by the timing of the dataset (or by the schedule if its
 * runs are further apart, `everyMs`), plus a night and a day.
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
 * How old the newest day is (ms): since its end, or since the dataset was first planned if no day is loaded. Never below 0: a snapshot of
 * today is loaded before today ends.
 */
export function freshnessAge(
  { newestEnd, plannedAt }: { readonly newestEnd: number | null; readonly plannedAt: number },
  now: number,
): number {
  return Math.max(0, now - (newestEnd ?? plannedAt));
}
