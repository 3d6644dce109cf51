import type { Settings } from "../config/settings.ts";
import type { StorehouseError } from "../core/errors.ts";
import type { RunLimit } from "../credits/run-limit.ts";
import type { RunOutcome, RunProgress } from "../ledger/runs.ts";
import type { Unfinished } from "./unfinished.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";

/** What a foreground run needs beside the parts that slices take. */
export type SyncParts = {
  readonly ingest: IngestParts;
  readonly settings: Settings;
  readonly runLimit: RunLimit;
  /** Aborted when the person or the system wants the process to end. */
  readonly stop: AbortSignal;
  /** The error that stopped all requests, null while there is none. */
  readonly aborted: () => StorehouseError | null;
  readonly progress: (progress: ReportedProgress) => void;
  /** To be called when something was queued, so that it is begun at once. */
  readonly wake: () => void;
};

/** Where a run stands. While it is not whole, more is planned from what is loaded now, and nobody knows how much. */
export type ReportedProgress = RunProgress & {
  readonly runId: string;
  readonly isWhole: boolean;
  /** Slices of another process that the run waits for; 0 while it has work of its own. */
  readonly elsewhere: number;
};

/** How a foreground run ended. */
export type SyncResult = {
  readonly runId: string;
  readonly outcome: RunOutcome;
  readonly progress: RunProgress;
  readonly leftOut: number;
  readonly left: Unfinished;
  readonly error: StorehouseError | null;
};
