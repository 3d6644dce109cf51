import { readFileSync } from "node:fs";
import { fail, causeCode } from "../core/errors.ts";

/** The text of a file, null when there is none. Throws a UsageError that names a file that cannot be read. */
export function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const code = causeCode(cause);
    if (code === "ENOENT") return null;
    throw fail("unreadable_file", { file, cause: code }, cause);
  }
}
