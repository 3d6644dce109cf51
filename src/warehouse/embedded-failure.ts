import { open, stat } from "node:fs/promises";
import { fail, StorehouseError } from "../core/errors.ts";

/** Runs `work`; what it throws becomes `embedded_postgres` with the log named and what the server wrote meanwhile. */
export async function explained<T>(log: string, work: () => Promise<T>): Promise<T> {
  const from = await stat(log).then(
    ({ size }) => size,
    () => 0,
  );
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StorehouseError) throw cause;
    throw fail("embedded_postgres", { log, last_line: await complaint(log, from), reason: reasonOf(cause) }, cause);
  }
}

/** The message of anything thrown. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The last line since `from` that names an error, or the last one of all. */
async function complaint(log: string, from: number): Promise<string | undefined> {
  try {
    await using file = await open(log);
    const chunks: string[] = await file.createReadStream({ start: from, encoding: "utf8" }).toArray();
    const lines = chunks
      .join("")
      .split("\n")
      .filter((line) => line.trim() !== "");
    return lines.findLast((line) => /FATAL|PANIC|error:|error while/.test(line)) ?? lines.at(-1);
  } catch {
    // a log that cannot be read must not hide the error itself
    return undefined;
  }
}
