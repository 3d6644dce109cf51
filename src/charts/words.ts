import { sumBy } from "../core/sum.ts";
/** A line of text with a name that a user has chosen and that may be long: if the line has no room, only the name is shortened. */
export type NamedWords = { readonly before: string; readonly name: string; readonly after: string };

/** How much wider than estimated letters may be in the widest font that a machine may have, in bold. */
const atWorst = 1.26;

/** The whole line, with the name isolated in case it is in another script. */
export function whole({ before, name, after }: NamedWords): string {
  return `${before}${isolated(name)}${after}`;
}

/** The line with its name shortened so that it is no wider than a number of pixels at a font size. */
export function shortenedName(
  { before, name, after }: NamedWords,
  { width, size }: { width: number; size: number },
): string {
  return whole({ before, name: shortened(name, width / (size * atWorst) - widthOf(before + after)), after });
}

/** Isolates text in another script, so that the text next to it keeps its direction. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

/** Text without the characters that XML cannot hold at all. */
export function plainText(text: string): string {
  // eslint-disable-next-line no-control-regex -- XML knows no name for these
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]|\p{Emoji_Presentation}/u;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

const widest = /^[MW@%]/;
const capital = /^[\p{Lu}mw&]/u;

/** The approximate width of a text, in units of its height: no font is available to measure. */
export function widthOf(text: string): number {
  return sumBy(graphemes.segment(text), ({ segment }) => widthOfOne(segment));
}

function widthOfOne(segment: string): number {
  if (wide.test(segment)) return 1.05;
  if (widest.test(segment)) return 0.92;
  return capital.test(segment) ? 0.74 : 0.56;
}

/** A text that is no wider than `most`, in units of its height: its end becomes an ellipsis. */
export function shortened(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let kept = "";
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept + segment) > most - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
