import { AbortError, type StorehouseError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { recordStop, type AccountStop } from "../credits/account-stop.ts";
import type { Database } from "../postgres/database.ts";
import { isOutage } from "../postgres/database-errors.ts";
import type { Intervals } from "./heartbeat.ts";

type StopParts = {
  readonly db: Database;
  readonly log: Log;
  readonly accountId: string;
  readonly intervals: Intervals;
  /** Removes secrets from a text. */
  readonly hide: (text: string) => string;
};

/** What stops all calls of a process. */
export type ProcessStop = {
  /** Stops them with an error, unless another one has. */
  readonly abort: (error: StorehouseError) => void;
  readonly halted: AbortSignal;
  /** Stops them without an error. */
  readonly halt: () => void;
  /** The error that stopped them; null if there was none. */
  readonly stoppedBy: () => StorehouseError | null;
  /** Resolves when a refusal is recorded. */
  readonly noted: () => Promise<void>;
};

/** Makes the stop of a process: the first error stops its calls, and a refusal is recorded for all processes of the account. */
export function createStop(parts: StopParts): ProcessStop {
  const halting = new AbortController();
  let stopped: StorehouseError | null = null;
  let noting: Promise<void> = Promise.resolve();
  return {
    abort: (error) => {
      if (stopped !== null) return;
      stopped = error;
      halting.abort();
      // work under way is retried for minutes, and a person might see nothing else until then
      if (isOutage(error)) parts.log.warn({ code: error.code, problem: error.message }, "database.unavailable");
      if (error instanceof AbortError) noting = noteRefusal(parts, error);
    },
    halted: halting.signal,
    halt: () => halting.abort(),
    stoppedBy: () => stopped,
    noted: () => noting,
  };
}

/** Loggers that have already logged the refusal of the account. */
const saidIn = new WeakSet<Log>();

/** A refusal as the reason of a stop, without secrets. */
export function reasonOf({ code, message, context }: AbortError, hide: (text: string) => string): AccountStop {
  const text = (name: string) => (typeof context[name] === "string" ? context[name] : "");
  return {
    code,
    operation: text("operation"),
    subject: text("subject"),
    dataset: text("dataset"),
    message: hide(message),
  };
}

/**
 * Records for all processes of the account that the API refuses it. The first process logs it, and so does each that starts while that
 * lasts, once.
 */
async function noteRefusal({ db, log, accountId, intervals, hide }: StopParts, error: AbortError): Promise<void> {
  const stop = reasonOf(error, hide);
  const distances = { firstMs: intervals.firstCheckMs, longestMs: intervals.longestCheckMs };
  const isNew = await recordStop(db, accountId, stop, distances).catch(() => true);
  log[isNew || !saidIn.has(log) ? "error" : "debug"]({ code: stop.code, problem: stop.message }, "api.refused");
  saidIn.add(log);
}
