const suspicious = /\0|[\uD800-\uDFFF]/;

/** Text that Postgres can hold: U+0000 left out, lone surrogates as U+FFFD; all else untouched. */
export function cleanText(text: string): string {
  return suspicious.test(text) ? text.replaceAll("\0", "").toWellFormed() : text;
}

/** `cleanText` for every string and key inside a parsed JSON value. Returns a new value; shape kept. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleanJson(inner)]));
}

/** A text of JSON and its value. */
export type ParsedText = { readonly text: string; readonly json: unknown };

const backslash = 92;

/** True for a text of JSON whose lists and objects are nested deeper than that. */
export function isDeeperThan(json: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 34) at = endOfText(json, at);
    // [ and {, ] and }
    else if (code === 91 || code === 123) depth += 1;
    else if (code === 93 || code === 125) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/** Where the text ends whose quote is at a place; the end of all where it does not. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}

/** True for `.` and `..`, which a server or proxy on the way takes for a folder: no request can have such a keyword in its path. */
export function isDotSegment(text: string): boolean {
  return text === "." || text === "..";
}

/** What such a keyword is refused with. */
export const dotSegmentRefused = "a keyword cannot be . or .., which mean a folder in a URL";

/** The form in which two spellings of one keyword meet: lower case, NFC, runs of space as one, no space around. */
export function foldKeyword(keyword: string): string {
  return keyword.toLowerCase().normalize("NFC").replaceAll(/\s+/g, " ").trim();
}
