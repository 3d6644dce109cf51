import { sql } from "../postgres/sql.ts";
import { hasSameList } from "./same-scope.ts";

/**
 * SQL, on `ops.slice_status as s`: true for a failed slice that a retry finds (see `reopen`) and whose cells no newer slice has answered or
 * will request.
 */
export const isRetryable = sql<boolean>`case when s.state <> 'failed' then false when s.effective_state <> 'failed' then false
                else exists (select from ops.failed_slice as x
                             where  x.slice_id = s.slice_id
                             and    not exists (select from ops.slice_log as n
                                                where  ${hasSameList("n", "x")} and n.slice_id > x.slice_id and n.state = 'failed'
                                                and    n.window_start = x.window_start and n.window_end = x.window_end)) end`;
