import { closeSync, openSync, readSync } from "node:fs";
import { fail } from "../core/errors.ts";
import { withoutMark } from "./read-text.ts";

/** Variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** No secret is longer: a larger file is the wrong file. */
const longest = 64 * 1024;

/**
 * The variables of all levels; an earlier level takes precedence. Each secret that has a NAME_FILE is read from its file, and `setBy` has
 * the variable that names the file. Throws a UsageError for a secret that one level sets twice, and for a file that cannot be read or is
 * empty.
 */
export function withSecretFiles(
  secrets: readonly string[],
  levels: readonly Variables[],
): { readonly given: Variables; readonly setBy: ReadonlyMap<string, string> } {
  const given: Record<string, string | undefined> = Object.assign({}, ...levels.toReversed());
  const setBy = new Map<string, string>();
  for (const name of secrets) {
    const inFile = `${name}_FILE`;
    const level = levels.find((one) => one[name] !== undefined || one[inFile] !== undefined);
    if (level?.[name] !== undefined && level[inFile] !== undefined)
      throw fail("bad_setting", { variable: `${name} and ${inFile}`, problem: "are both set: unset one" });
    given[name] = level?.[name];
    const file = level?.[inFile];
    if (file === undefined) continue;
    given[name] = readSecret(inFile, file);
    setBy.set(name, inFile);
  }
  return { given, setBy };
}

/** The content of the file, without the final line break. */
function readSecret(variable: string, file: string): string {
  const text = withoutMark(readSome(variable, file)).replace(/\r?\n$/, "");
  if (text === "") throw fail("bad_secret_file", { variable, problem: "is empty", file });
  return text;
}

function readSome(variable: string, file: string): string {
  try {
    // as a stream, so that a pipe from a shell or a container can be read too
    const descriptor = openSync(file, "r");
    try {
      const buffer = Buffer.alloc(longest + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length <= longest; length += read)
        read = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (length > longest) throw fail("bad_secret_file", { variable, problem: "is too large for a secret", file });
      return buffer.toString("utf8", 0, length);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "bad_secret_file" || typeof code !== "string") throw error;
    throw fail("bad_secret_file", { variable, problem: `cannot be read (${code})`, file });
  }
}
