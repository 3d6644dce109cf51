import { hostname } from "node:os";
import { sql } from "../postgres/sql.ts";
import { pendingMigrations } from "../postgres/pending-migrations.ts";
import type { Database } from "../postgres/database.ts";
import { lackingRights } from "../postgres/lacking-rights.ts";
import { grantsAgain, lackingInWords } from "../doctor/rights-check.ts";
import { within } from "./cached-read.ts";
import type { WatchedState } from "./worker-state.ts";

/** One thing that must be well for a worker to be ready. */
type ReadyCheck = {
  readonly check: "database" | "migrations" | "rights" | "heartbeat" | "token";
  readonly ok: boolean;
  /** What was found, in words. */
  readonly found: string;
  /** What to do next; null when it is well. */
  readonly next: string | null;
};

/** Whether a worker can work. */
export type Readiness = { readonly ready: boolean; readonly checks: readonly ReadyCheck[] };

/** What readiness is told from. */
export type ReadyParts = { readonly db: () => Database | null; readonly state: () => WatchedState | null };

/** An answer comes within about three times that, whatever the database does. */
const patienceMs = 2_000;
/** A worker says every ten seconds that it lives. */
const freshSeconds = 60;

/** Whether the database answers in time; null is one that is not open yet. */
export async function isUp(db: Database | null): Promise<boolean> {
  return db !== null && (await within(sql`select 1`.execute(db), patienceMs)) !== null;
}

/** Looks at everything that must be well; what cannot be seen without a database is not well. */
export async function readReadiness({ db, state }: ReadyParts): Promise<Readiness> {
  const open = db();
  const up = (await isUp(open)) ? open : null;
  const checks = [
    databaseCheck(up !== null),
    await migrationsCheck(up),
    await rightsCheck(up),
    await heartbeatCheck(up),
    tokenCheck(state()),
  ];
  return { ready: checks.every(({ ok }) => ok), checks };
}

const away = { ok: false, found: "not known: the database does not answer", next: "see the database first" } as const;

function databaseCheck(up: boolean): ReadyCheck {
  return up
    ? { check: "database", ok: true, found: "Postgres answers", next: null }
    : {
        check: "database",
        ok: false,
        found: `Postgres did not answer within ${patienceMs / 1000} s`,
        next: "check DATABASE_URL and that the server runs; the worker goes on by itself when it is back",
      };
}

async function migrationsCheck(db: Database | null): Promise<ReadyCheck> {
  const pending = db !== null ? await within(pendingMigrations(db), patienceMs) : null;
  if (pending === null) return { check: "migrations", ...away };
  const { missing, unknown } = pending;
  if (missing.length > 0)
    return {
      check: "migrations",
      ok: false,
      found: `${missing.length} pending, ${missing[0]} first`,
      next: "run `storehouse migrate`",
    };
  if (unknown.length > 0)
    return {
      check: "migrations",
      ok: false,
      found: `the database is ahead of this program: ${unknown[0]} is not known`,
      next: "update Storehouse to the version that migrated the database",
    };
  return { check: "migrations", ok: true, found: "none is pending", next: null };
}

/** A role that an older program gave its rights may lack one that this program needs. */
async function rightsCheck(db: Database | null): Promise<ReadyCheck> {
  const found = db !== null ? await within(lackingRights(db), patienceMs) : null;
  if (found === null) return { check: "rights", ...away };
  const { me, lacking } = found;
  return lacking.length === 0
    ? { check: "rights", ok: true, found: `${me} may load`, next: null }
    : { check: "rights", ok: false, found: `${me} lacks ${lackingInWords(lacking)}`, next: grantsAgain(me) };
}

async function heartbeatCheck(db: Database | null): Promise<ReadyCheck> {
  const read = async (open: Database) => {
    const { rows } = await sql<{ age: number }>`
      select extract(epoch from now() - heartbeat_at)::float8 as age
      from   ops.worker
      where  kind = 'worker' and host = ${hostname()} and pid = ${process.pid} and stopped_at is null
      order  by worker_id desc
      limit  1`.execute(open);
    return { age: rows[0]?.age ?? null };
  };
  const beat = db !== null ? await within(read(db), patienceMs) : null;
  if (beat === null) return { check: "heartbeat", ...away };
  if (beat.age === null)
    return {
      check: "heartbeat",
      ok: false,
      found: "this worker is not in ops.worker",
      next: "wait while it starts; if this stays, see its log",
    };
  const found = `heard of ${Math.max(0, Math.round(beat.age))} s ago`;
  return beat.age <= freshSeconds
    ? { check: "heartbeat", ok: true, found, next: null }
    : { check: "heartbeat", ok: false, found, next: "see the worker's log, and restart it if this stays" };
}

function tokenCheck(state: WatchedState | null): ReadyCheck {
  const is = state?.is ?? "starting";
  if (is === "running") return { check: "token", ok: true, found: "the API took the token", next: null };
  if (state?.error != null && is !== "stopping")
    return {
      check: "token",
      ok: false,
      found: `${is}: ${state.error.message}`,
      next: "`storehouse doctor` tries the token and says what to do",
    };
  return {
    check: "token",
    ok: false,
    found: `the worker is ${is}`,
    next: is === "stopping" ? "nothing: it is on its way out" : "wait until the API has told the balance",
  };
}
