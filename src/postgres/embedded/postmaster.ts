import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { runTool } from "./data-directory.ts";
import type { EmbeddedPlace } from "./place.ts";

/** Modest enough for a laptop, large enough for a backfill of some million rows. */
const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  timezone: "UTC",
  log_timezone: "UTC",
  shared_buffers: "256MB",
  max_wal_size: "1GB",
  log_checkpoints: "off",
};

/** For disposable data: a crash of the machine may destroy it. */
const fragile = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/** Five minutes: recovery after a crash replays up to max_wal_size before the server answers. */
const startSeconds = "300";
const stopSeconds = "60";

/** What postmaster.pid says about a running server; no port while it is starting. */
export type Postmaster = { readonly pid: number; readonly port: number | undefined };

/** The server that runs on the place's data, if any. A postmaster.pid whose pid belongs to another program is removed. */
export async function findPostmaster(place: EmbeddedPlace): Promise<Postmaster | undefined> {
  const path = join(place.data, "postmaster.pid");
  const text = await readFile(path, "utf8").catch(() => "");
  const [pid, data, , port] = text.split("\n");
  if (pid === undefined || data === undefined || !isAlive(Number(pid))) return undefined;
  const command = await commandLine(Number(pid));
  if (command === undefined || command.includes(data)) {
    return { pid: Number(pid), port: port === undefined || port === "" ? undefined : Number(port) };
  }
  // pids are reused after a crash of the machine, in containers at once; Postgres would then never start again
  await rm(path);
  return undefined;
}

/** Starts the server as a daemon on a free port and returns that port once it answers. Call under the lock. */
export async function startPostmaster(place: EmbeddedPlace, durable: boolean): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(await lastPort(place));
    const options = Object.entries({ ...settings, ...(durable ? {} : fragile), port });
    const line = options.map(([name, value]) => `-c ${name}=${value}`).join(" ");
    const args = ["start", "-w", "-t", startSeconds, "-D", place.data, "-l", place.log, "-o", line];
    if (await runTool(place, "pg_ctl", args)) return port;
    const taken = (await listenOnce(port)) === undefined;
    if (!taken || attempt === 5) throw new Error("the server did not start");
  }
}

/** Stops the server and waits for its end. Call under the lock. */
export async function stopPostmaster(place: EmbeddedPlace): Promise<void> {
  const stopped = await runTool(place, "pg_ctl", ["stop", "-m", "fast", "-w", "-t", stopSeconds, "-D", place.data]);
  if (!stopped) throw new Error("the server did not stop");
}

/** The port of the last run if it is free, so that saved connections of BI tools stay valid. */
async function freePort(preferred: number): Promise<number> {
  const port = (await listenOnce(preferred)) ?? (await listenOnce(0));
  if (port === undefined) throw new Error("no port is free on 127.0.0.1");
  return port;
}

async function lastPort(place: EmbeddedPlace): Promise<number> {
  const options = await readFile(join(place.data, "postmaster.opts"), "utf8").catch(() => "");
  return Number(/port=(\d+)/.exec(options)?.[1] ?? 0);
}

/** Takes a port for a moment and returns its number; undefined if another process has it. */
async function listenOnce(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch {
    return undefined;
  }
  const address = server.address();
  await once(server.close(), "close");
  return typeof address === "object" ? address?.port : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A process's command line; undefined if the system does not report it. */
async function commandLine(pid: number): Promise<string | undefined> {
  const viaProc = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  if (viaProc !== undefined) return viaProc;
  const viaPs = promisify(execFile)("ps", ["-ww", "-o", "args=", "-p", String(pid)], {
    env: { PATH: "/usr/bin:/bin" },
  });
  return viaPs.then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
