import { existsSync, readFileSync } from "node:fs";
import { LineCounter, parseDocument, type Document } from "yaml";
import { fail } from "../core/errors.ts";
import { Settings } from "./settings.ts";

/** Reads config/storehouse.yaml; a missing file means defaults. Throws a UsageError that names file, line and key. */
export function readSettings(file: string, datasets: readonly string[]): Settings {
  if (!existsSync(file)) return Settings.parse({});
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(file, "utf8"), { lineCounter: lines, prettyErrors: false });
  const broken = document.errors[0];
  if (broken !== undefined)
    throw fail("bad_config", { file, line: lines.linePos(broken.pos[0]).line, problem: broken.message });
  const result = Settings.safeParse(document.toJS() ?? {});
  if (!result.success) {
    const issue = result.error.issues[0];
    const path = [...(issue?.path ?? []), ...(issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [])];
    throw fail("bad_config", {
      file,
      line: lineOf(document, lines, path),
      key: path.join("."),
      problem: issue?.message,
    });
  }
  const unknown = Object.keys(result.data.datasets).find((name) => !datasets.includes(name));
  if (unknown !== undefined) {
    throw fail("bad_config", {
      file,
      line: lineOf(document, lines, ["datasets", unknown]),
      key: `datasets.${unknown}`,
      problem: "no dataset has this name",
    });
  }
  return result.data;
}

/** The line of the deepest part of a path that the file has. */
function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range))
      return lines.linePos(Number(node.range[0])).line;
  }
  return 1;
}
