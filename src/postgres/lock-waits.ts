import { sql, type Queryable, type SqlFragment } from "./sql.ts";

/** A lock that a session waits for: on which table (null for a row), for how long, and a session that holds it. */
export type LockWait = {
  readonly table: string | null;
  readonly wait_ms: number;
  readonly held_by: number;
  readonly role: string | null;
  readonly program: string | null;
};

/**
 * SQL: the longest wait for a lock among the sessions that meet `whose`, a condition on `pg_stat_activity as a`, as JSON; null if none is
 * longer than the limit. Waits for advisory locks do not count: our processes normally wait for one another.
 */
export function longestLockWait(longerThanMs: number, whose: SqlFragment): SqlFragment<LockWait | null> {
  return sql<LockWait | null>`(
    select json_build_object('table', w.name, 'wait_ms', w.ms, 'held_by', w.holder, 'role', b.usename, 'program', b.application_name)
    from   (select l.relation::regclass::text as name, (extract(epoch from clock_timestamp() - l.waitstart) * 1000)::integer as ms,
                   (pg_catalog.pg_blocking_pids(l.pid))[1] as holder
            from   pg_catalog.pg_locks as l
            join   pg_catalog.pg_stat_activity as a on a.pid = l.pid
            where  not l.granted and l.locktype <> 'advisory'
            and    l.waitstart < clock_timestamp() - ${longerThanMs}::double precision * interval '1 millisecond'
            and    ${whose} and a.datname = current_database()
            order  by l.waitstart
            limit  1) as w
    left   join pg_catalog.pg_stat_activity as b on b.pid = w.holder)`;
}

/** Our statements wait less than this for one another. */
const longMs = 5_000;

/** Reads the lock that a process of Storehouse has awaited the longest; null if none has waited longer than usual. */
export async function readLockWait(db: Queryable, longerThanMs = longMs): Promise<LockWait | null> {
  const ofAnyProcess = sql`a.application_name like 'storehouse %'`;
  const { rows } = await sql<{ wait: LockWait | null }>`
    select ${longestLockWait(longerThanMs, ofAnyProcess)} as wait`.execute(db);
  return rows[0]?.wait ?? null;
}

/** Who waits for what, and who has it. */
export function lockWaitText({ table, wait_ms: ms, held_by: holder, role, program }: LockWait): string {
  return `a process has waited for ${Math.round(ms / 1000)} s for ${table ?? "a row"}, locked by session ${holder} of ${role ?? "another role"} (${program ?? "unnamed"})`;
}

/** What to do about it. */
export function lockWaitNext({ held_by: holder }: LockWait): string {
  return `wait until it ends, or end it as its role or a superuser: \`select pg_terminate_backend(${holder})\``;
}
