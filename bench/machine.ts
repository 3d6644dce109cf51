import { availableParallelism, cpus, totalmem } from "node:os";

/** The machine in a few words: figures mean little without this. */
export function machineOf(postgresVersion: string): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${availableParallelism()} cores (${model}), ${memory}, Node ${process.version}, Postgres ${postgresVersion}, ${process.platform}`;
}
