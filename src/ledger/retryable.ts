import { sql } from "../postgres/sql.ts";

/**
 * SQL, of `ops.slice_status as s`: true for a failed slice that a retry finds (see `reopen`), and whose cells no newer one has or is about
 * to request.
 */
export const isRetryable = sql<boolean>`case when s.state <> 'failed' then false when s.effective_state <> 'failed' then false
                else exists (select from ops.failed_slice as x
                             where  x.slice_id = s.slice_id
                             and    not exists (select from ops.slice_log as n
                                                where  hashtextextended(n.scope::text, 0) = hashtextextended(x.scope::text, 0) and n.scope = x.scope
                                                and    n.dataset = x.dataset and n.batch_id is not distinct from x.batch_id and n.slice_id > x.slice_id
                                                and    n.state = 'failed'
                                                and    (s.class = 'snapshot' or n.window_start = x.window_start and n.window_end = x.window_end))) end`;
