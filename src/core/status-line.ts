/** A terminal, as far as lines are written to it. */
export type LineTerminal = { readonly write: (text: string) => unknown };

/** Terminals whose last line is a status line: it has no line break yet, and the next text replaces it. */
const withStatusLine = new WeakSet<LineTerminal>();

const clearedLine = "\r\u001b[2K";

/** Shows a status line, such as a progress bar, in place of the last one; an empty one removes that. */
export function showStatusLine(to: LineTerminal, line: string): void {
  to.write(`${clearedLine}${line}`);
  if (line === "") withStatusLine.delete(to);
  else withStatusLine.add(to);
}

/** Ends a status line: it stays on the terminal, also if other lines have replaced it since it was shown. */
export function keepStatusLine(to: LineTerminal, line: string): void {
  to.write(withStatusLine.delete(to) ? "\n" : `${line}\n`);
}

/** Writes whole lines, in place of a status line. Only its owner knows it, and shows it again with the next change. */
export function writeLines(to: LineTerminal, text: string): void {
  to.write(`${withStatusLine.delete(to) ? clearedLine : ""}${text}\n`);
}
