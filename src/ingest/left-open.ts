import { sql } from "kysely";
import { isAlive } from "../ledger/workers.ts";
import type { Database } from "../warehouse/database.ts";

/** Counts the open slices of processes that are gone and that a run did not take over, because its budget was too small. */
export async function leftOpen(db: Database, runId: string, datasets: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from   ops.slice as s
    join   ops.run   as r on r.run_id = s.run_id
    where  s.dataset = any (${[...datasets]}::text[]) and s.run_id <> ${runId} and s.state in ('pending', 'running', 'deferred')
    and    r.worker_id is not null and not ${isAlive(sql`r.worker_id`)}`.execute(db);
  return rows[0]?.count ?? 0;
}
