import { sql } from "kysely";

/** SQL: pages of an open slice (`ops.slice as s`) that an earlier attempt landed and that need not be asked for again. What was told of "now" may have to. */
const pagesLanded = sql`
  case when s.planned_requests > 1 and s.attempt > 0 and s.class <> 'snapshot'
       then (select count(distinct a.page) from raw.answer as a where a.slice_id = s.slice_id) else 0 end`;

/** SQL: requests that an open slice (`ops.slice as s`) is still expected to take. */
export const requestsLeft = sql`greatest(s.planned_requests - (${pagesLanded}), 0)`;

/** SQL: credits that an open slice (`ops.slice as s`) is still expected to cost, at the price of its plan. */
export const creditsLeft = sql`ceil(s.planned_credits * ${requestsLeft}::numeric / greatest(s.planned_requests, 1))`;

/** SQL: the same at the price that was learned since, where that is higher; needs `ops.credit_cost as c` of its operation. */
export const likelyCredits = sql`greatest(${creditsLeft}, ${requestsLeft} * coalesce(c.learned, 0))`;
