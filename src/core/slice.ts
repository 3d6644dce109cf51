import type { Day } from "./day.ts";
import type { Window } from "./window.ts";

/**
 * Who a fetch is about, as named values: `{ store, app, country }`, `{ store, country, keyword }` ... Names are sorted where they become a
 * key.
 */
export type Scope = Readonly<Record<string, string>>;

/** In which order classes may dip into the reserve of credits: the first is lost for good when missed tonight. */
export const creditClasses = ["snapshot", "daily", "lookback", "history"] as const;
export type CreditClass = (typeof creditClasses)[number];
/** Who credits are held for: a slice of some class, or a person who runs a command; what the floors leave is for people. */
export type Spender = CreditClass | "person";

/**
 * What can become of a slice. `loaded`, `empty` and `skipped` are final answers; `failed` waits for a later try or for `storehouse retry`;
 * `lost` is a snapshot that nobody can request any more.
 */
export const sliceStates = ["pending", "running", "deferred", "loaded", "empty", "skipped", "failed", "lost"] as const;
export type SliceState = (typeof sliceStates)[number];
/** The fingerprint of a lost day that was never requested: it is no attempt. */
export const neverRequested = "never requested";
/** How the fingerprint of a slice begins that the answer of another dataset filled; the name of that dataset follows. */
export const reportedPrefix = "reported by ";

/** The fingerprint of a slice that the answer of another dataset filled. */
export function reportedBy(dataset: string): string {
  return reportedPrefix + dataset;
}

/** States of a slice that waits or runs: its answer is yet to come. */
export const openStates = ["pending", "running", "deferred"] as const satisfies readonly SliceState[];

/** A slice that a plan proposes: one partition, one window, one operation, priced. */
export type SliceDraft = {
  readonly dataset: string;
  readonly operation: string;
  readonly scope: Scope;
  /** What a call requests by the batch (keywords, ids), null where the scope says it all. Sorted. */
  readonly items: readonly string[] | null;
  readonly window: Window;
  readonly class: CreditClass;
  /** Expected requests and credits. */
  readonly requests: number;
  readonly credits: number;
  /** The day on which it was planned as "today": decides how settled the answer was. */
  readonly asOf: Day;
  /** What the portfolio knew that would make the answer differ; a changed one makes the old answer stale. */
  readonly fingerprint: string;
  /** The slice whose answer ended before these days, where they are the tail of one. */
  readonly tailOf?: string;
  /** Of a snapshot the last day on which it can be requested; its own day when left out. */
  readonly lastDay?: Day;
  /** Of a snapshot that was requested before, the day on which it was last; of several items that of the one that waits longest. */
  readonly lastRequested?: Day;
  /** Days that it may span at its price, where a slice waits whose days it could bring as well. */
  readonly longest?: number;
  /** When the first of the slices that it brings as well was queued, in epoch-ms. */
  readonly waitsSince?: number;
};

/** A slice as the ledger gives it to the process that runs it. `attempt` is the fence. */
export type Slice = SliceDraft & {
  readonly sliceId: string;
  readonly runId: string;
  readonly attempt: number;
  /** The day after the last requested one, where the answer ended earlier and the window with it. */
  readonly requestedEnd?: Day;
  /** The plan whose price its calls count against, whichever process runs it; null or left out where there is none. */
  readonly planId?: string | null;
  /** Digest, as hex, of the answer that was loaded last for the same request when it was claimed; null without one. */
  readonly lastDigest?: string | null;
};

/** The days that a slice requested, its tail among them. */
export function requestedWindow({ window, requestedEnd }: Pick<Slice, "window" | "requestedEnd">): Window {
  return requestedEnd === undefined ? window : { start: window.start, end: requestedEnd };
}

/** The credits that one page of a slice is expected to cost. */
export function pagePrice({ credits, requests }: Pick<SliceDraft, "credits" | "requests">): number {
  return Math.ceil(credits / Math.max(1, requests));
}

/** What the ledger knows about cells that were requested before. */
export type Covered = {
  readonly scope: Scope;
  readonly operation: string;
  readonly items: readonly string[] | null;
  readonly window: Window;
  readonly state: SliceState;
  readonly asOf: Day;
  readonly fingerprint: string;
  /** True when the service refused it for what was requested, not for when. */
  readonly refused: boolean;
  /** True where it failed with an error that a later request may not meet. */
  readonly isPassing?: true;
  /** True for the tail of another slice: days that the answer to that one did not report. */
  readonly isTail?: true;
  /** Its answered days before this one were dropped by retention since. */
  readonly goneBefore?: Day;
};

/** A scope as one stable text: names sorted, so that equal scopes have equal keys. */
export function scopeKey(scope: Scope): string {
  return JSON.stringify(Object.entries(scope).sort(([a], [b]) => (a < b ? -1 : 1)));
}
