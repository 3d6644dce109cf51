import { screen } from "./screen.ts";
import { noBreak, textWidth, wrapText } from "../core/text-width.ts";

/** Writes a result; logs go to stderr, results here. A line that is wider than the screen is broken between words. */
export function print(text: string): void {
  process.stdout.write(`${fitLines(text, screen().columns)}\n`);
}

const command = /`[^`]+`/gu;

/** A text in which a command to type stays in one line of so many columns where it fits, to be copied. */
export function withWholeCommands(text: string, columns: number): string {
  return text.replaceAll(command, (one) => (one.length < columns ? one.replaceAll(" ", noBreak) : one));
}

/** A text whose lines fit; what is carried over stands under the beginning of its line. */
export function fitLines(text: string, columns: number): string {
  const fit = (line: string): readonly string[] => {
    if (textWidth(line) <= columns) return [line];
    const indent = /^\s*(- |-> )?/.exec(line)?.[0] ?? "";
    const room = columns - indent.length;
    const [first = "", ...rest] = wrapText(withWholeCommands(line.slice(indent.length), room), room);
    return [indent + first, ...rest.map((next) => " ".repeat(indent.length) + next)];
  };
  return text.split("\n").flatMap(fit).join("\n").replaceAll(noBreak, " ");
}

/** Writes a result for programs. */
export function printJson(value: unknown): void {
  printWhole(JSON.stringify(value, null, 2));
}

/** Writes a text whose lines are to stay as they are: what is copied, or read by programs. */
export function printWhole(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes bytes as they are. */
export function printBytes(bytes: Uint8Array): void {
  process.stdout.write(bytes);
}

/** Writes a remark for the person at the terminal, apart from the result. */
export function remark(text: string): void {
  process.stderr.write(`${fitLines(text, screen().remarkColumns)}\n`);
}

/**
 * Lets a reader leave early (`storehouse status | head`): what is still to be printed is dropped, the work goes on. So it does where
 * what is said beside a result has no room, as on a full disk; a result that has none is an error.
 */
export function tolerateClosedPipes(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // a terminal that was closed takes nothing any more, as a pipe whose reader left
    const isGone = error.code === "EPIPE" || (error.code === "EIO" && process.stdout.isTTY);
    if (!isGone) throw error;
  });
  process.stderr.on("error", () => undefined);
}
