import type { Database } from "../postgres/database.ts";
import { lateSeconds } from "../ledger/worker-counts.ts";
import { sql } from "../postgres/sql.ts";

/**
 * A text that differs once something has happened in the ledger: a request, a run, an incident or what it says, an action, a worker, one of
 * them without a recent heartbeat, a slice that is begun, ends or is deferred. One statement that reads the ends of a few indexes, the slices
 * that run, and counters of the server: how many rows of slices were ever written. A process adds its count at the end of a
 * transaction, and a moment later where it has just done so.
 */
export async function readLedgerState(db: Database): Promise<string> {
  const { rows } = await sql<{ state: string }>`
    select concat_ws(' ', (select max(request_id) from ops.request_log), (select max(run_id) from ops.run_log),
                     (select max(ended_at) from ops.run_log), (select max(incident_id) from ops.incident_log),
                     -- its text follows what is wrong: how many slices wait, which datasets are late by now
                     (select sum(hashtextextended(summary, incident_id)) from ops.incident_log where is_open), (select max(audit_id) from ops.audit_log),
                     (select count(*) from ops.worker_status where is_running),
                     -- one that is frozen changes nothing
                     (select count(*) from ops.worker_status
                      where  is_running and heartbeat_at < clock_timestamp() - make_interval(secs => ${lateSeconds})),
                     (select sum(hashint8extended(slice_id, attempt)) from ops.slice_log where state = 'running'),
                     (select n_tup_ins + n_tup_upd + n_tup_del from pg_catalog.pg_stat_user_tables
                      where  relid = to_regclass('ops.slice'))) as state`.execute(db);
  return rows[0]?.state ?? "";
}
