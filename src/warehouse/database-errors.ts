import pg from "pg";

/** Connection exceptions, a server that shuts down or starts up, one that has no connection to spare. */
const lostStarts = ["08", "57P", "53300"];
const lostNodeCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
/** Unique violation under concurrent merges, serialisation failure, deadlock. */
const passing = new Set(["23505", "40001", "40P01"]);

/** True when the database could not be reached or broke the connection: nothing was decided about the work at hand. */
export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error instanceof pg.DatabaseError) return lostStarts.some((start) => code.startsWith(start));
  return (
    lostNodeCodes.has(code) ||
    /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|connection has been discarded/i.test(
      error.message,
    )
  );
}

/** True when a lock was not to be had within `lock_timeout`, or only by a deadlock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === "55P03" || error.code === "40P01");
}

/** True when the same transaction is likely to succeed the next time. */
export function isPassing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && passing.has(error.code ?? "");
}

/** True when a row found no partition to go into. */
export function isMissingPartition(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23514" && error.constraint === undefined;
}

/** True when the connected role may not do what it tried, or sessions of its kind only read. */
export function isMissingRight(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && (error.code === "42501" || error.code === "25006");
}
