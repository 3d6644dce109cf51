import type { Relation } from "../postgres/relations.ts";
import { replaced } from "./statement-pieces.ts";

const names = /"((?:[^"]|"")+)"|[\p{L}_][\p{L}\p{N}_$]*/gu;

/**
 * The tables and views that a statement names, with or without their schema. A column with the same name also counts: too much coverage
 * does less harm than too little.
 */
export function relationsNamed(statement: string, all: readonly Relation[]): readonly Relation[] {
  const words = new Set(
    [...replaced(statement, { comment: " ", string: " " }).matchAll(names)].map(
      ([word, quoted]) => quoted?.replaceAll('""', '"') ?? word.toLowerCase(),
    ),
  );
  return all.filter(({ table }) => words.has(table));
}
