import pg from "pg";
import { fail, type StorehouseError } from "../core/errors.ts";

/** Codes of a server that temporarily accepts no work, each with our error that says why. */
const outages = {
  "53100": "database_full",
  "53300": "database_busy",
  // a primary that became a standby: its address will soon lead to the new primary
  "25006": "database_read_only",
} as const;

/**
 * Connection exceptions, a server that shuts down or starts up, transactions that it ended because their process was idle for too long (a
 * machine that slept), and outages.
 */
const lostStarts = ["08", "57P", "25P03", "25P04", ...Object.keys(outages)];
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
/** How poolers say that no connection is left (PgBouncer, Supavisor); none uses the Postgres code for it. */
const fullPooler = /max_client_conn|max clients reached|query_wait_timeout/i;
/** How a server whose disk is full refuses a login (XX000) if it must rewrite its catalogue cache file. */
const fullForLogins = /could not write init file/i;
/**
 * Serialisation failure, deadlock, no memory, a limit of the server such as temp_file_limit, a disk that failed, and a statement that an
 * administrator or another program cancelled.
 */
const interruptions = new Set(["40001", "40P01", "53200", "53400", "58030", "57014"]);
/** What a merge meets if a concurrent one has written the same key first. */
const uniqueViolation = "23505";

/**
 * True when the database could not be reached, broke the connection, or has no room or no connection left: the outcome of the current work
 * is unknown.
 */
export function isLostConnection(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error instanceof pg.DatabaseError)
    return lostStarts.some((start) => code.startsWith(start)) || outageOf(error) !== undefined;
  return (
    lostNodeCodes.has(code) ||
    /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|connection has been discarded/i.test(
      error.message,
    )
  );
}

/** True when all connections of a pool stayed in use by others for as long as its callers wait. */
export function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

/** True when the disk of the database is full, or the database became read-only. */
export function isOutOfRoom(error: unknown): boolean {
  return ["database_full", "database_read_only"].includes(outageOf(error) ?? "");
}

/** True when a lock was not granted within `lock_timeout`, or only by a deadlock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === "55P03" || error.code === "40P01");
}

/** True when Postgres cancelled a statement, for example at its time limit. */
export function isCancelled(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "57014";
}

/** True when Postgres ended a statement for a reason that is not in the statement, and rolled back its transaction. */
export function isInterrupted(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && interruptions.has(error.code ?? "");
}

/** Our error for such a statement. */
export function databaseInterrupted(cause: pg.DatabaseError): StorehouseError {
  return fail("database_interrupted", { problem: cause.message }, cause);
}

/** True when the same transaction is likely to succeed the next time. */
export function isPassing(error: unknown): error is pg.DatabaseError {
  return isInterrupted(error) || (error instanceof pg.DatabaseError && error.code === uniqueViolation);
}

/** True when there is no partition for a row. */
export function isMissingPartition(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23514" && error.constraint === undefined;
}

/** True when the connected role lacks a right. */
export function isMissingRight(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === "42501";
}

/** How the error begins when a connection is closed because a statement got no reply; the limit follows. */
export const withoutReply = "Connection terminated: no reply for";

/** The same if it got no reply to its first statements: a pooler accepts a login before it has a session for it. */
export const withoutSession = "Connection terminated: no session within";

/** Our error for an outage: the driver's text says little and may contain the address. */
export function databaseOutage(cause: unknown, problem = brokenBy(cause)): StorehouseError {
  const code = outageOf(cause);
  return code === undefined ? fail("database_unreachable", { problem }, cause) : fail(code, {}, cause);
}

/** True for our error about an outage of the database: retries continue. */
export function isOutage({ code }: StorehouseError): boolean {
  return code === "database_unreachable" || Object.values<string>(outages).includes(code);
}

function brokenBy(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : "";
  if (!message.startsWith(withoutReply)) return "the connection broke";
  return `a statement had no reply for${message.slice(withoutReply.length)}, the limit of database.timeout_seconds`;
}

function outageOf(cause: unknown): (typeof outages)[keyof typeof outages] | undefined {
  if (cause instanceof Error && cause.message.startsWith(withoutSession)) return "database_busy";
  if (!(cause instanceof pg.DatabaseError)) return undefined;
  if (fullForLogins.test(cause.message)) return "database_full";
  return fullPooler.test(cause.message) ? "database_busy" : outages[cause.code as keyof typeof outages];
}

/** Why a server refuses a login: wrong password, no such role or database, no rule in pg_hba.conf. */
const refusals = new Set(["28P01", "28000", "3D000", "42501"]);
/** How the driver says that it has no password or cannot authenticate with it: it stops before the server refuses. */
const noPassword = /^SASL: /;

/** True when the server refuses the login: waiting does not correct it. */
export function isRefusedLogin(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return refusals.has(error.code ?? "");
  return error instanceof Error && noPassword.test(error.message);
}

/** Codes for a startup parameter that the server does not know, or whose value is invalid. */
const parameterProblems = new Set(["0A000", "22023", "42704"]);

/** True when the server, or a pooler in front of it, refuses a startup parameter of the address. */
function isRefusedParameter({ code = "", message }: pg.DatabaseError): boolean {
  // PgBouncer uses one code for everything that it refuses
  return parameterProblems.has(code) || (code === "08P01" && /startup parameter/i.test(message));
}

/** How OpenSSL and Node name problems with a certificate. */
const certificate = /CERT|SIGNATURE|ISSUER|SSL|TLS|EPROTO|CRL/;

/** Our error for a connection that could not be opened: the driver's text may repeat the address with its password. */
export function connectionProblem(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause.name === "UsageError") return cause;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const facts = { variable: "DATABASE_URL", code: code ?? cause.name };
  if (outageOf(cause) !== undefined) return databaseOutage(cause);
  if (isRefusedLogin(cause))
    return fail("database_refused", code === undefined ? { ...facts, code: "no password that it accepts" } : facts);
  if (cause instanceof pg.DatabaseError && isRefusedParameter(cause)) return fail("database_options", facts);
  if (/does not support SSL/i.test(cause.message))
    return fail("database_tls", { problem: "the server does not speak TLS" });
  if (!(cause instanceof pg.DatabaseError) && code !== undefined && certificate.test(code))
    return fail("database_tls", { problem: code });
  return fail("database_unreachable", facts);
}
