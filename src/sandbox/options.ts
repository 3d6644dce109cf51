import { z } from "zod";
import type { Clock } from "../core/clock.ts";
import { DayText } from "../api/values.ts";
import { Fault } from "./faults.ts";
import type { MarketOptions } from "./market/market.ts";

/** Requests per second that an account may make, and how many it may save up. */
export const RateLimit = z.strictObject({ perSecond: z.number().positive(), burst: z.number().min(1) });
export type RateLimit = z.output<typeof RateLimit>;

/** What can be changed while the sandbox runs; the same over `PUT /_sandbox/settings`. */
export const SandboxSettings = z.strictObject({
  /** The day that counts as today (UTC); default: the day of its clock. */
  today: DayText.exactOptional(),
  /** Instants in answers as epoch-ms or as local date-times without zone. Default `epoch`. */
  dateForm: z.enum(["epoch", "local"]).exactOptional(),
  /** How answers are wrapped if the contract does not say. Default `data`. */
  openEnvelope: z.enum(["data", "bare"]).exactOptional(),
  /** Whether a list that should be bare is sent bare or under a name in an object. Default `bare`. */
  bareLists: z.enum(["bare", "named"]).exactOptional(),
  /** How a list without items is sent: `empty`, or as a 404 that costs nothing. Default `empty`. */
  noData: z.enum(["empty", "404"]).exactOptional(),
  /** How the end of a range is read if the contract does not say. Default `inclusive`. */
  openEnd: z.enum(["inclusive", "exclusive"]).exactOptional(),
  /** What happens to a range that is too long. Default `refuse`; `cut` moves its end without an error. */
  longRange: z.enum(["refuse", "cut"]).exactOptional(),
  /**
   * The most days of any range, after which its end is moved without an error, even within the limits of the contract; default null, none.
   */
  mostRangeDays: z.int().min(1).nullable().exactOptional(),
  /** App Match as a JSON string or as plain text. Default `json`. */
  textAnswer: z.enum(["json", "text"]).exactOptional(),
  /** Whether the account has search ads and stores connected; if not, their answers are empty. Default true. */
  connected: z.boolean().exactOptional(),
  /** Rows of DAILY reports, which the contract does not show: one per object and day, one per day, or as in a REPORT. Default `days`. */
  dailyReports: z.enum(["days", "totals", "undated"]).exactOptional(),
  /** Default 0. */
  latencyMs: z.number().min(0).exactOptional(),
  /** Requests above it get 429; default null, no limit. */
  rateLimit: RateLimit.nullable().exactOptional(),
  faults: z.array(Fault).readonly().exactOptional(),
});
export type SandboxSettings = z.output<typeof SandboxSettings>;

/** One API key and its allowance. `costs`: charges by operation id that differ from the documented ones. */
export type SandboxAccount = {
  token: string;
  /** Credits per period. */
  total: number;
  /** Credits left in the first period; `total` if left out. */
  remaining?: number;
  /** Length of a period; periods are counted from midnight UTC of 1970-01-01. */
  periodHours: number;
  costs?: Record<string, number>;
  /** How the seconds until the reset are rounded; default `up`. Rounded down, the last one is reported as 0. */
  resetRounding?: "up" | "down";
};

/** Everything about a sandbox that can be chosen; all of it may be left out. */
export type SandboxOptions = SandboxSettings & {
  /** Which synthetic market. Default 1. */
  seed?: number;
  /** For credit periods, resets, rate limiting and latency; default: that of the machine. */
  clock?: Clock;
  /** Default 127.0.0.1 and any free port. */
  host?: string;
  port?: number;
  /** Default: token `sandbox-token`, 100,000 credits a day. */
  accounts?: readonly SandboxAccount[];
  /** The words for the two stores in path templates; default iosstore and androidstore. */
  storeWords?: { ios: string; android: string };
  market?: Partial<MarketOptions>;
};
