import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { databaseUrl } from "../setup/template-database.ts";
import type { OwnPostgres } from "./own-postgres.ts";

/** A migrated database whose disk can be filled and freed. */
export type SmallDisk = AsyncDisposable & {
  readonly url: string;
  /** Makes another one on the same disk. */
  readonly migrated: (name: string) => Promise<string>;
  readonly fill: () => Promise<void>;
  readonly free: () => Promise<void>;
};

/** Enough for two migrated databases and a small market. */
const diskMib = 160;

/**
 * Makes a migrated database on a disk of its own, a small file system in memory; where this process may mount none, the tables of answers
 * raise what a full disk does.
 */
export async function smallDisk(server: OwnPostgres): Promise<SmallDisk> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-disk-"));
  opened.defer(() => rmSync(folder, { recursive: true }));
  const template = await server.migrated();
  const tablespace = mounts(folder) ? "small" : "pg_default";
  const urls: string[] = [];
  const migrated = async (name: string) => {
    const of = new URL(template).pathname.slice(1);
    await onServer(databaseUrl(template, "postgres"), [
      `create database ${name} template ${of} tablespace ${tablespace} strategy file_copy`,
    ]);
    const url = databaseUrl(template, name);
    urls.push(url);
    return url;
  };
  if (tablespace === "small") {
    opened.defer(() => void execFileSync("umount", ["--lazy", folder]));
    const { uid, gid } = statSync(server.data);
    chownSync(folder, uid, gid);
    await onServer(template, [`create tablespace small location '${folder}'`]);
  }
  const filler = path.join(folder, "filler");
  const onEach = async (statement: string) => {
    for (const url of urls) await onServer(url, [statement]);
  };
  const steps =
    tablespace === "small"
      ? { fill: async () => fillUp(filler), free: async () => rmSync(filler) }
      : { fill: () => onEach(refuseRows), free: () => onEach(acceptRows) };
  return { url: await migrated("small"), migrated, ...steps, ...disposeWith(opened.move()) };
}

function disposeWith(stack: AsyncDisposableStack): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function mounts(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMib}m`, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Writes until not a page is left. */
function fillUp(file: string): void {
  for (const size of [2 ** 20, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
}

const refuseRows = `
  create or replace function public.refuse() returns trigger language plpgsql as
  $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
  create trigger full_disk before insert on raw.answer execute function public.refuse()`;
const acceptRows = "drop trigger full_disk on raw.answer";

async function onServer(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
