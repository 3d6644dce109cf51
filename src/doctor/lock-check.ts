import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { longestLockWait, type LockWait } from "../runs/lock-waits.ts";
import { pass, warn, type Diagnosis } from "./diagnosis.ts";

/** Statements of ours wait for one another for less. */
const longMs = 5_000;

/** Whether a process of Storehouse has waited for a lock for longer than usual, and which session holds it. */
export async function checkLocks(db: Database, longerThanMs = longMs): Promise<Diagnosis> {
  const ofAnyProcess = sql`a.application_name like 'storehouse %'`;
  const { rows } = await sql<{ wait: LockWait | null }>`
    select ${longestLockWait(longerThanMs, ofAnyProcess)} as wait`.execute(db);
  const wait = rows[0]?.wait ?? null;
  if (wait === null) return pass("locks", "no process waits for one");
  const { table, wait_ms: ms, held_by: holder, role, program } = wait;
  return warn(
    "locks",
    `a process has waited for ${Math.round(ms / 1000)} s for ${table ?? "a row"}, locked by session ${holder} of ${role ?? "another role"} (${program ?? "unnamed"})`,
    `wait until it ends, or end it as its role or a superuser: \`select pg_terminate_backend(${holder})\``,
  );
}
