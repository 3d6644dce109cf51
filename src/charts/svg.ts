/** Values of attributes; one that is null is left out. */
type Attributes = Readonly<Record<string, string | number | null>>;

/** An element of a picture, as text. Children are elements already: words go through `words`. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? rounded(value) : escaped(value ?? "")}"`);
  const open = `<${name}${written.join("")}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join("")}</${name}>`;
}

/** A line of text at a place. */
export function label(text: string, attributes: Attributes): string {
  return element("text", attributes, escaped(text));
}

/** Text as XML holds it, without the characters that it cannot hold at all. */
export function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      // eslint-disable-next-line no-control-regex -- XML knows no name for these
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  );
}

/** A number as pictures write it: hundredths are finer than anybody sees, and the same everywhere. */
export function rounded(value: number): string {
  return String(Math.round(value * 100) / 100 + 0);
}

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]|\p{Emoji_Presentation}/u;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

const widest = /^[MW@%]/;
const capital = /^[\p{Lu}mw&]/u;

/** About so wide is a text in the letters of the picture, in units of its height: no font is at hand to measure. */
export function widthOf(text: string): number {
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + widthOfOne(segment), 0);
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

/** Words of another script keep to themselves: what stands beside them does not change its side. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
