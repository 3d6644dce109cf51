import type { Relation } from "../postgres/relations.ts";

/**
 * Comments and strings, which name no table, including dollar-quoted strings and those with backslashes. Quoted names, which may contain
 * the start of one, are kept.
 */
const notNames =
  /("(?:[^"]|"")*")|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\2\$|\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'/gis;
const names = /"((?:[^"]|"")+)"|[\p{L}_][\p{L}\p{N}_$]*/gu;

/**
 * The tables and views that a statement names, with or without their schema. A column with the same name also counts: too much coverage
 * does less harm than too little.
 */
export function relationsNamed(statement: string, all: readonly Relation[]): readonly Relation[] {
  const words = new Set(
    [...statement.replaceAll(notNames, (_, quoted?: string) => quoted ?? " ").matchAll(names)].map(
      ([word, quoted]) => quoted?.replaceAll('""', '"') ?? word.toLowerCase(),
    ),
  );
  return all.filter(({ table }) => words.has(table));
}
