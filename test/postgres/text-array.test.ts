import fc from "fast-check";
import pg from "pg";
import { expect, test } from "vitest";
import { isFlatArray, numbersIn, parseTextArray } from "../../src/postgres/text-array.ts";

/** As the server writes a list: what needs quotes has them, quotes and backslashes have a backslash before them. */
function written(list: readonly (string | null)[]): string {
  const parts = list.map((one) =>
    one === null
      ? "NULL"
      : one === "" || /^null$/i.test(one) || /[{}",\\\s]/.test(one)
        ? `"${one.replaceAll(/["\\]/g, String.raw`\$&`)}"`
        : one,
  );
  return `{${parts.join(",")}}`;
}

test("a list of texts comes back as it was written, and as the driver reads it", () => {
  const usual = pg.types.getTypeParser(1009 as never) as (text: string) => unknown;
  const awkward = fc.constantFrom("", "NULL", "null", "a,b", '"', "\\", '\\"', "{}", "to do list", "タスク", "🧘\n");
  fc.assert(
    fc.property(fc.array(fc.option(fc.oneof(awkward, fc.string()))), (list) => {
      expect(parseTextArray(written(list))).toEqual(list);
      expect(parseTextArray(written(list))).toEqual(usual(written(list)));
    }),
  );
});

test("a list of lists, or one that counts from elsewhere, is none that it reads", () => {
  expect(['{a,"{"}', "{}", "{{a},{b}}", "[0:1]={a,b}", null].map(isFlatArray)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a list of whole numbers comes back as it was written", () => {
  expect(["{}", "{0}", "{-7}"].map(numbersIn)).toEqual([[], [0], [-7]]);
  fc.assert(
    fc.property(fc.array(fc.maxSafeInteger()), (list) => {
      expect(numbersIn(`{${list.map(String).join(",")}}`)).toEqual(list);
    }),
  );
});
