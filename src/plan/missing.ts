import { latest, addDays, daysBetween, type Day } from "../core/day.ts";
import { periodOf } from "../core/period.ts";
import { firstStoreOpened } from "../core/store.ts";
import { openStates, type Covered, type SliceState } from "../core/slice.ts";
import type { Dated, Reach, Timing } from "../core/timing.ts";
import { holds, isSameWindow, windowLength, type Window } from "../core/window.ts";
import { itemGroups } from "./item-groups.ts";
import type { Calendar, GapGrid, GapRow } from "./cover/gap-grid.ts";

/**
 * Which cells are requested: those never requested and those that are still restated (`missing`); those whose newest slice failed, or
 * was skipped for another reason than a refusal (`failed`); every requestable one that no open slice holds (`all`).
 */
export const reprocesses = ["missing", "failed", "all"] as const;
export type Reprocess = (typeof reprocesses)[number];

/** The cells of one scope that must be requested: never requested before (or to be requested anew), and requested while the source still restated them. */
export type MissingCells = { readonly fresh: GapGrid; readonly restated: GapGrid };

/**
 * The days that a sync may request: cut where they are not published yet, and before the day on which the first store opened, the
 * dataset's first day and the first kept one. Without a start they begin on the dataset's first day or, where there is none, as far
 * back from the end as its history; without an end they end where the last full pack does.
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

/** The day after the last full pack that is published; where days are not packed, after the newest one. */
function packedEnd(timing: Reach, today: Day): Day {
  const published = settledEnd(timing, today);
  return timing.packDays === undefined ? published : periodOf({ days: timing.packDays }, published).start;
}

/** The first of the days that an answer of this day may have left out because they were not published yet. */
export function lateFrom({ settleDays, emptyHoldsDays = 0, emptyUntilDays }: Reach, asOf: Day): Day {
  return addDays(asOf, emptyUntilDays === undefined ? -settleDays : emptyHoldsDays + 1 - settleDays - emptyUntilDays);
}

/** What missing cells are worked out from. */
export type MissingOptions = {
  readonly timing: Dated;
  /** Null stands for the scope itself, under the name ''. */
  readonly items: readonly string[] | null;
  readonly calendar: Calendar;
  /** What was requested before, oldest first. Slices may share an array of items. */
  readonly covered: readonly Covered[];
  readonly today: Day;
  readonly reprocess: Reprocess;
};

/**
 * The missing cells of every item of one scope.
 *
 * An empty answer about the newest day, or a 404, may have come before the day was out: it is final a day later than others. Where it may
 * mean "not yet" it is requested again once it is `emptyHoldsDays` old, and with `emptyUntilDays` only then and only for so many days.
 * Days of a pack are requested again with the next one, whose call has room for them; where it has none, an empty pack is final.
 * An item that was refused alone is left out while that is on record here: it would have every batch refused.
 * A failed day counts as requested: its slice is requested again later where that can help, and a poisoned one does not cost credits every night.
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

/** What is known of a cell. Where the newest slice does not decide alone, the larger number holds. */
const cell = { unrequested: 0, toRestate: 1, requested: 2, failed: 3 } as const;

function mark(marks: Uint8Array, rows: Int32Array, slice: Covered, options: MissingOptions): void {
  const { calendar, reprocess } = options;
  if (reprocess === "all" && !waitsOrRuns(slice)) return;
  const from = Math.max(0, daysBetween(calendar.start, slice.window.start));
  const to = Math.min(calendar.days, daysBetween(calendar.start, slice.window.end));
  const final = reprocess === "missing" ? finalUntil(slice, options) : to;
  const known = reprocess === "failed" && hasFailed(slice) ? cell.failed : cell.requested;
  const hasMoved = movedSince(slice, options);
  // nothing holds over a requested cell: days that are final are filled in, a long history in one stretch an item
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

/** Which days, by their index, have moved since a slice was requested; null where none has. */
function movedSince(
  { asOf, state }: Covered,
  { timing, calendar, today, reprocess }: MissingOptions,
): ((index: number) => boolean) | null {
  const moved = (timing.moved ?? []).filter(({ since }) => asOf < since);
  if (moved.length === 0 || reprocess !== "missing" || asOf >= today || waitsOrRuns({ state })) return null;
  return (index) => moved.some(({ window }) => holds(window, addDays(calendar.start, index)));
}

/** The index of the first day of which an answer was not final: the source still restated it. */
function finalUntil(slice: Covered, { timing, calendar, today }: MissingOptions): number {
  if (slice.asOf >= today || waitsOrRuns(slice)) return calendar.days;
  const { emptyHoldsDays, emptyUntilDays, settleDays, lookbackDays } = timing;
  const repeated = waitsForPack(timing) ? addDays(packedEnd(timing, today), settleDays - 1) : today;
  const isNothing = (slice.state === "empty" || slice.state === "skipped") && !isKnownEmpty(slice, timing);
  const isDue = isNothing && emptyHoldsDays !== undefined && slice.asOf <= addDays(repeated, -emptyHoldsDays);
  if (isDue && emptyUntilDays === undefined) return 0;
  const isEarly = slice.state === "empty" || (slice.state === "skipped" && !slice.refused);
  const early = isEarly && emptyUntilDays === undefined && slice.asOf < repeated ? emptyEarlyDaysOf(timing) : 0;
  const final = daysBetween(calendar.start, slice.asOf) + 1 - settleDays - lookbackDays - early;
  if (!isDue) return final;
  const requested = waitsForPack(timing) ? slice.asOf : addDays(today, -emptyHoldsDays);
  return Math.min(final, daysBetween(calendar.start, lateFrom(timing, requested)));
}

/** True where days of which nothing came are requested again with the next pack, on the day on which that is out. */
function waitsForPack({ packDays, packIsFull }: Reach): boolean {
  return packDays !== undefined && packIsFull !== true;
}

/** True for an answer of nothing that does not mean "not connected" or "not out yet". */
function isKnownEmpty(slice: Covered, { emptyUntilDays, packIsFull }: Reach): boolean {
  // days that two answers left out beside rows have none
  if (emptyUntilDays === undefined) return slice.isTail === true;
  return packIsFull === true && slice.isTail !== true && windowLength(slice.window) > emptyUntilDays;
}

/**
 * Days by which an answer of nothing about a series or period is final later: none where it is requested again anyway, and the next day
 * brings the same, and none where a whole call more would be made for that day.
 */
export function emptyEarlyDaysOf(timing: Dated): 0 | 1 {
  return timing.packIsFull === true || (timing.kind === "period" && timing.emptyHoldsDays !== undefined) ? 0 : 1;
}

/** True for a slice that waits or runs. */
export function waitsOrRuns({ state }: Pick<Covered, "state">): boolean {
  return (openStates as readonly SliceState[]).includes(state);
}

/** True for a slice that ended without an answer, and not because of what was requested. */
export function hasFailed({ state, refused }: Pick<Covered, "state" | "refused">): boolean {
  return state === "failed" || (state === "skipped" && !refused);
}

/** Cells by group of items and day, and the group of each item. */
type Marks = {
  readonly marks: Uint8Array;
  readonly items: readonly string[];
  readonly groups: Int32Array;
  readonly days: number;
};

/** The rows that have a cell of this kind, with 1 where they have; items of a group share theirs. */
function rowsWith({ marks, items, groups, days }: Marks, kind: number): readonly GapRow[] {
  const gapsOf = Array.from({ length: days === 0 ? 0 : marks.length / days }, (_, group) => {
    const own = marks.subarray(group * days, (group + 1) * days);
    const gaps = new Uint8Array(days);
    // as a rule a few days of years
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

/** True where a plan of today could have a slice of just this window: published days that are kept, a whole period, or today for what holds now. */
export function mayRequest(timing: Timing, window: Window, today: Day): boolean {
  if (timing.kind === "snapshot") return window.start === today && windowLength(window) === 1;
  const within = requestable(timing, today, window);
  const period = timing.kind === "period" ? periodOf(timing.grid, window.start) : window;
  return isSameWindow(period, window) && within.start <= window.start && window.end <= within.end;
}
