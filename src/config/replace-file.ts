import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fail, causeCode } from "../core/errors.ts";

/** Why this process may not replace a file that exists, in words; null where it may. */
export function whyFixed(file: string): string | null {
  try {
    const target = realpathSync(file);
    for (const place of [target, path.dirname(target)]) accessSync(place, constants.W_OK);
    // what takes its place would be this process's own, and perhaps none that its owner can read
    return process.getuid === undefined || statSync(target).uid === process.getuid()
      ? null
      : "it belongs to another user of the machine";
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return error.code === "ENOENT" ? "it does not exist" : "this process may only read it";
  }
}

/**
 * Writes a file as a whole or not at all: beside it first, then in its place. A link stays, and the file that it leads to is written.
 * `check` reads the new file before it counts; what it throws leaves the old one. `mode` is that of the file, by default the one that it
 * has; root leaves it to its owner. Throws `unwritable_file`.
 */
export function replaceFile(
  file: string,
  text: string,
  { mode, check = () => undefined }: { readonly mode?: number; readonly check?: (file: string) => void } = {},
): void {
  const isThere = existsSync(file);
  const target = isThere ? realpathSync(file) : file;
  const beside = `${target}.new`;
  try {
    const given = mode ?? (isThere ? statSync(file).mode & 0o777 : 0o644);
    rmSync(beside, { force: true });
    writeFileSync(beside, text, { mode: given, flag: "wx" });
    // the user of a service could not read its settings any more
    if (isThere && process.getuid?.() === 0) chownSync(beside, statSync(target).uid, statSync(target).gid);
    check(beside);
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw fail("unwritable_file", { file, cause: causeCode(error) }, error);
  }
}
