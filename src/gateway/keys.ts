import { createHash, randomBytes } from "node:crypto";
import { instant, sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";

/** The prefix of a key, so that a person or a scanner recognises a leaked one. */
const prefix = "shg_";

/** Creates a key for a caller, which replaces its present one, and returns it: it is stored nowhere and cannot be shown again. */
export async function makeKey(db: Database, caller: string, now: number): Promise<string> {
  const key = `${prefix}${randomBytes(32).toString("base64url")}`;
  await sql`
    insert into ops.gateway_key (caller, key_digest, made_at)
    values (${caller}, ${digestOf(key)}, ${instant(now)})
    on conflict (caller) do update set key_digest = excluded.key_digest, made_at = excluded.made_at`.execute(db);
  return key;
}

/** Removes the key of a caller; false if it has none. */
export async function dropKey(db: Database, caller: string): Promise<boolean> {
  const { rows } = await sql`delete from ops.gateway_key where caller = ${caller} returning 1`.execute(db);
  return rows.length > 0;
}

/** The caller with this key; null for an unknown key. */
export async function holderOf(db: Database, key: string): Promise<string | null> {
  const { rows } = await sql<{ caller: string }>`
    select caller from ops.gateway_key where key_digest = ${digestOf(key)}`.execute(db);
  return rows[0]?.caller ?? null;
}

/** The callers that have a key. */
export async function keyHolders(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ caller: string }>`select caller from ops.gateway_key order by caller`.execute(db);
  return rows.map(({ caller }) => caller);
}

/** A key is found by its digest only: with 256 random bits, the time of the comparison reveals nothing. */
function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
