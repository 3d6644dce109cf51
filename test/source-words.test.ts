import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../src/config/config.ts";
import { leftWordsIn } from "./support/left-words.ts";
import { testNamesIn, wordsOfCode } from "./support/source-texts.ts";

/** Where a word has its ordinary meaning, or is a name that others gave. */
const allowed: readonly { readonly in: RegExp; readonly words: RegExp }[] = [
  // the look of a line, and the ticks of an axis
  { in: /^(src|test)\/charts\/|^src\/console\/(explore|grid)\//, words: /^(looks?|ticks?)$/ },
  // a notice on a page, and the level of a message of Postgres
  { in: /^src\/console\/|^src\/postgres\/role-statements\.ts$/, words: /^notice$/ },
  // a level of the log
  { in: /^src\/config\/env\.ts$|^bench\//, words: /^silent$/ },
  // the clock of the kernel and of Chromium
  { in: /^bench\/(cpu|console)\.ts$/, words: /^ticks?$/ },
  // names of categories and islands
  { in: /^src\/api\/categories\.ts$|^migrations\/0003-dimensions\.sql$/, words: /^(house|news|heard)$/ },
];

function filesIn(...folders: readonly string[]): readonly { readonly file: string; readonly text: string }[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(projectRoot, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((file) => /(\.(ts|js|css|sql)|crontab)$/.test(file))
      // written by `npm run docs`, and held by the words of the catalogue
      .filter((file) => file !== "migrations/schema.sql")
      .map((file) => ({ file, text: readFileSync(path.join(projectRoot, file), "utf8") })),
  );
}

/** The words of a text that the glossary replaces, save those that are allowed in its file. */
function leftIn(file: string, text: string): readonly string[] {
  const own = allowed.filter((one) => one.in.test(file));
  return leftWordsIn(text).filter((word) => !own.some(({ words }) => words.test(word.toLowerCase())));
}

describe("the field's words are used", () => {
  test.each(["src", "jobs", "migrations", "bench"])("in names, comments and messages of %s", (folder) => {
    const files = filesIn(folder);
    expect(files.length).toBeGreaterThan(4);
    const left = files.flatMap(({ file, text }) =>
      leftIn(file, wordsOfCode(`${file}\n${text}`)).map((word) => [file, word]),
    );
    expect(left).toEqual([]);
  });

  test("in names of tests", () => {
    const names = filesIn("test").flatMap(({ file, text }) => testNamesIn(text).map((name) => ({ file, name })));
    expect(names.length).toBeGreaterThan(2_500);
    expect(names.filter(({ file, name }) => leftIn(file, name).length > 0)).toEqual([]);
  });

  test("and the others are found in each of these places", () => {
    expect(leftWordsIn(wordsOfCode("const whatWasAsked = keys_told;"))).toEqual(["Asked", "told"]);
    expect(
      testNamesIn(
        'test.each([["a", 1]])(\n  "is told %s",\n  async () => {},\n);\ndescribe("b", () => {\n  test(`c`, ({ d }) => {',
      ),
    ).toEqual(["is told %s", "b", "c"]);
  });
});
