import { z } from "zod";
import type { Clock } from "../core/clock.ts";
import type { Day } from "../core/day.ts";
import { DayText } from "../api/values.ts";
import { Fault } from "./faults.ts";
import type { MarketOptions } from "./market/market.ts";

/** Requests per second that an account may make, and how many it may save up. */
export const RateLimit = z.strictObject({ perSecond: z.number().positive(), burst: z.number().min(1) });
export type RateLimit = z.output<typeof RateLimit>;

/** What can be changed while the sandbox runs; the same over `PUT /_sandbox/settings`. */
export const SandboxSettings = z.strictObject({
  today: DayText.exactOptional(),
  dateForm: z.enum(["epoch", "local"]).exactOptional(),
  openEnvelope: z.enum(["data", "bare"]).exactOptional(),
  bareLists: z.enum(["bare", "named"]).exactOptional(),
  noData: z.enum(["empty", "404"]).exactOptional(),
  openEnd: z.enum(["inclusive", "exclusive"]).exactOptional(),
  longRange: z.enum(["refuse", "cut"]).exactOptional(),
  mostRangeDays: z.int().min(1).nullable().exactOptional(),
  textAnswer: z.enum(["json", "text"]).exactOptional(),
  connected: z.boolean().exactOptional(),
  dailyReports: z.enum(["days", "totals", "undated"]).exactOptional(),
  latencyMs: z.number().min(0).exactOptional(),
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
export type SandboxOptions = {
  /** Which synthetic market. Default 1. */
  seed?: number;
  /** The day that counts as today (UTC); default: the day of its clock. */
  today?: Day;
  /** For credit periods, resets, rate limiting and latency; default: that of the machine. */
  clock?: Clock;
  /** Default 127.0.0.1 and any free port. */
  host?: string;
  port?: number;
  /** Default: token `sandbox-token`, 100,000 credits a day. */
  accounts?: readonly SandboxAccount[];
  /** The words for the two stores in path templates; default iosstore and androidstore. */
  storeWords?: { ios: string; android: string };
  /** Instants in answers as epoch-ms or as local date-times without zone. Default `epoch`. */
  dateForm?: "epoch" | "local";
  /** How answers are wrapped if the contract does not say. Default `data`. */
  openEnvelope?: "data" | "bare";
  /** Whether a list that should be bare is sent bare or under a name in an object. Default `bare`. */
  bareLists?: "bare" | "named";
  /** How a list without items is sent: `empty`, or as a 404 that costs nothing. Default `empty`. */
  noData?: "empty" | "404";
  /** How the end of a range is read if the contract does not say. Default `inclusive`. */
  openEnd?: "inclusive" | "exclusive";
  /** What happens to a range that is too long. Default `refuse`; `cut` moves its end without an error. */
  longRange?: "refuse" | "cut";
  /**
   * The most days of any range, after which its end is moved without an error, even within the limits of the contract; default null, none.
   */
  mostRangeDays?: number | null;
  /** App Match as a JSON string or as plain text. Default `json`. */
  textAnswer?: "json" | "text";
  /** Whether the account has search ads and stores connected; if not, their answers are empty. Default true. */
  connected?: boolean;
  /** Rows of DAILY reports, which the contract does not show: one per object and day, one per day, or as in a REPORT. Default `days`. */
  dailyReports?: "days" | "totals" | "undated";
  /** Default 0. */
  latencyMs?: number;
  /** Requests above it get 429; default null, no limit. */
  rateLimit?: { perSecond: number; burst: number } | null;
  faults?: readonly Fault[];
  market?: Partial<MarketOptions>;
};
