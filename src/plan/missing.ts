import { latest, addDays, daysBetween, type Day } from "../core/day.ts";
import { periodOf } from "../core/period.ts";
import { firstStoreOpened } from "../core/store.ts";
import { openStates, type Covered, type SliceState } from "../core/slice.ts";
import type { Dated, Reach, Timing } from "../core/timing.ts";
import { holds, isSameWindow, windowLength, type Window } from "../core/window.ts";
import { itemGroups } from "./item-groups.ts";
import type { Calendar, GapGrid, GapRow } from "./cover/gap-grid.ts";

/**
 * Which cells a plan requests:
 *   - `missing`: those never requested, and those that the source may have restated since
 *   - `failed`: those whose newest slice failed, or was skipped for a reason other than a refusal
 *   - `all`: every one that can be requested and that no open slice requests
 */
export const reprocesses = ["missing", "failed", "all"] as const;
export type Reprocess = (typeof reprocesses)[number];

/**
 * The cells of one scope to request: `fresh` ones for the first time (or from scratch), `restated` ones because their answer was not final.
 */
export type MissingCells = { readonly fresh: GapGrid; readonly restated: GapGrid };

/**
 * The days that a plan may request. They end with the newest published day (if `bounds` has no end, with the last full pack) and begin at
 * `bounds.start`, else at the first day of the dataset, else `historyDays` before the end; never before the first store opened, the first
 * day of the dataset, or the first day whose rows are kept.
 */
export function requestable(timing: Reach, today: Day, bounds: Partial<Window>): Window {
  const { firstDay, historyDays, keptFrom } = timing;
  const settled = bounds.end === undefined ? packedEnd(timing, today) : settledEnd(timing, today);
  const end = bounds.end !== undefined && bounds.end < settled ? bounds.end : settled;
  const start = bounds.start ?? firstDay ?? addDays(end, -historyDays);
  return { start: latest([start, firstStoreOpened, firstDay ?? start, keptFrom ?? start]), end };
}

/** The day after the newest one that is published. */
export function settledEnd({ settleDays }: Reach, today: Day): Day {
  return addDays(today, 1 - settleDays);
}

/** The day after the last full pack that is published; if days are not packed, after the newest day. */
function packedEnd(timing: Reach, today: Day): Day {
  const published = settledEnd(timing, today);
  return timing.packDays === undefined ? published : periodOf({ days: timing.packDays }, published).start;
}

/** The first day that an answer requested on this day may lack because it was not published yet. */
export function lateFrom({ settleDays, emptyHoldsDays = 0, emptyUntilDays }: Reach, asOf: Day): Day {
  return addDays(asOf, emptyUntilDays === undefined ? -settleDays : emptyHoldsDays + 1 - settleDays - emptyUntilDays);
}

/** What missing cells are computed from. */
export type MissingOptions = {
  readonly timing: Dated;
  /** Null means the scope itself, under the name ''. */
  readonly items: readonly string[] | null;
  readonly calendar: Calendar;
  /** What was requested before, oldest first. Slices may share an array of items. */
  readonly covered: readonly Covered[];
  readonly today: Day;
  readonly reprocess: Reprocess;
};

/**
 * The missing cells of every item of one scope. The newest slice about a cell decides:
 *   - An empty answer, or a 404, may have come before its newest day was published: it is final a day later than other answers.
 *   - With `emptyHoldsDays` an empty answer may mean "not yet": it expires at that age, and with `emptyUntilDays` only its newest days do.
 *   - Empty days of a pack are requested again with the next pack if one call has room for both; otherwise an empty pack is final.
 *   - An item that the service refused when it was requested alone is left out: every batch with it would be refused.
 *   - A failed cell counts as requested: failed-retries.ts retries its slice if that can help, so that it does not cost credits every night.
 *
 * `ops.slice_finality` has the same rules for stale cells in SQL; test/runs/stale.test.ts checks that both agree.
 */
export function missingCells(options: MissingOptions): MissingCells {
  const { calendar, covered } = options;
  const refused = new Set(
    covered.filter((slice) => slice.refused && slice.items?.length === 1).flatMap(({ items }) => items ?? []),
  );
  const all = options.items ?? [""];
  const items = sorted(refused.size === 0 ? all : all.filter((item) => !refused.has(item)));
  const { groups, count, groupsOf } = itemGroups(items, new Set(covered.map((slice) => slice.items ?? [""])));
  const marks = new Uint8Array(count * calendar.days);
  for (const slice of covered) mark(marks, groupsOf(slice.items), slice, options);
  const fresh = options.reprocess === "failed" ? cell.failed : cell.unrequested;
  const rowsOf = (kind: number) => rowsWith({ marks, items, groups, days: calendar.days }, kind);
  return { fresh: { calendar, rows: rowsOf(fresh) }, restated: { calendar, rows: rowsOf(cell.toRestate) } };
}

/** What is known about a cell. If several slices are about it, the larger number counts. */
const cell = { unrequested: 0, toRestate: 1, requested: 2, failed: 3 } as const;

function mark(marks: Uint8Array, rows: Int32Array, slice: Covered, options: MissingOptions): void {
  const { calendar, reprocess } = options;
  if (reprocess === "all" && !waitsOrRuns(slice)) return;
  const from = Math.max(0, daysBetween(calendar.start, slice.window.start));
  const to = Math.min(calendar.days, daysBetween(calendar.start, slice.window.end));
  const final = reprocess === "missing" ? finalUntil(slice, options) : to;
  const known = reprocess === "failed" && hasFailed(slice) ? cell.failed : cell.requested;
  const hasMoved = movedSince(slice, options);
  // `requested` is the largest number for `missing`: final days are filled in at once
  const filled = reprocess === "failed" || hasMoved !== null ? from : Math.max(from, Math.min(to, final));
  for (const row of rows) {
    const first = row * calendar.days;
    if (filled > from) marks.fill(known, first + from, first + filled);
    for (let day = filled; day < to; day += 1) {
      const now = day < final && hasMoved?.(day) !== true ? known : cell.toRestate;
      const at = first + day;
      // slices come oldest first
      if (reprocess === "failed" || now > (marks[at] ?? 0)) marks[at] = now;
    }
  }
}

/** The days, by index, that have moved since a slice was requested; null if none has. */
function movedSince(
  { asOf, state }: Covered,
  { timing, calendar, today, reprocess }: MissingOptions,
): ((index: number) => boolean) | null {
  const moved = (timing.moved ?? []).filter(({ since }) => asOf < since);
  if (moved.length === 0 || reprocess !== "missing" || asOf >= today || waitsOrRuns({ state })) return null;
  return (index) => moved.some(({ window }) => holds(window, addDays(calendar.start, index)));
}

/**
 * The index of the first day for which a slice's answer is not final: the source restates days from there on, or the answer was empty and
 * has expired.
 */
function finalUntil(slice: Covered, options: MissingOptions): number {
  const { timing, calendar, today } = options;
  if (slice.asOf >= today || waitsOrRuns(slice)) return calendar.days;
  // empty days that wait for the next pack are requested again when that pack is published
  const retriedOn = waitsForPack(timing) ? addDays(packedEnd(timing, today), timing.settleDays - 1) : today;
  const mayBeEarly = slice.state === "empty" || (slice.state === "skipped" && !slice.refused);
  const early =
    mayBeEarly && timing.emptyUntilDays === undefined && slice.asOf < retriedOn ? emptyEarlyDaysOf(timing) : 0;
  const restatedFrom = daysBetween(calendar.start, slice.asOf) + 1 - timing.settleDays - timing.lookbackDays - early;
  return Math.min(restatedFrom, expiredFrom(slice, options, retriedOn));
}

/** The index of the first day whose empty answer has expired; infinite if none has. */
function expiredFrom(slice: Covered, { timing, calendar, today }: MissingOptions, retriedOn: Day): number {
  const { emptyHoldsDays, emptyUntilDays } = timing;
  const isEmpty = slice.state === "empty" || slice.state === "skipped";
  if (!isEmpty || emptyHoldsDays === undefined || isKnownEmpty(slice, timing)) return Number.POSITIVE_INFINITY;
  if (slice.asOf > addDays(retriedOn, -emptyHoldsDays)) return Number.POSITIVE_INFINITY;
  if (emptyUntilDays === undefined) return 0;
  const requestedOn = waitsForPack(timing) ? slice.asOf : addDays(today, -emptyHoldsDays);
  return daysBetween(calendar.start, lateFrom(timing, requestedOn));
}

/** True if empty days are requested again together with the next pack. */
function waitsForPack({ packDays, packIsFull }: Reach): boolean {
  return packDays !== undefined && packIsFull !== true;
}

/** True for an empty answer that cannot mean "not connected" or "not published yet". */
function isKnownEmpty(slice: Covered, { emptyUntilDays, packIsFull }: Reach): boolean {
  // a tail was requested twice, and both answers had rows for other days
  if (emptyUntilDays === undefined) return slice.isTail === true;
  return packIsFull === true && slice.isTail !== true && windowLength(slice.window) > emptyUntilDays;
}

/**
 * How many days later than others an empty answer becomes final. 0 for periods that are requested again anyway, and 0 if that would need a
 * separate call.
 */
export function emptyEarlyDaysOf(timing: Dated): 0 | 1 {
  return timing.packIsFull === true || (timing.kind === "period" && timing.emptyHoldsDays !== undefined) ? 0 : 1;
}

/** True for a slice that waits or runs. */
export function waitsOrRuns({ state }: Pick<Covered, "state">): boolean {
  return (openStates as readonly SliceState[]).includes(state);
}

/** True for a slice that ended without an answer, for a reason other than a refusal. */
export function hasFailed({ state, refused }: Pick<Covered, "state" | "refused">): boolean {
  return state === "failed" || (state === "skipped" && !refused);
}

/** The cells of each group of items by day (`marks`), and the group of each item. */
type Marks = {
  readonly marks: Uint8Array;
  readonly items: readonly string[];
  readonly groups: Int32Array;
  readonly days: number;
};

/** A row for each item with cells of this kind, 1 for each such day; items of a group share an array. */
function rowsWith({ marks, items, groups, days }: Marks, kind: number): readonly GapRow[] {
  const gapsOf = Array.from({ length: days === 0 ? 0 : marks.length / days }, (_, group) => {
    const own = marks.subarray(group * days, (group + 1) * days);
    const gaps = new Uint8Array(days);
    // usually a few days out of years
    for (let day = own.indexOf(kind); day >= 0; day = own.indexOf(kind, day + 1)) gaps[day] = 1;
    return gaps.includes(1) ? gaps : null;
  });
  return items.flatMap((item, row) => {
    const gaps = gapsOf[groups[row] ?? 0];
    return gaps == null ? [] : [{ item, gaps }];
  });
}

/** Names by code unit, each once. */
export function sorted(items: readonly string[]): readonly string[] {
  const inOrder = items.every((item, index) => index === 0 || (items[index - 1] ?? "") < item);
  return inOrder ? items : [...new Set(items)].sort();
}

/** True if a plan made today could request exactly this window: published days that are kept, a whole period, or today for a snapshot. */
export function mayRequest(timing: Timing, window: Window, today: Day): boolean {
  if (timing.kind === "snapshot") return window.start === today && windowLength(window) === 1;
  const within = requestable(timing, today, window);
  const period = timing.kind === "period" ? periodOf(timing.grid, window.start) : window;
  return isSameWindow(period, window) && within.start <= window.start && window.end <= within.end;
}
