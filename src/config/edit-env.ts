import { parseEnv } from "node:util";
import { fail } from "../core/errors.ts";

/**
 * The text of an `.env` with some variables changed: null empties one; other lines and comments stay. A variable that replaces its
 * NAME_FILE removes that line, since both together are refused.
 */
export function editedEnv(text: string, changes: Readonly<Record<string, string | null>>): string {
  let lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  for (const [name, value] of Object.entries(changes)) {
    const isOf = (line: string) => new RegExp(`^\\s*(export\\s+)?${name}(_FILE)?\\s*=`).test(line);
    const written = `${name}=${value === null ? "" : quoted(name, value)}`;
    const at = lines.findIndex(isOf);
    if (at === -1 && value !== null) lines.push(written);
    lines = lines.flatMap((line, index) => (index === at ? [written] : at !== -1 && isOf(line) ? [] : [line]));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** A value as Node reads it back unchanged. */
function quoted(name: string, value: string): string {
  const forms = [value, `'${value}'`, `"${value}"`, `\`${value}\``];
  const form = forms.find((one) => parseEnv(`A=${one}\n`)["A"] === value);
  if (form === undefined)
    throw fail("bad_setting", {
      variable: name,
      problem: "cannot be written into .env: it mixes quotes or contains line breaks",
    });
  return form;
}
