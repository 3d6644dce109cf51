import { sql } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { pendingMigrations } from "../postgres/pending-migrations.ts";
import type { Database } from "../postgres/database.ts";
import { ill, well, type Diagnosis } from "./diagnosis.ts";

const newestKnown = 18;

/** Whether the server can be worked with: its version, and whether it takes writes and every character. */
export async function checkServer(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{
    version: string;
    major: number;
    encoding: string;
    isStandby: boolean;
    isReadOnly: boolean;
  }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
           current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby",
           current_setting('default_transaction_read_only') = 'on' as "isReadOnly"`.execute(db);
  const { version, major, encoding, isStandby, isReadOnly } = rows[0] ?? {
    version: "",
    major: 0,
    encoding: "",
    isStandby: false,
    isReadOnly: false,
  };
  const found = `Postgres ${version} answers`;
  if (isStandby)
    return ill("database", "fail", `${found}, as a standby that takes no writes`, "let DATABASE_URL name the primary");
  if (isReadOnly)
    return ill("database", "fail", `${found}, for reading only`, "let DATABASE_URL name a user who may write");
  if (encoding !== "UTF8")
    return ill(
      "database",
      "fail",
      `${found}, in a database of encoding ${encoding}`,
      "use a database made with encoding UTF8",
    );
  if (major > newestKnown)
    return ill(
      "database",
      "warn",
      `${found}, newer than the ${newestKnown} that is tested`,
      "go on, and report what breaks",
    );
  return well("database", found);
}

/** Which migrations are pending. None is run. */
export async function checkMigrations(db: Database): Promise<Diagnosis> {
  const { missing, unknown } = await pendingMigrations(db);
  if (unknown.length > 0)
    return ill(
      "migrations",
      "fail",
      `the database is ahead of this program: it has ${unknown.join(", ")}`,
      "update Storehouse to the version that migrated the database",
    );
  if (missing.length === 0) return well("migrations", "none is pending");
  return ill(
    "migrations",
    "warn",
    `${missing.length} pending, from ${missing[0] ?? ""} to ${missing.at(-1) ?? ""}`,
    "`storehouse migrate` runs them, and so does the next command that needs the database",
  );
}

/** How large the database is. Its server does not tell how much room is left. */
export async function checkSize(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{ size: string; mib: number }>`
    select pg_size_pretty(pg_database_size(current_database())) as size, (pg_database_size(current_database()) / 1048576)::int as mib`.execute(
    db,
  );
  return well("database size", rows[0]?.size ?? "");
}

/** Beyond this clocks are worth a look, and beyond that holds and leases go wrong. In ms. */
const skewNoticed = 5_000;
const skewHarmful = 60_000;

/** Compares this machine's clock with another's that was read in between. `precisionMs`: it was told in steps of so much. */
export function checkSkew(
  whose: string,
  told: { readonly askedAt: number; readonly answeredAt: number; readonly time: number; readonly precisionMs: number },
): Diagnosis {
  const check = `clock of ${whose}`;
  const here = (told.askedAt + told.answeredAt) / 2;
  // what the way there and back and the steps of the other clock may explain is no skew
  const unsure = (told.answeredAt - told.askedAt) / 2 + told.precisionMs;
  const skew = told.time + told.precisionMs / 2 - here;
  const sure = Math.max(0, Math.abs(skew) - unsure);
  const found = `${Math.round(Math.abs(skew) / 100) / 10} s ${skew < 0 ? "behind" : "ahead of"} this machine`;
  if (sure > skewHarmful) return ill(check, "fail", found, "set both clocks by a time server (NTP)");
  if (sure > skewNoticed) return ill(check, "warn", found, "set both clocks by a time server (NTP)");
  return well(check, `agrees with this machine's to ${Math.max(1, Math.ceil((Math.abs(skew) + unsure) / 1000))} s`);
}

/** Compares clocks with the database. */
export async function checkDatabaseClock(db: Database, clock: Clock): Promise<Diagnosis> {
  // the first query may open the connection
  await sql`select 1`.execute(db);
  const askedAt = clock.now();
  const { rows } = await sql<{
    ms: number;
  }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
  return checkSkew("the database", { askedAt, answeredAt: clock.now(), time: rows[0]?.ms ?? 0, precisionMs: 0 });
}
