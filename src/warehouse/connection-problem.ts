import pg from "pg";
import { fail } from "../core/errors.ts";
import { isMissingRight } from "./database-errors.ts";

/** Why a server lets somebody in or not: wrong password, no such role or database, no rule for the way there. */
const refusals = new Set(["28P01", "28000", "3D000", "42501"]);

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
