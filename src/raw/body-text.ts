/** The body of an answer as text to be read: JSON laid out with every number as it was written, anything else as it is. */
export function bodyText(body: Buffer): string {
  const text = body.toString("utf8");
  try {
    JSON.parse(text);
  } catch {
    // no JSON
    return text;
  }
  return startText(text);
}

/** A token of JSON: a text, a mark, or a number or word. */
const token = /"(?:[^"\\]|\\[^])*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The start of a text like that of `bodyText`, for an answer of which the end is missing. */
export function startText(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  const parts: string[] = [];
  let depth = 0;
  let before = "";
  const newLine = () => `\n${"  ".repeat(depth)}`;
  for (const [part] of text.matchAll(token)) {
    const isEnd = part === "}" || part === "]";
    if (isEnd) depth -= 1;
    const isFirst = before === "{" || before === "[";
    // an empty list or map stays on its line
    if ((isFirst && !isEnd) || before === "," || (isEnd && !isFirst)) parts.push(newLine());
    parts.push(part === ":" ? ": " : part);
    if (part === "{" || part === "[") depth += 1;
    before = part;
  }
  return parts.join("");
}
