import { readFileSync } from "node:fs";
import { fail, causeCode } from "../core/errors.ts";

/** The text of a file without the mark that some editors begin UTF-8 with, null when there is none. Throws a UsageError that names a file that cannot be read. */
export function readText(file: string): string | null {
  try {
    return withoutMark(readFileSync(file, "utf8"));
  } catch (cause) {
    const code = causeCode(cause);
    if (code === "ENOENT") return null;
    throw fail("unreadable_file", { file, cause: code }, cause);
  }
}

/** A text without its byte order mark: it would become part of the first name or of a token. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
