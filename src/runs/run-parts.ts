import type { Settings } from "../config/settings.ts";
import type { StorehouseError } from "../core/errors.ts";
import type { RunLimit } from "../credits/run-limit.ts";
import type { RunOutcome, RunProgress } from "../ledger/runs.ts";
import type { Unfinished } from "./unfinished.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";

/** What a foreground run needs in addition to the parts for slices. */
export type SyncParts = {
  readonly ingest: IngestParts;
  readonly settings: Settings;
  readonly runLimit: RunLimit;
  readonly progress: (progress: ReportedProgress) => void;
  /** To be called when something was queued, so that it starts at once. */
  readonly wake: () => void;
};

/** The progress of a run. While it is not whole, more will be planned from what is being loaded, and the amount is unknown. */
export type ReportedProgress = RunProgress & {
  readonly runId: string;
  readonly isWhole: boolean;
  /** Slices of another process that the run waits for; 0 while it has its own work. */
  readonly elsewhere: number;
};

/** How a foreground run ended. */
export type SyncResult = {
  readonly runId: string;
  readonly outcome: RunOutcome;
  /** Slices that were cancelled at its end are in `total` and `open`, and not in `deferred`: nothing waits for them. */
  readonly progress: RunProgress;
  /** Slices that its limit did not pay for: not queued, or cancelled at its end. */
  readonly leftOut: number;
  readonly left: Unfinished;
  readonly error: StorehouseError | null;
  /** What became of the slices that were open when it was stopped or aborted; left out for other ends. */
  readonly atStop?: OpenAtStop;
};

/** Slices that a stop found open: set back to failed, as before a retry, or cancelled, and missing again. */
export type OpenAtStop = { readonly failedAgain: number; readonly cancelled: number };
