import { screen } from "./screen.ts";
import { noBreak, textWidth, wrapText } from "../core/text-width.ts";

/** Writes a result; logs go to stderr, results here. A line that is wider than the screen is broken between words. */
export function print(text: string): void {
  process.stdout.write(`${fitLines(text, screen().columns)}\n`);
}

const command = /`[^`]+`/gu;

/** A text in which a command stays on one line of this many columns if it fits, so that it can be copied. */
export function withWholeCommands(text: string, columns: number): string {
  return text.replaceAll(command, (one) => (one.length < columns ? one.replaceAll(" ", noBreak) : one));
}

/** Characters that turn the direction of the text after them, also in the next lines: names and arguments may contain them. */
const turns = /[\u202a-\u202e\u2066-\u2069]/gu;

/** A text whose lines fit, without characters that turn its direction; a continuation is indented like its line. */
export function fitLines(text: string, columns: number): string {
  const fit = (line: string): readonly string[] => {
    if (textWidth(line) <= columns) return [line];
    const indent = /^\s*(- |-> )?/.exec(line)?.[0] ?? "";
    const room = columns - indent.length;
    const [first = "", ...rest] = wrapText(withWholeCommands(line.slice(indent.length), room), room);
    return [indent + first, ...rest.map((next) => " ".repeat(indent.length) + next)];
  };
  return text.replaceAll(turns, "").split("\n").flatMap(fit).join("\n").replaceAll(noBreak, " ");
}

/** Writes a result for programs. */
export function printJson(value: unknown): void {
  printWhole(JSON.stringify(value, null, 2));
}

/** Writes a text whose lines must not be broken: it is copied, or read by programs. */
export function printWhole(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes bytes as they are. */
export function printBytes(bytes: Uint8Array): void {
  process.stdout.write(bytes);
}

/** Writes a remark for the person at the terminal, separately from the result. */
export function remark(text: string): void {
  process.stderr.write(`${fitLines(text, screen().remarkColumns)}\n`);
}

/**
 * Lets a reader leave early (`storehouse status | head`): the rest of the output is dropped, and the work continues. It also continues if a
 * remark cannot be written, for example to a full disk; a result that cannot be written is an error.
 */
export function tolerateClosedPipes(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // a closed terminal accepts no output, like a pipe whose reader left
    const isGone = error.code === "EPIPE" || (error.code === "EIO" && process.stdout.isTTY);
    if (!isGone) throw error;
  });
  process.stderr.on("error", () => undefined);
}
