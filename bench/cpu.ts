import { readFile } from "node:fs/promises";
import type pg from "pg";

/** Processor time of the three sides of a run, in ms; that of Postgres is unknown (NaN) if the kernel has no /proc. */
export type Cpu = { readonly node: number; readonly postgres: number; readonly server: number };

/** The kernel's unit of processor time: a hundredth of a second, on every Linux that Node runs on. */
const tickMs = 10;

/** Processor time, in ms, that a Postgres server has used so far, including ended sessions. */
export async function postgresCpu(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const session = await statOf(rows[0]?.pid ?? 0);
  if (session === null) return Number.NaN;
  const postmaster = session.parent;
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, "utf8").catch(() => "");
  const pids = children.split(" ").filter((pid) => pid !== "");
  const living = await Promise.all(pids.map((pid) => statOf(Number(pid))));
  const own = await statOf(postmaster);
  return [own, ...living].reduce((sum, stat) => sum + (stat === null ? 0 : stat.ms + stat.endedMs), 0);
}

/** The parent of a process, its processor time, and that of its ended children. Null if there is no such process. */
async function statOf(pid: number): Promise<{ parent: number; ms: number; endedMs: number } | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // the name before it may contain spaces
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (place: number) => Number(fields[place]);
  if (fields.length < 15) return null;
  return { parent: field(1), ms: (field(11) + field(12)) * tickMs, endedMs: (field(13) + field(14)) * tickMs };
}

/** Processor time of this process, in ms, since an earlier reading. */
export function ownCpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
