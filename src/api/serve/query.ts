/** A query string decoded once, as a form is: `+` is a space. */
export type Query = {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The first part that is not percent-encoded UTF-8; null if there is none. */
  readonly malformed: string | null;
};

/** A raw request target cut at its first `?`; nothing is decoded. */
export function splitTarget(target: string): { path: string; query: string } {
  const cut = target.indexOf("?");
  return cut < 0 ? { path: target, query: "" } : { path: target.slice(0, cut), query: target.slice(cut + 1) };
}

/** Reads a raw query string. */
export function readQuery(raw: string): Query {
  const values = new Map<string, string[]>();
  let malformed: string | null = null;
  for (const part of raw.split("&").filter((text) => text !== "")) {
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = decode(equals < 0 ? "" : part.slice(equals + 1));
    if (name === null || value === null) malformed ??= name ?? "a name";
    else values.set(name, [...(values.get(name) ?? []), value]);
  }
  return { values, malformed };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}
