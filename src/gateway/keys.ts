import { createHash, randomBytes } from "node:crypto";
import { instant, sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";

/** What a key begins with, so that a person or a scanner knows one where it should not be. */
const prefix = "shg_";

/** Makes a key for a caller in place of the one that it has, and returns it: it is stored nowhere and cannot be shown again. */
export async function makeKey(db: Database, caller: string, now: number): Promise<string> {
  const key = `${prefix}${randomBytes(32).toString("base64url")}`;
  await sql`
    insert into ops.gateway_key (caller, key_digest, made_at)
    values (${caller}, ${digestOf(key)}, ${instant(now)})
    on conflict (caller) do update set key_digest = excluded.key_digest, made_at = excluded.made_at`.execute(db);
  return key;
}

/** Takes the key of a caller away; false where it has none. */
export async function dropKey(db: Database, caller: string): Promise<boolean> {
  const { rows } = await sql`delete from ops.gateway_key where caller = ${caller} returning 1`.execute(db);
  return rows.length > 0;
}

/** The caller whose key this is, null for a key of nobody. */
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

/** Found by its digest alone: of 256 random bits a comparison that takes longer reveals nothing. */
function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
