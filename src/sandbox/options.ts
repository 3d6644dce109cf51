import { z } from "zod";
import type { Clock } from "../core/clock.ts";
import type { Day } from "../core/day.ts";
import { DayText } from "../api/values.ts";
import { Fault } from "./faults.ts";
import type { MarketOptions } from "./market/market.ts";

/** Requests a second that an account may make, and how many it may save up. */
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

/** One API key and its allowance. `costs` charges operations, by id, other than documented. */
export type SandboxAccount = {
  token: string;
  /** Credits of a whole period. */
  total: number;
  /** Credits left in the first period; `total` when left out. */
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
  /** What the sandbox thinks today is (UTC); default: the day of its clock. */
  today?: Day;
  /** For credit periods, resets, rate limiting and latency; default the machine's. */
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
  /** How answers are wrapped where the contract leaves that open. Default `data`. */
  openEnvelope?: "data" | "bare";
  /** A list that should come bare as it is, or under a name in an object. Default `bare`. */
  bareLists?: "bare" | "named";
  /** What a list without items comes as: `empty`, or as a 404 that costs nothing. Default `empty`. */
  noData?: "empty" | "404";
  /** How the end of a range is read where the contract leaves that open. Default `inclusive`. */
  openEnd?: "inclusive" | "exclusive";
  /** What happens to a range that is too long. Default `refuse`; `cut` moves its end in silence. */
  longRange?: "refuse" | "cut";
  /** Days after which the end of any range is moved in silence, within the contract's own limits too; default null, none. */
  mostRangeDays?: number | null;
  /** App Match as a JSON string or as bare text. Default `json`. */
  textAnswer?: "json" | "text";
  /** Whether the account has search ads and stores connected; without, their answers are empty. Default true. */
  connected?: boolean;
  /** Rows of DAILY reports, which the contract does not show: a thing and day each, a day each, or as of a REPORT. Default `days`. */
  dailyReports?: "days" | "totals" | "undated";
  /** Default 0. */
  latencyMs?: number;
  /** 429 for requests over it; default null, no limit. */
  rateLimit?: { perSecond: number; burst: number } | null;
  faults?: readonly Fault[];
  market?: Partial<MarketOptions>;
};
