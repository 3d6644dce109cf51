import { sql } from "../postgres/sql.ts";
import { unchargedCodes } from "../core/errors.ts";

/** SQL: the credits that requests (`ops.request as q`) were charged, 0 if there are none. */
export const chargedCredits = sql<number>`coalesce(sum(q.cost), 0)::float8`;

/** SQL: true for a request (`ops.request as q`) without a reply that may have been charged anyway. */
export const mayHaveBeenCharged = sql<boolean>`(q.status is null and q.error_code <> all (${unchargedCodes}::text[]))`;

/** SQL: true for a request (`ops.request as q`) that was sent for an account, with any token that it has or had. */
export function wasSentFor(account: string): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`q.account_id in (select c.account_id from ops.credit_account as c where c.account = ${account})`;
}
