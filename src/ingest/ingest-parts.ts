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

/** What running slices takes; made by the composition root. */
export type IngestParts = {
  readonly db: Database;
  readonly client: Client;
  readonly queue: CreditQueue;
  readonly apiOutage: ApiOutage;
  readonly dimensions: Dimensions;
  readonly partitions: Partitions;
  readonly batched: BatchedSteps;
  readonly clock: Clock;
  readonly log: Log;
  readonly accountId: string;
  /** What calls were charged last, by operation: a plan made at another price is held at this one. */
  readonly learned: Map<string, number>;
  readonly workerId: string;
  /** Digest of the program that reads answers. */
  readonly program: string;
  /** The queue that this process takes slices from. */
  readonly queueId: string;
  /** First wait after an error that may pass, in ms. */
  readonly retryMs: number;
  /** Asks the service for the balance, for free, and books it. */
  readonly refreshBalance: () => Promise<void>;
  /** Strikes secrets out of a text before it is stored. */
  readonly scrub: (text: string) => string;
  /** Stops asking for anything. */
  readonly abort: (error: StorehouseError) => void;
  /** Aborted when nothing more may be asked: calls under way end, those not sent yet are given back. */
  readonly halted: AbortSignal;
  /** Frees what dead processes hold: slices, jobs, credits. */
  readonly freeTheDead: () => Promise<void>;
  /** Told where the story stands; set by tests only. */
  readonly at?: CrashHook | undefined;
};
