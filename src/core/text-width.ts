import { stripVTControlCharacters } from "node:util";

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Marks that stand on the character before them, and characters that show nothing. */
const unseen = /^[\p{M}\p{Cf}\p{Cc}]+$/u;
const plain = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The characters of a text as a reader counts them. Made late: tables of Unicode take longer to load than any module of the program. */
function graphemesOf(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** How many columns of a terminal a text takes: two for a wide character, none for a colour. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  const shown = stripVTControlCharacters(text);
  return graphemesOf(shown).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

function graphemeWidth(grapheme: string): number {
  if (unseen.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** A space at which no line is broken; the printer of a text replaces it by an ordinary space. */
export const noBreak = "\u00a0";

/** Where a line may be broken: between words, or also behind the marks inside of a name. Wide characters may always be parted. */
export type Breaks = "words" | "marks";

const behindNoBreak = /(?<=\u00a0)/u;
const behindMarks = /(?<=[_./,:;=|?&]|\p{L}-)(?=\S)/u;
/** Between words; a day stays beside its time. */
const betweenWords = /(?<= )(?=[^ ])(?<!\d{4}-\d\d-\d\d (?=\d\d:))/u;

/** The parts of a text that stay in one line, each with the spaces behind it. */
function parts(text: string, breaks: Breaks): readonly string[] {
  return text.split(betweenWords).flatMap((word) => {
    if (breaks === "words" && plain.test(word)) return [word];
    const pieces = breaks === "words" ? [word] : word.split(behindMarks);
    return pieces.flatMap(partedWide);
  });
}

/** A text without spaces, parted behind each wide character. */
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

/** The columns that the widest part of a text takes: in fewer it cannot be shown with these breaks. */
export function leastWidth(text: string, breaks: Breaks): number {
  return Math.max(
    0,
    ...text.split("\n").flatMap((line) => parts(line, breaks).map((part) => textWidth(part.trimEnd()))),
  );
}

/** The lines of a text that fit into so many columns; a part that is wider is broken at its spaces all the same, then anywhere. */
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
