import { sql } from "../postgres/sql.ts";

/** SQL, of `ops.slice_status as s`: true for a failed slice that a retry finds, and whose cells no newer one has or is about to request. */
export const isRetryable = sql<boolean>`case when s.state <> 'failed' then false when s.effective_state <> 'failed' then false
                else exists (select from ops.failed_slice as x where x.slice_id = s.slice_id) end`;
