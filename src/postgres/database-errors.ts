import pg from "pg";
import { fail } from "../core/errors.ts";

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

/** True when a lock was not granted within `lock_timeout`, or only by a deadlock. */
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

/** Why a server refuses a login: wrong password, no such role or database, no rule for the way there. */
const refusals = new Set(["28P01", "28000", "3D000", "42501"]);

/** True when the server refuses the login: waiting does not correct it. */
export function isRefusedLogin(error: unknown): boolean {
  return error instanceof pg.DatabaseError && refusals.has(error.code ?? "");
}

/** How OpenSSL and Node call what is wrong with a certificate. */
const certificate = /CERT|SIGNATURE|ISSUER|SSL|TLS|EPROTO|CRL/;

/** The error of ours for a connection that could not be opened: the driver's own text may repeat the address with its password. */
export function connectionProblem(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause.name === "UsageError") return cause;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const facts = { variable: "DATABASE_URL", code: code ?? cause.name };
  if (cause instanceof pg.DatabaseError && (isMissingRight(cause) || refusals.has(code ?? "")))
    return fail("database_refused", facts);
  if (/does not support SSL/i.test(cause.message))
    return fail("database_tls", { problem: "the server does not speak TLS" });
  if (!(cause instanceof pg.DatabaseError) && code !== undefined && certificate.test(code))
    return fail("database_tls", { problem: code });
  return fail("database_unreachable", facts);
}
