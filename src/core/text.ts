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

/** The form in which two spellings of one keyword meet: lower case, NFC, runs of space as one, no space around. */
export function foldKeyword(keyword: string): string {
  return keyword.toLowerCase().normalize("NFC").replaceAll(/\s+/g, " ").trim();
}
