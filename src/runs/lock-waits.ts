import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";

/** A lock that a session of this process waits for: on which table (null for a row), for how long, and a session that holds it. */
export type LockWait = {
  readonly table: string | null;
  readonly wait_ms: number;
  readonly held_by: number;
  readonly role: string | null;
  readonly program: string | null;
};

const ofThisProcess = sql`a.application_name = current_setting('application_name')`;

/**
 * SQL: the lock that sessions of this process, or those of which `whose` says so of `pg_stat_activity as a`, have awaited the longest, as
 * JSON; null where none has been for so long. Processes of ours await one another's advisory locks as a rule.
 */
export function longestLockWait(longerThanMs: number, whose = ofThisProcess): SqlFragment<LockWait | null> {
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

/** A wait that goes on is reported again after so long. */
const repeatMs = 300_000;

/** A function that logs who holds what this process waits for: once a holder, and again when it goes on. */
export function lockWaitReporter({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
  let reported = { holder: 0, at: 0 };
  return (wait: LockWait | null): void => {
    const now = clock.now();
    if (wait === null || (wait.held_by === reported.holder && now - reported.at < repeatMs)) return;
    reported = { holder: wait.held_by, at: now };
    log.warn(wait, "database.lock_awaited");
  };
}
