import { readFileSync } from "node:fs";
import { addKeywords, deleteKeywords } from "../api/operations/dashboard-keyword.ts";
import { fail, causeCode } from "../core/errors.ts";
import { schemaWords } from "../core/schema-words.ts";
import { foldKeyword } from "../core/text.ts";

/** Keywords as they were given: each once, in the order given, and how many were given again. */
export type KeywordList = { readonly keywords: readonly string[]; readonly repeats: number };

/** One keyword and where it was given, for the person who corrects it. */
type Given = { readonly keyword: string; readonly at: string };

/** The rules for a keyword that is added or removed. */
const fits = {
  add: addKeywords.params.body.schema.element,
  remove: deleteKeywords.params.body.schema.element,
} as const;

/**
 * The keywords of the arguments and of a file together. Spaces around a keyword do not count, and two spellings of one keyword are one.
 * Throws a UsageError that names every invalid keyword, before anything is requested.
 */
export function keywordsGiven(words: readonly string[], file: string | undefined, use: keyof typeof fits): KeywordList {
  const given = [
    ...words.map((keyword) => ({ keyword: plain(keyword), at: "" })),
    ...(file === undefined ? [] : linesOf(file)),
  ];
  if (given.length === 0)
    throw fail("bad_argument", {
      problem:
        file === undefined ? "no keyword is given: name some, or a file with --file" : `${file} contains no keyword`,
    });
  const odd = given.flatMap(({ keyword, at }) => {
    const result = fits[use].safeParse(keyword, { error: schemaWords });
    if (keyword === "") return ["a keyword is empty"];
    return result.success ? [] : [`${named(keyword)}${at}: ${result.error.issues[0]?.message}`];
  });
  if (odd.length > 0) throw fail("bad_argument", { problem: odd.join("; ") });
  const keywords = [...Map.groupBy(given, ({ keyword }) => foldKeyword(keyword)).values()].flatMap((same) =>
    same.slice(0, 1).map(({ keyword }) => keyword),
  );
  return { keywords, repeats: given.length - keywords.length };
}

/**
 * The keywords of a file, one per line. Empty lines and comments do not count; a comment is a # at the start of a line, followed by a
 * space.
 */
function linesOf(file: string): readonly Given[] {
  return textOf(file)
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ keyword: plain(line), at: ` (${file} line ${index + 1})` }))
    .filter(({ keyword }) => keyword !== "" && !/^#( |$)/.test(keyword));
}

function textOf(file: string): string {
  try {
    // without the byte order mark that some programs write; text that is not UTF-8 is refused
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    if (cause instanceof TypeError)
      throw fail("bad_argument", { problem: `${file} is not UTF-8 text: save it as UTF-8` }, cause);
    const code = causeCode(cause);
    if (code === "ENOENT") throw fail("bad_argument", { problem: `there is no file ${file}` }, cause);
    throw fail("unreadable_file", { file, cause: code }, cause);
  }
}

/** A keyword without spaces around it, and with single ones inside. */
function plain(keyword: string): string {
  return keyword.replaceAll(/\s+/g, " ").trim();
}

/** This many characters of a keyword are enough to find it. */
const enough = 40;

function named(keyword: string): string {
  return keyword.length > enough ? `'${keyword.slice(0, enough)}...' of ${keyword.length} characters` : `'${keyword}'`;
}
