import type { Relation } from "./relation.ts";

/** The values that a column of text may have where a check of its table lists them, by column. */
export function acceptedValues({ checks }: Pick<Relation, "checks">): ReadonlyMap<string, readonly string[]> {
  return new Map(checks.flatMap(listed));
}

/** As Postgres writes `check (store in ('ios', 'android'))` back. */
const list = /^CHECK \(\(\(?"?(\w+)"?\)?(?:::text)? = ANY \(\(?ARRAY\[(.*)\]\)?(?:::text\[\])?\)\)\)$/;

function listed(check: string): readonly (readonly [string, readonly string[]])[] {
  const [, column, values] = list.exec(check) ?? [];
  if (column === undefined || values === undefined) return [];
  const found = [...values.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = ""]) => value.replaceAll("''", "'"));
  return [[column, found]];
}
