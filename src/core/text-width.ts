import { stripVTControlCharacters } from "node:util";
import { sumBy } from "./sum.ts";

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Combining marks, and characters that are not visible. */
const unseen = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
const plain = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

/**
 * The characters of a text as a reader counts them. Loaded when first needed: the Unicode tables take longer to load than any module of the
 * program.
 */
function graphemesOf(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** How many columns of a terminal a text takes: two for a wide character, none for a colour. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  const shown = stripVTControlCharacters(text);
  return sumBy(graphemesOf(shown), graphemeWidth);
}

function graphemeWidth(grapheme: string): number {
  if (unseen.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** A space at which no line is broken; printing replaces it with an ordinary space. */
export const noBreak = "\u00a0";

/**
 * Where a line may be broken: between words, or also after punctuation marks inside a name, and between a day and its time. A line may always break between wide
 * characters.
 */
export type Breaks = "words" | "marks";

const behindNoBreak = /(?<=\u00a0)/u;
/** Not inside a time. */
const behindMarks = /(?<=[_./,:;=|?&]|\p{L}-)(?<!\b\d\d:(?=\d\d))(?=\S)/u;
/** Between words, but not between a day and its time. */
const betweenWords = /(?<= )(?=[^ ])(?<!\d{4}-\d\d-\d\d (?=\d\d:))/u;
const betweenDayAndTime = /(?<=\d{4}-\d\d-\d\d )(?=\d\d:)/u;

/** The parts of a text that stay on one line, each with the spaces after it. */
function parts(text: string, breaks: Breaks): readonly string[] {
  return text.split(betweenWords).flatMap((word) => {
    if (breaks === "words" && plain.test(word)) return [word];
    const pieces = breaks === "words" ? [word] : word.split(betweenDayAndTime).flatMap((one) => one.split(behindMarks));
    return pieces.flatMap(partedWide);
  });
}

/** A text without spaces, split after each wide character. */
function partedWide(text: string): readonly string[] {
  if (plain.test(text)) return [text];
  const parted: string[] = [];
  let open = "";
  for (const grapheme of graphemesOf(text)) {
    open += grapheme;
    if (!wide.test(grapheme)) continue;
    parted.push(open);
    open = "";
  }
  return open === "" ? parted : open.trim() === "" && parted.length > 0 ? withSpace(parted, open) : [...parted, open];
}

function withSpace(parted: readonly string[], space: string): readonly string[] {
  return [...parted.slice(0, -1), `${parted.at(-1) ?? ""}${space}`];
}

/** The columns that the widest part of a text takes: the text needs at least this many with these breaks. */
export function leastWidth(text: string, breaks: Breaks): number {
  return Math.max(
    0,
    ...text.split("\n").flatMap((line) => parts(line, breaks).map((part) => textWidth(part.trimEnd()))),
  );
}

/** The lines of a text, wrapped to this many columns. A part that is wider is broken at its spaces, then anywhere. */
export function wrapText(text: string, columns: number, breaks: Breaks = "words"): readonly string[] {
  return text.split("\n").flatMap((line) => (textWidth(line) <= columns ? [line] : wrapLine(line, columns, breaks)));
}

function wrapLine(text: string, columns: number, breaks: Breaks): readonly string[] {
  const lines: string[] = [];
  let line = "";
  const fits = (part: string) => textWidth(part.trimEnd()) <= columns;
  const fitting = parts(text, breaks)
    .flatMap((part) => (fits(part) ? [part] : part.split(behindNoBreak)))
    .flatMap((part) => (fits(part) ? [part] : graphemesOf(part)));
  for (const part of fitting) {
    if (line !== "" && textWidth(line + part.trimEnd()) > columns) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += part;
  }
  return [...lines, line.trimEnd()];
}
