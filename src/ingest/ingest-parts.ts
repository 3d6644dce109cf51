import type { Client } from "../api/client.ts";
import type { Clock } from "../core/clock.ts";
import type { StorehouseError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { CreditQueue } from "../credits/queue.ts";
import type { Database } from "../postgres/database.ts";
import type { Dimensions } from "../load/dimensions.ts";
import type { Partitions } from "../load/partitions.ts";
import type { ApiOutage } from "./api-outage.ts";
import type { CrashHook } from "./crash-point.ts";
import type { BatchedSteps } from "./batched-steps.ts";
import type { ClaimedSlices } from "./claimed-slices.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";

/** What running slices needs; made by the composition root. */
export type IngestParts = {
  readonly db: Database;
  readonly client: Client;
  readonly queue: CreditQueue;
  readonly apiOutage: ApiOutage;
  readonly breaker: CircuitBreaker;
  readonly dimensions: Dimensions;
  readonly partitions: Partitions;
  readonly batched: BatchedSteps;
  readonly claimedSlices: ClaimedSlices;
  readonly clock: Clock;
  readonly log: Log;
  readonly accountId: string;
  /** Name of the account under `accounts` in the configuration; empty for that of API_TOKEN. */
  readonly account: string;
  /** The last charge of each operation: calls of a plan that was made at a lower price hold this one. */
  readonly learned: Map<string, number>;
  readonly workerId: string;
  /** Digest of the program that reads answers. */
  readonly program: string;
  /** The queue that this process takes slices from. */
  readonly queueId: string;
  /** First wait after an error that may pass, in ms. */
  readonly retryMs: number;
  /** Checks the balance, which is free, and books it. */
  readonly refreshBalance: () => Promise<void>;
  /** Removes secrets from a text before it is stored. */
  readonly scrub: (text: string) => string;
  /** Stops all calls of the process. */
  readonly abort: (error: StorehouseError) => void;
  /** Aborted when no more calls may be sent: calls under way finish, and slices whose call is not sent yet are released. */
  readonly halted: AbortSignal;
  /** Aborted when the process must stop: then it waits for nothing. */
  readonly stop: AbortSignal;
  /** The error that stopped all calls of the process; null if none has, and after an orderly stop. */
  readonly stoppedBy: () => StorehouseError | null;
  /** Frees what dead processes hold: slices, credits. */
  readonly reapDeadWorkers: () => Promise<void>;
  /**
   * Queues failed slices whose next try is due and slices that ended foreground processes left unfinished, and resumes those that wait for
   * credits after a reset; before that, once a day, ends those of days that are no longer kept. Set for a worker only.
   */
  readonly queueLeftOver?: (() => Promise<void>) | undefined;
  /** Called at each crash point; set by tests only. */
  readonly crashPoint?: CrashHook | undefined;
};
