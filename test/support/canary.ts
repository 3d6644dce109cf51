import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import type { Stage } from "./ingest-stage.ts";

/** No text encoding changes this part of a secret, so it is found in every form. */
export const canary = "Qx7canaryZ9w";

/** A token with every character that is written in more than one way. */
export const token = `k&1+/=%?#"\\'<é~${canary}:end`;
const base64 = Buffer.from(token).toString("base64").slice(4, 24);

/** Whether something of a secret stands in a text or a value. */
export function givenAway(value: unknown): boolean {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.includes(canary) || text.includes(base64);
}

const unpack = promisify(zstdDecompress);

/** The tables of every schema, the queue's own and what the server shows of its sessions too, that hold anything of a secret, packed or not. */
export async function tablesWithCanary(stage: Pick<Stage, "query">): Promise<{ found: string[]; searched: number }> {
  const tables = await stage.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where  schemaname not in ('pg_catalog', 'information_schema')
     union  all select 'pg_catalog.pg_stat_activity' union all select 'pg_catalog.pg_db_role_setting' union all select 'pg_catalog.pg_proc'`,
  );
  const found: string[] = [];
  let searched = 0;
  for (const { name } of tables) {
    for (const row of await stage.query<Record<string, unknown>>(`select * from ${name}`)) {
      searched += 1;
      const bytes = Object.values(row).filter((value) => Buffer.isBuffer(value));
      const texts = await Promise.all(bytes.map(async (value) => String(await unpack(value).catch(() => value))));
      if ([row, ...texts].some(givenAway)) found.push(name);
    }
  }
  return { found, searched };
}
