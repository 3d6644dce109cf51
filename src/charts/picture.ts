/** A line of words with a name in it, which a user has chosen and which may be long: only the name is shortened where the line has no room. */
export type NamedWords = { readonly before: string; readonly name: string; readonly after: string };

/** What every picture has: its size, what it is called and what it shows in words. */
export type Frame = {
  readonly width: number;
  readonly height: number;
  readonly title: NamedWords;
  readonly subtitle: NamedWords;
  /** One or two sentences for readers who do not see the picture. */
  readonly description: string;
  /** Rules of the picture's own, and those of them that change on a dark background. */
  readonly style: string;
  readonly dark: string;
};

/** So much wider than reckoned may letters be in the widest of the fonts that a machine may have, and in bold. */
const atWorst = 1.12;
const boldly = 1.26;

/** Room at each side. */
export const margin = 28;

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Helvetica Neue',Arial,sans-serif";

/** The colours are those of Okabe and Ito, which people who see colours differently can distinguish, on a page of its own. */
const style = `svg{${font}}.page{fill:#fff;stroke:#d0d7de}.title{font-size:19px;font-weight:600;fill:#1f2328}.sub{font-size:13px;fill:#59636e}
.tick{font-size:11.5px;fill:#59636e}.axis{font-size:12px;fill:#59636e}.grid{stroke:#d8dee4;stroke-width:1}.note{font-size:12px;fill:#1f2328}
`;
const dark = `.page{fill:#0d1117;stroke:#30363d}.title,.note{fill:#f0f6fc}.sub,.tick,.axis{fill:#9da7b3}.grid{stroke:#262c34}
`;

/** An SVG file of its own: no script, no font, nothing that is fetched. The same content gives the same bytes. */
export function picture(frame: Frame, ...content: readonly string[]): string {
  const { width, height, title, subtitle, description } = frame;
  const rules = `${style}${frame.style}@media (prefers-color-scheme:dark){${dark}${frame.dark}}`;
  const svg = element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-labelledby": "title desc",
    },
    `\n<title id="title">${escaped(whole(title))}</title>\n<desc id="desc">${escaped(description)}</desc>\n<style>${rules}</style>\n`,
    element("rect", { class: "page", x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 10 }),
    "\n",
    label(fitted(title, (width - 2 * margin) / (19 * boldly)), { class: "title", x: margin, y: 42 }),
    label(fitted(subtitle, (width - 2 * margin) / (13 * atWorst)), { class: "sub", x: margin, y: 64 }),
    "\n",
    content.join("\n"),
    "\n",
  );
  return `${svg}\n`;
}

/** A line of words as it is. Words of another script keep to themselves. */
export function whole({ before, name, after }: NamedWords): string {
  return `${before}${isolated(name)}${after}`;
}

/** The line with its name shortened so that it is no wider than `most`, in units of its height. */
function fitted({ before, name, after }: NamedWords, most: number): string {
  return whole({ before, name: shortened(name, most - widthOf(before + after)), after });
}

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
function escaped(text: string): string {
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
function shortened(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let kept = "";
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept + segment) > most - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Isolates words of another script, so that the text beside them keeps its side. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
