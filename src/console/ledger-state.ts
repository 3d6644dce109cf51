import type { Database } from "../postgres/database.ts";
import { hasRecentHeartbeat, isWaiting } from "../ledger/worker-counts.ts";
import { sql } from "../postgres/sql.ts";

/**
 * A text that changes when something happens in the ledger: a request, a run, an incident or its text, an action, a worker, a worker whose
 * heartbeat becomes too old, a slice that begins, ends or is deferred. One statement that reads the ends of a few indexes, the slices that
 * run, and counters of the server: how many rows of slices were ever written. A process adds its count at the end of a transaction, or a
 * moment later if it has just added one.
 */
export async function readLedgerState(db: Database): Promise<string> {
  const { rows } = await sql<{ state: string }>`
    select concat_ws(' ', (select max(request_id) from ops.request_log), (select max(run_id) from ops.run_log),
                     (select max(ended_at) from ops.run_log), (select max(incident_id) from ops.incident_log),
                     -- its text follows what is wrong: how many slices wait, which datasets are late by now
                     (select sum(hashtextextended(summary, incident_id)) from ops.incident_log where is_open), (select max(audit_id) from ops.audit_log),
                     (select count(*) from ops.worker_status where is_running),
                     -- one that is frozen changes nothing
                     (select count(*) from ops.worker_status as w where is_running and not ${hasRecentHeartbeat}),
                     (select count(*) from ops.worker_status as w where ${isWaiting}),
                     (select sum(hashint8extended(slice_id, attempt)) from ops.slice_log where state = 'running'),
                     (select n_tup_ins + n_tup_upd + n_tup_del from pg_catalog.pg_stat_user_tables
                      where  relid = to_regclass('ops.slice'))) as state`.execute(db);
  return rows[0]?.state ?? "";
}
