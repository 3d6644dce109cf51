const suspicious = /\0|[\uD800-\uDFFF]/;

/** Text that Postgres can store: without U+0000, and with U+FFFD for lone surrogates; otherwise unchanged. */
export function cleanText(text: string): string {
  return suspicious.test(text) ? text.replaceAll("\0", "").toWellFormed() : text;
}

/** True for text that `cleanText` leaves as it is. Other text can neither be stored nor encoded for a URL. */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** The message for a keyword that is not clean. */
export const uncleanKeywordRefused = "a keyword must not contain U+0000 or half a surrogate pair";

/** `cleanText` for every string and key inside a parsed JSON value. Returns a new value of the same shape. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleanJson(inner)]));
}

/** A text of JSON and its value. */
export type ParsedText = { readonly text: string; readonly json: unknown };

const backslash = 92;

/** True for a text of JSON whose lists and objects are nested deeper than `most`. */
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

/** The end of the JSON string whose opening quote is at `start`; the end of the whole text if it is not closed. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}

/** Track ids of iOS: numbers from 1, which fit into a 64-bit integer, without leading zeros, which would be another key of the same app. */
export const iosTrackIdPattern = /^[1-9][0-9]{0,18}$/;
/** Track ids of Android: package names. */
export const androidTrackIdPattern = /^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+$/;

/** True for `.` and `..`, which a server or proxy reads as a folder: no request can have such a keyword in its path. */
export function isDotSegment(text: string): boolean {
  return text === "." || text === "..";
}

/** The message for such a keyword. */
export const dotSegmentRefused = "a keyword cannot be . or .., which mean a folder in a URL";

/** The common form of all spellings of a keyword: lower case, NFC, single spaces, no space at the ends. */
export function foldKeyword(keyword: string): string {
  return keyword.toLowerCase().normalize("NFC").replaceAll(/\s+/g, " ").trim();
}
