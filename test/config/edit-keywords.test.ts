import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { editedKeywords } from "../../src/config/edit-keywords.ts";

const listOf = (text: string | null, index = 0) => {
  const { portfolio } = parse(text ?? "") as { portfolio: { apps: { keywords: string[] }[] } };
  return portfolio.apps[index]?.keywords;
};
const head = "portfolio:\n  apps:\n    - id: 1\n      countries: [US]\n";

describe("keywords of an entry of the configuration", () => {
  test("change in place: comments, order and everything else stay, and one above a keyword that goes belongs to the next", () => {
    const mine = `# mine\n${head}      # of the brand\n      keywords:\n        # first\n        - lumi\n        # dear\n        - habit garden # 40 a night\n        - to do # free\n    - id: com.example.b # the second\n      countries: [JP]\napi:\n  concurrency: 2 # slow\n`;
    expect(editedKeywords(mine, 0, { add: ["習慣", "a: b"], remove: ["habit garden"] })).toBe(
      mine.replace(
        "        # dear\n        - habit garden # 40 a night\n        - to do # free\n",
        '        # dear\n        - to do # free\n        - 習慣\n        - "a: b"\n',
      ),
    );
  });

  test("stay on one line while they are few, and have a line each when they are many", () => {
    const few = `${head}      keywords: [lumi, to do]\n`;
    expect(editedKeywords(few, 0, { add: ["habit"], remove: ["lumi"] })).toBe(
      `${head}      keywords: [to do, habit]\n`,
    );
    const many = Array.from({ length: 5_000 }, (_, index) => `word ${index}`);
    const text = editedKeywords(few, 0, { add: many, remove: [] });
    expect(text?.split("\n")).toContain("        - word 4999");
    expect(listOf(text)).toEqual(["lumi", "to do", ...many]);
    expect(listOf(editedKeywords(head, 0, { add: ["new"], remove: [] }))).toEqual(["new"]);
    expect(listOf(editedKeywords(few, 0, { add: [], remove: ["lumi", "to do"] }))).toEqual([]);
  });

  test("leave the spaces of other lines, and those between the brackets of a list, as they are", () => {
    const spaced = `${head}      keywords: [ lumi ]      # ours\napi: {concurrency: 2,  retry_seconds: 5}   # slow\n`;
    expect(editedKeywords(spaced, 0, { add: ["habit"], remove: [] })).toBe(
      spaced.replace("[ lumi ]      #", "[ lumi, habit ] #"),
    );
  });

  test("that the entry shares by a name become its own", () => {
    const shared = `words: &words [lumi, to do]\n${head}      keywords: *words\n`;
    const text = editedKeywords(shared, 0, { add: ["habit"], remove: ["lumi"] });
    expect([listOf(text), (parse(text ?? "") as { words: string[] }).words]).toEqual([
      ["to do", "habit"],
      ["lumi", "to do"],
    ]);
    const behind = "app: &app {id: 1, countries: [US]}\nportfolio: {apps: [*app]}\n";
    expect(editedKeywords(behind, 0, { add: ["habit"], remove: [] })).toBeNull();
  });

  test("are read back as they were given, with any characters in them", () => {
    const keyword = fc.string({ minLength: 1, unit: "grapheme" });
    fc.assert(
      fc.property(fc.uniqueArray(keyword), fc.uniqueArray(keyword), (known, added) => {
        const text = editedKeywords(head, 0, { add: known, remove: [] });
        const gone = known.filter((_, index) => index % 2 === 0);
        const kept = known.filter((one) => !gone.includes(one));
        expect(listOf(editedKeywords(text ?? "", 0, { add: added, remove: gone }))).toEqual([...kept, ...added]);
      }),
    );
  });
});
