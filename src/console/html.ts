/*
 * Markup is made only by the tag `html`, which escapes everything that is put into it: text of an answer, the name of an app or a keyword
 * never becomes markup. Only markup is inserted unchanged.
 */

/** Markup that may be sent. */
export interface Html {
  readonly markup: string;
}

class Markup implements Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** What can be put into markup: nothing for null, undefined and false. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

const names: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#39" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&${names[character]};`);
}

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Markup) return part.markup;
  if (Array.isArray(part)) return part.map(textOf).join("");
  return escaped(typeof part === "number" ? String(part) : (part as string));
}

/** Writes markup: html`<td title="${text}">${text}</td>`. Attributes are always in double quotes. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Markup(texts.map((text, index) => text + textOf(parts[index])).join(""));
}

/** Markup that a library drew and whose texts it escaped: an SVG. Never a text from outside. */
export function trustedMarkup(markup: string): Html {
  return new Markup(markup);
}
