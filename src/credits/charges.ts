import { type SqlFragment, sql } from "../postgres/sql.ts";
import { unchargedCodes } from "../core/errors.ts";

/** SQL: the credits that requests were charged, 0 where there are none. `request` is the name of `ops.request` in the statement. */
export function chargedCredits(request = "request"): SqlFragment<number> {
  return sql<number>`coalesce(sum(${sql.ref(`${request}.cost`)}), 0)::float8`;
}

/** SQL: true for a request without a reply that may have been charged all the same; `request` as above. */
export function mayHaveBeenCharged(request = "request"): SqlFragment<boolean> {
  const [status, code] = [sql.ref(`${request}.status`), sql.ref(`${request}.error_code`)];
  return sql<boolean>`(${status} is null and ${code} <> all (${unchargedCodes}::text[]))`;
}
