import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { until } from "./ingest-stage.ts";

/** The PgBouncer of this machine; null where there is none. */
export const pgbouncerPath: string | null =
  ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].find((file) => existsSync(file)) ?? null;

/** Why tests behind a pooler are left out, for the name of their group. */
export const leftOut = pgbouncerPath === null ? " (left out: there is no PgBouncer; `apt-get install pgbouncer`)" : "";

/** PgBouncer refuses to run as root. */
const nobody = 65_534;

/** Whether a server takes connections on a socket of the file system. */
async function isListening(file: string): Promise<boolean> {
  const socket = connect(file);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Starts one before the server of `databaseUrl`, on a socket in a folder of its own; `lines` are further lines of its configuration. */
export async function startPgbouncer(
  databaseUrl: string,
  lines: readonly string[],
): Promise<{ readonly url: string } & AsyncDisposable> {
  const { username, password, hostname, port, pathname } = new URL(databaseUrl);
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-pooler-"));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    if (user.uid !== undefined) chownSync(path.join(folder, name), user.uid, user.gid);
    return path.join(folder, name);
  };
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const logins = write("logins.txt", `"${username}" "${decodeURIComponent(password)}"\n`);
  const settings = [
    "[databases]",
    `* = host=${hostname} port=${port || "5432"}`,
    "[pgbouncer]",
    "listen_addr =",
    "listen_port = 6432",
    `unix_socket_dir = ${folder}`,
    "auth_type = trust",
    `auth_file = ${logins}`,
    "logfile =",
    ...lines,
  ];
  const file = write("pgbouncer.ini", `${settings.join("\n")}\n`);
  const child = spawn(pgbouncerPath ?? "", [file], { stdio: "ignore", ...user });
  opened.defer(async () => {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGTERM")) await ended;
  });
  // the file of the socket is there before anybody listens on it
  await until(() => {
    if (child.exitCode !== null) throw new Error("PgBouncer did not start");
    return isListening(path.join(folder, ".s.PGSQL.6432"));
  });
  const stack = opened.move();
  return {
    url: `postgres://${username}:${password}@localhost${pathname}?host=${folder}&port=6432`,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
