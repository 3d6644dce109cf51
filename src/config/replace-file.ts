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

/** Why this process may not replace a file that exists, in words; null if it may. */
export function whyFixed(file: string): string | null {
  try {
    const target = realpathSync(file);
    for (const place of [target, path.dirname(target)]) accessSync(place, constants.W_OK);
    // the new file would belong to this process's user, and its owner might not be able to read it
    return process.getuid === undefined || statSync(target).uid === process.getuid()
      ? null
      : "it belongs to another user of the machine";
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    return error.code === "ENOENT" ? "it does not exist" : "this process may only read it";
  }
}

/**
 * Writes a file as a whole or not at all: first next to it, then moved into its place. A link stays, and its target is written. `check`
 * reads the new file before it is moved; if it throws, the old file stays. `mode` is the file's mode, by default the present one; run as
 * root, the file keeps its owner. Throws `unwritable_file`.
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
    // otherwise the user of a service could no longer read its settings
    if (isThere && process.getuid?.() === 0) chownSync(beside, statSync(target).uid, statSync(target).gid);
    check(beside);
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw fail("unwritable_file", { file, cause: causeCode(error) }, error);
  }
}
