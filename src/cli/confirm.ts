import { createInterface, type Interface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";

/** True when a person can answer: input and prompts both go through a terminal. */
export function canConfirm(): boolean {
  return [process.stdin, process.stderr].every(({ isTTY }) => isTTY);
}

/** Prompts a person; true for y or yes only. The end of input or a stop means no. */
export async function confirm(question: string, stop: AbortSignal): Promise<boolean> {
  return /^y(es)?$/i.test(await answerTo(`${question} (y/N) `, stop));
}

async function answerTo(question: string, stop: AbortSignal): Promise<string> {
  if (stop.aborted) return "";
  // with `terminal: false`, Ctrl-C still arrives as a signal
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const close = () => lines.close();
  stop.addEventListener("abort", close, { once: true });
  try {
    if (!(await passOver(lines, stop))) return "";
    const answer = await new Promise<string>((resolve) => {
      const unanswered = () => {
        // the next text begins on a new line
        process.stderr.write("\n");
        resolve("");
      };
      lines.once("close", unanswered);
      lines.once("line", (line) => {
        lines.off("close", unanswered);
        resolve(line);
      });
      process.stderr.write(question);
    });
    return answer.trim();
  } finally {
    stop.removeEventListener("abort", close);
    lines.close();
  }
}

/**
 * Reads past what was typed before the question: a second Enter would agree to a price that nobody has seen. False if no answer can come.
 */
async function passOver(lines: Interface, stop: AbortSignal): Promise<boolean> {
  let [isOpen, wasRead] = [true, true];
  lines.on("line", () => (wasRead = true));
  lines.once("close", () => (isOpen = false));
  while (wasRead) {
    wasRead = false;
    // the first turn begins to read, each further turn yields a line
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  }
  return isOpen && !stop.aborted;
}
