import type { Clock } from "../core/clock.ts";
import { durationText } from "../core/words.ts";
import { lateSeconds } from "../ledger/worker-counts.ts";
import { readDatabaseClock, skewHarmfulMs, skewOf } from "../postgres/clock-skew.ts";
import { sql } from "../postgres/sql.ts";
import { pendingMigrations } from "../postgres/pending-migrations.ts";
import type { Database } from "../postgres/database.ts";
import { lackingRights, lackingRightsFix, lackingRightsText } from "../postgres/lacking-rights.ts";
import { within } from "./cached-read.ts";
import type { WorkerState } from "./worker-state.ts";

/** One condition of a worker's readiness. */
type ReadyCheck = {
  readonly check: "database" | "migrations" | "rights" | "clock" | "heartbeat" | "token";
  readonly ok: boolean;
  /** What the check found, as a sentence. */
  readonly found: string;
  /** What to do next; null when the check passed. */
  readonly next: string | null;
};

function passed(check: ReadyCheck["check"], found: string): ReadyCheck {
  return { check, ok: true, found, next: null };
}

function failed(check: ReadyCheck["check"], found: string, next: string): ReadyCheck {
  return { check, ok: false, found, next };
}

/** Without a database. */
function unknown(check: ReadyCheck["check"]): ReadyCheck {
  return failed(check, "unknown: the database does not respond", "see the check database first");
}

/** Whether a worker can work, check by check. */
export type Readiness = { readonly ready: boolean; readonly checks: readonly ReadyCheck[] };

/** What the checks read. */
export type ReadyParts = {
  readonly db: () => Database | null;
  readonly state: () => WorkerState | null;
  readonly clock: Pick<Clock, "now">;
};

/** Limit of one query: `/readyz` answers within about three times that, even without a database. */
const timeoutMs = 2_000;

/** Whether the database responds in time; null means that it is not open yet. */
export async function isUp(db: Database | null): Promise<boolean> {
  return db !== null && (await within(sql`select 1`.execute(db), timeoutMs)) !== null;
}

/** Runs all checks; without a database those that need it fail. */
export async function readReadiness({ db, state, clock }: ReadyParts): Promise<Readiness> {
  const open = db();
  const up = (await isUp(open)) ? open : null;
  const checks = [
    databaseCheck(up !== null, state()),
    await migrationsCheck(up),
    await rightsCheck(up),
    await clockCheck(up, clock),
    await heartbeatCheck(up, state()),
    tokenCheck(state()),
  ];
  return { ready: checks.every(({ ok }) => ok), checks };
}

/** A worker that waits for its database knows why: a full disk, no connection left. */
function databaseCheck(up: boolean, state: WorkerState | null): ReadyCheck {
  const continues = "the worker continues automatically when it responds";
  if (state?.is === "database_unavailable" && state.error !== null)
    return failed("database", state.error.message, continues);
  return up
    ? passed("database", "Postgres responds")
    : failed(
        "database",
        `Postgres did not respond within ${timeoutMs / 1000} s`,
        `check DATABASE_URL and that the server runs; ${continues}`,
      );
}

async function migrationsCheck(db: Database | null): Promise<ReadyCheck> {
  const pending = db !== null ? await within(pendingMigrations(db), timeoutMs) : null;
  if (pending === null) return unknown("migrations");
  const { missing, unknown: newer } = pending;
  if (missing.length > 0)
    return failed("migrations", `${missing.length} pending, ${missing[0]} first`, "run `storehouse migrate`");
  if (newer.length > 0)
    return failed(
      "migrations",
      `a newer Storehouse has migrated the database: ${newer[0]} is unknown here`,
      "update Storehouse to the version that migrated the database",
    );
  return passed("migrations", "none pending");
}

/** Rights that an older Storehouse granted may lack one that this version needs. */
async function rightsCheck(db: Database | null): Promise<ReadyCheck> {
  const found = db !== null ? await within(lackingRights(db), timeoutMs) : null;
  if (found === null) return unknown("rights");
  const { me, lacking } = found;
  return lacking.length === 0
    ? passed("rights", `${me} may load data`)
    : failed("rights", `${me} lacks ${lackingRightsText(lacking)}`, lackingRightsFix(me));
}

/** Holds and leases of a worker end by the clock of the database. */
async function clockCheck(db: Database | null, clock: ReadyParts["clock"]): Promise<ReadyCheck> {
  const reading = db !== null ? await within(readDatabaseClock(db, clock), timeoutMs) : null;
  if (reading === null) return unknown("clock");
  const { aheadMs, sureMs } = skewOf(reading);
  const found = `the clock of the database is ${durationText(Math.abs(aheadMs))} ${aheadMs < 0 ? "behind" : "ahead of"} this machine's`;
  return sureMs > skewHarmfulMs
    ? failed("clock", found, "synchronise both clocks with a time server (NTP)")
    : passed("clock", found);
}

/** Host and process id do not identify a worker: containers may share a host name, and each has a process 1. */
async function heartbeatCheck(db: Database | null, state: WorkerState | null): Promise<ReadyCheck> {
  const read = async (open: Database) => {
    const { rows } = await sql<{ age: number }>`
      select extract(epoch from now() - heartbeat_at)::float8 as age
      from   ops.worker
      where  worker_id = ${state?.workerId ?? null} and stopped_at is null`.execute(open);
    return { age: rows[0]?.age ?? null };
  };
  const beat = db !== null ? await within(read(db), timeoutMs) : null;
  if (beat === null) return unknown("heartbeat");
  if (beat.age === null)
    return failed(
      "heartbeat",
      "this worker is not registered in ops.worker",
      "wait while it starts; if this continues, see its log",
    );
  const found = `latest heartbeat ${Math.max(0, Math.round(beat.age))} s ago`;
  return beat.age <= lateSeconds
    ? passed("heartbeat", found)
    : failed("heartbeat", found, "see the worker's log, and restart it if this continues");
}

function tokenCheck(state: WorkerState | null): ReadyCheck {
  const is = state?.is ?? "starting";
  if (is === "running") return passed("token", "the API accepts the token");
  if (is === "database_unavailable") return unknown("token");
  if (state?.error != null && is !== "stopping")
    return failed(
      "token",
      `${is}: ${state.error.message}`,
      "run `storehouse doctor`: it tests the token and says what to do",
    );
  return failed(
    "token",
    `the worker is ${is}`,
    is === "stopping" ? "nothing to do: it is stopping" : "wait until the first balance check is done",
  );
}
