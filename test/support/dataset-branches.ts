import { codeOf, type Source } from "./imports.ts";

/** Code of a source that treats datasets differently by their names: comparisons, cases, and lists of nothing but names of datasets. */
export function datasetBranches(source: Source, names: readonly string[]): readonly string[] {
  const name = `["'\`](?:${names.join("|")})["'\`]`;
  const forms = [
    `[!=]==?\\s*${name}`,
    `${name}\\s*[!=]==?`,
    `\\bcase\\s+${name}`,
    // a list, also of a set or map; not an index, nor a list with other words
    `(?<![\\w\\])]\\s*)\\[\\s*${name}(?:\\s*,\\s*${name})*\\s*,?\\s*\\]`,
    `\\[\\s*\\[\\s*${name}\\s*,`,
    `\\.(?:includes|indexOf|has|get|startsWith)\\(\\s*${name}`,
    // in SQL
    `\\bdataset\\b\\s*(?:=|<>|!=|(?:not\\s+)?in\\s*\\()\\s*'(?:${names.join("|")})'`,
  ];
  return codeOf(source).match(new RegExp(forms.join("|"), "g")) ?? [];
}
