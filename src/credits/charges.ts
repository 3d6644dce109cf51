import { sql } from "../postgres/sql.ts";
import { unchargedCodes } from "../core/errors.ts";

/** SQL: the credits that requests (`ops.request as q`) were charged, 0 if there are none. */
export const chargedCredits = sql<number>`coalesce(sum(q.cost), 0)::float8`;

/** SQL: true for a request (`ops.request as q`) without a reply that may have been charged anyway. */
export const mayHaveBeenCharged = sql<boolean>`(q.status is null and q.error_code <> all (${unchargedCodes}::text[]))`;
