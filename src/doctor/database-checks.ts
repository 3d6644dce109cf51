import { fail } from "../core/errors.ts";
import { sql } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { countOf } from "../core/words.ts";
import { lackingRights, lackingRightsFix, lackingRightsText } from "../postgres/lacking-rights.ts";
import { foreseenFailure } from "../postgres/migrate.ts";
import { foreignThing, pendingMigrations } from "../postgres/pending-migrations.ts";
import { readDatabaseClock, skewHarmfulMs, skewOf, type ClockReading } from "../postgres/clock-skew.ts";
import type { Database } from "../postgres/database.ts";
import { failedWith, failure, pass, warn, type Diagnosis } from "./diagnosis.ts";
import { lockWaitNext, lockWaitText, readLockWait } from "../postgres/lock-waits.ts";

const newestKnown = 18;

/** Whether the server can be used: its version, and whether it accepts writes; its encoding is checked when it is opened. */
export async function checkServer(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{
    version: string;
    major: number;
    isStandby: boolean;
    isReadOnly: boolean;
  }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
           pg_is_in_recovery() as "isStandby",
           current_setting('default_transaction_read_only') = 'on' as "isReadOnly"`.execute(db);
  const { version, major, isStandby, isReadOnly } = rows[0] ?? {
    version: "",
    major: 0,
    isStandby: false,
    isReadOnly: false,
  };
  const found = `Postgres ${version} responds`;
  if (isStandby) return failure("database", `${found}, as a read-only standby`, "set DATABASE_URL to the primary");
  if (isReadOnly)
    return failure(
      "database",
      `${found}, in read-only mode`,
      "set DATABASE_URL to a user whose transactions may write",
    );
  if (major > newestKnown)
    return warn(
      "database",
      `${found}; ${newestKnown} is the newest tested version`,
      "you can continue; report problems",
    );
  return pass("database", found);
}

/** Whether the database user has the rights to load, or to migrate. */
export async function checkRights(db: Database): Promise<Diagnosis> {
  const { me, mayCreate, tables, foreign, lacking } = await lackingRights(db);
  if (tables === 0)
    return mayCreate
      ? pass("rights", `${me} may create schemas`)
      : failure(
          "rights",
          `${me} may not create schemas`,
          `\`grant create on database ... to ${me}\`, or migrate as the owner of the database`,
        );
  if (lacking.length > 0) return failure("rights", `${me} lacks ${lackingRightsText(lacking)}`, lackingRightsFix(me));
  return foreign > 0
    ? pass("rights", `${me} may load data; another role owns the schemas and runs migrations`)
    : pass("rights", `${me} owns the schemas`);
}

/**
 * Which migrations are pending, and whether they can run: not in a database with another program's tables, or with an object in their way.
 * None remains.
 */
export async function checkMigrations(db: Database): Promise<Diagnosis> {
  const taken = await foreignThing(db);
  if (taken !== null) return failedWith("migrations", fail("database_taken", { thing: taken }));
  const { missing, unknown, mayMigrate, hasAny } = await pendingMigrations(db);
  if (unknown.length > 0)
    return failure(
      "migrations",
      `a newer Storehouse has migrated the database: it has ${unknown.join(", ")}`,
      "update Storehouse to the version that migrated the database",
    );
  if (missing.length === 0) return pass("migrations", "none pending");
  const foreseen = mayMigrate && !hasAny ? await foreseenFailure(db) : null;
  if (foreseen !== null) return failedWith("migrations", foreseen);
  const [first = "", last = ""] = [missing[0], missing.at(-1)];
  const found = `${countOf(missing.length, "migration is", "migrations are")} pending: ${first === last ? first : `${first} to ${last}`}`;
  return mayMigrate
    ? warn("migrations", found, "run `storehouse migrate`; the next command that needs the database runs them too")
    : failure(
        "migrations",
        `${found}, which this role may not run`,
        fail("migrations_pending", { migration: missing[0] }).next,
      );
}

/** A larger difference is a warning. In ms. */
const skewWarnedMs = 5_000;

/** Compares this machine's clock with another one. */
export function checkSkew(whose: string, reading: ClockReading): Diagnosis {
  const check = `clock of ${whose}`;
  const { aheadMs, unsureMs, sureMs } = skewOf(reading);
  const found = `${Math.round(Math.abs(aheadMs) / 100) / 10} s ${aheadMs < 0 ? "behind" : "ahead of"} this machine`;
  if (sureMs > skewHarmfulMs) return failure(check, found, "synchronise both clocks with a time server (NTP)");
  if (sureMs > skewWarnedMs) return warn(check, found, "synchronise both clocks with a time server (NTP)");
  return pass(
    check,
    `agrees with this machine's to within ${Math.max(1, Math.ceil((Math.abs(aheadMs) + unsureMs) / 1000))} s`,
  );
}

/** Compares this machine's clock with the database's. */
export async function checkDatabaseClock(db: Database, clock: Clock): Promise<Diagnosis> {
  return checkSkew("the database", await readDatabaseClock(db, clock));
}

/** Whether a process of Storehouse has waited for a lock for longer than usual, and which session holds it. */
export async function checkLocks(db: Database): Promise<Diagnosis> {
  const wait = await readLockWait(db);
  if (wait === null) return pass("locks", "no process is waiting for one");
  return warn("locks", lockWaitText(wait), lockWaitNext(wait));
}
