/** The body of an answer as text to be read: JSON laid out, anything else as it is. */
export function bodyText(body: Buffer): string {
  const text = body.toString("utf8");
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // no JSON
    return text;
  }
}
