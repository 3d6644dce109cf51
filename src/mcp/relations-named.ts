import type { Relation } from "../postgres/relations.ts";

/** Comments and texts, which name no table; a text in dollars as well. */
const notNames = /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/g;
const names = /"((?:[^"]|"")+)"|[\p{L}_][\p{L}\p{N}_$]*/gu;

/** The tables and views that a statement names, with or without their schema. A column of the same name counts as well: coverage too much harms less. */
export function relationsNamed(statement: string, all: readonly Relation[]): readonly Relation[] {
  const words = new Set(
    [...statement.replaceAll(notNames, " ").matchAll(names)].map(
      ([word, quoted]) => quoted?.replaceAll('""', '"') ?? word.toLowerCase(),
    ),
  );
  return all.filter(({ table }) => words.has(table));
}
