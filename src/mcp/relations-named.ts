import type { Relation } from "../postgres/relations.ts";

/**
 * Comments and texts, which name no table; a text in dollars, and one with backslashes, as well. A name in quotes, which may hold what
 * begins one, is kept.
 */
const notNames =
  /("(?:[^"]|"")*")|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\2\$|\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'/gis;
const names = /"((?:[^"]|"")+)"|[\p{L}_][\p{L}\p{N}_$]*/gu;

/**
 * The tables and views that a statement names, with or without their schema. A column of the same name counts as well: coverage too much
 * harms less.
 */
export function relationsNamed(statement: string, all: readonly Relation[]): readonly Relation[] {
  const words = new Set(
    [...statement.replaceAll(notNames, (_, quoted?: string) => quoted ?? " ").matchAll(names)].map(
      ([word, quoted]) => quoted?.replaceAll('""', '"') ?? word.toLowerCase(),
    ),
  );
  return all.filter(({ table }) => words.has(table));
}
