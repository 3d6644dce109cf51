import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { databaseUrl } from "../setup/template-database.ts";
import type { OwnPostgres } from "./own-postgres.ts";

/** A database whose disk can be filled and freed. */
export type SmallDisk = AsyncDisposable & {
  readonly url: string;
  readonly fill: () => Promise<void>;
  readonly free: () => Promise<void>;
};

/** Enough for a migrated database and a small market. */
const diskMib = 160;

/** Makes a migrated database on a disk of its own, a small file system in memory; where this process may mount none, the table of answers raises what a full disk does. */
export async function smallDisk(server: OwnPostgres): Promise<SmallDisk> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-disk-"));
  opened.defer(() => rmSync(folder, { recursive: true }));
  const plain = await server.migrated();
  if (!mounts(folder)) {
    const run = (text: string) => onServer(plain, [text]);
    return { url: plain, fill: () => run(refuseRows), free: () => run(acceptRows), ...disposeWith(opened.move()) };
  }
  opened.defer(() => void execFileSync("umount", ["--lazy", folder]));
  const { uid, gid } = statSync(server.data);
  chownSync(folder, uid, gid);
  await onServer(plain, [
    `create tablespace small location '${folder}'`,
    `create database small tablespace small template ${new URL(plain).pathname.slice(1)} strategy file_copy`,
  ]);
  const filler = path.join(folder, "filler");
  return {
    url: databaseUrl(plain, "small"),
    fill: async () => fillUp(filler),
    free: async () => rmSync(filler),
    ...disposeWith(opened.move()),
  };
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
