import type { Day } from "./day.ts";
import type { Window } from "./window.ts";

/**
 * What a fetch is about, as named values: `{ store, app, country }`, `{ store, country, keyword }` ... Names are sorted when they become a
 * key.
 */
export type Scope = Readonly<Record<string, string>>;

/** The number of a run, a slice or a plan, which stays text: it fits into a bigint of Postgres. */
export const ledgerNumber = /^[1-9]\d{0,17}$/;

/** In which order classes may dip into the reserve of credits: the first is lost for good if it is missed tonight. */
export const creditClasses = ["snapshot", "daily", "lookback", "history"] as const;
export type CreditClass = (typeof creditClasses)[number];
/** Who credits are held for: a slice of a class, or a person who runs a command. Floors keep credits for people. */
export type Spender = CreditClass | "person";

/**
 * The states of a slice. `loaded`, `empty` and `skipped` are final; `failed` waits for a later try or for `storehouse retry`; `lost` is a
 * snapshot that can no longer be requested.
 */
export const sliceStates = ["pending", "running", "deferred", "loaded", "empty", "skipped", "failed", "lost"] as const;
export type SliceState = (typeof sliceStates)[number];

// The fingerprint of a slice is that of its portfolio (`SliceDraft.fingerprint`), or one of these:

/** A command changed what the answer was requested under: it is no longer valid. */
export const changedSince = "changed since";
/** A lost day that was never requested: it does not count as an attempt. */
export const neverRequested = "never requested";
/** The start of that of a slice that was filled from the answer of another dataset; the name of that dataset follows. */
export const reportedPrefix = "reported by ";

/** The fingerprint of a slice that was filled from the answer of another dataset. */
export function reportedFingerprint(dataset: string): string {
  return reportedPrefix + dataset;
}

/** States of a slice that waits or runs: its answer is still to come. */
export const openStates = ["pending", "running", "deferred"] as const satisfies readonly SliceState[];

/** A slice that a plan proposes: one partition, one window, one operation, priced. */
export type SliceDraft = {
  readonly dataset: string;
  readonly operation: string;
  readonly scope: Scope;
  /** The items (keywords, ids) that a call names, null if the scope is enough. Sorted. */
  readonly items: readonly string[] | null;
  readonly window: Window;
  readonly class: CreditClass;
  /** Expected requests and credits. */
  readonly requests: number;
  readonly credits: number;
  /** The day that was "today" when it was planned: decides whether the answer is final. */
  readonly asOf: Day;
  /** Facts of the portfolio that affect the answer; if they change, the old answer is stale. */
  readonly fingerprint: string;
  /** The slice whose answer ended before these days, if they are its tail. */
  readonly tailOf?: string;
  /** For a snapshot, the last day on which it can be requested; its own day if left out. */
  readonly lastDay?: Day;
  /** For a snapshot that was requested before, the day of the last request; for several items, that of the item that has waited longest. */
  readonly lastRequested?: Day;
  /** Days that it may span at its price, if a slice waits whose days it could fetch too. */
  readonly longest?: number;
  /** When the first of the slices that it includes was queued, in epoch-ms. */
  readonly waitsSince?: number;
};

/** A slice as the ledger gives it to the process that runs it. `attempt` is the fence. */
export type Slice = SliceDraft & {
  readonly sliceId: string;
  readonly runId: string;
  readonly attempt: number;
  /** The day after the last requested one, if the answer, and so the window, ended earlier. */
  readonly requestedEnd?: Day;
  /** The plan whose price its calls count against, in any process; null or left out if there is none. */
  readonly planId?: string | null;
  /** Digest, as hex, of the last loaded answer to the same request at the time of the claim; null if there is none. */
  readonly lastDigest?: string | null;
};

/** The days that a slice requested, including its tail. */
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
  /** True if the service refused it because of what it requests, not because of the time. */
  readonly refused: boolean;
  /** True if it failed with an error that may be gone at a later request. */
  readonly isPassing?: true;
  /** True for the tail of another slice: days that the answer to that one did not report. */
  readonly isTail?: true;
  /** Retention has dropped its answered days before this one. */
  readonly goneBefore?: Day;
};

/** A scope as one stable text: names sorted, so that equal scopes have equal keys. */
export function scopeKey(scope: Scope): string {
  // a plan makes millions: sorting names takes half as long as sorting pairs
  return JSON.stringify(
    Object.keys(scope)
      .sort()
      .map((name) => [name, scope[name]]),
  );
}
