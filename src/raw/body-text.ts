/** The body of an answer as readable text: JSON is indented with every number exactly as written, anything else is unchanged. */
export function bodyText(body: Buffer): string {
  const text = body.toString("utf8");
  try {
    JSON.parse(text);
  } catch {
    // not JSON
    return text;
  }
  return startText(text);
}

/** A token of JSON: a string, a punctuation mark, or a number or word. */
const token = /"(?:[^"\\]|\\[^])*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The start of such a text, for an answer whose end is missing. */
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
    // an empty list or object stays on its line
    if ((isFirst && !isEnd) || before === "," || (isEnd && !isFirst)) parts.push(newLine());
    parts.push(part === ":" ? ": " : part);
    if (part === "{" || part === "[") depth += 1;
    before = part;
  }
  return parts.join("");
}
