import { expect, test } from "vitest";
import { sql, withLiterals, type SqlFragment } from "../../src/postgres/sql.ts";

/** What would be sent for a statement. */
async function sent(statement: SqlFragment): Promise<readonly [text: string, values: readonly unknown[]]> {
  let seen: readonly [string, readonly unknown[]] = ["", []];
  await statement.execute({
    run: async (text, values) => {
      seen = [text, values];
      return { rows: [] };
    },
  });
  return seen;
}

test("a value becomes a parameter, however deep the fragment that holds it; a list is one value", async () => {
  const inner = sql`b = ${2} or c = any (${[3, 4]})`;
  expect(await sent(sql`select ${1} where ${inner} and d = ${null}`)).toEqual([
    "select $1 where b = $2 or c = any ($3) and d = $4",
    [1, 2, [3, 4], null],
  ]);
});

test("names and literals are quoted, so that no name and no text ends early", async () => {
  const [text, values] = await sent(
    sql`${sql.id("core", 'odd"name')} ${sql.ref("t.state")} ${sql.lit("it's")} ${sql.lit(7)}`,
  );
  expect(text).toBe(`"core"."odd""name" "t"."state" 'it''s' 7`);
  expect(values).toEqual([]);
});

test("values and fragments are joined with commas, or with another separator", async () => {
  expect(await sent(sql`(${sql.join([1, sql.id("a"), 2])})`)).toEqual(['($1, "a", $2)', [1, 2]]);
  expect(await sent(sql.join([sql`a`, sql`b`, sql`c`], sql` and `))).toEqual(["a and b and c", []]);
  expect(await sent(sql.join([]))).toEqual(["", []]);
});

test("text that is SQL already is put in as it is", async () => {
  expect(await sent(sql`${sql.raw("select '$1'")} union select ${1}`)).toEqual(["select '$1' union select $1", [1]]);
});

test("a statement that a person copies has its values in it, and no text ends early", () => {
  const inner = sql`b = any (${["it's", "x"]}::text[])`;
  const statement = sql`
select 1 where a = ${"'; drop table x; --"} and ${inner} and c is not distinct from ${null} and d = ${7} and e = ${true}`;
  expect(withLiterals(statement)).toBe(
    "select 1 where a = '''; drop table x; --' and b = any (array['it''s', 'x']::text[]) and c is not distinct from null and d = 7 and e = true",
  );
  expect(() => withLiterals(sql`${new Date(0)}`)).toThrow("no literal");
});
