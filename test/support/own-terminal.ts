import { PassThrough } from "node:stream";
import { runCommand, type Output } from "./command.ts";
import type { Behind, ChildOptions } from "./ingest-child.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Starts a command as `openTerminal` does, but in this process: for what a person is asked and answers. What is typed is not echoed, and is
 * read as it comes. For one command at a time.
 */
export function openOwnTerminal(behind: Behind, command: readonly string[], options: ChildOptions = {}): Terminal {
  const keyboard = new PassThrough();
  const restore = showAsTerminal(keyboard);
  let output: Output = () => ({ stdout: "", stderr: "" });
  let isOver = false;
  const ended = runCommand(behind, command, options, (begun) => (output = begun)).finally(() => {
    isOver = true;
    restore();
  });
  const interrupt = () => void process.emit("SIGINT", "SIGINT");
  return {
    output: () => Object.values(output()).join(""),
    type: (text) => (text === "\u0003" ? interrupt() : void keyboard.write(text.replaceAll("\r", "\n"))),
    ended: ended.then(({ code }) => code),
    [Symbol.asyncDispose]: async () => {
      // a question without an answer is one that was answered with no
      keyboard.end();
      if (!isOver) interrupt();
      await ended;
    },
  };
}

/** What a stream to a terminal has, and one to a pipe has not. */
const ofTerminal = { isTTY: true, columns: 80, hasColors: () => true };

/** Input comes from `keyboard`, and the streams of this process count as a terminal of 80 columns, until the function is called. */
function showAsTerminal(keyboard: PassThrough): () => void {
  const input = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
  Object.defineProperty(process, "stdin", { value: Object.assign(keyboard, { isTTY: true }), configurable: true });
  const restores = [process.stdout, process.stderr].map((stream) => {
    const usual = Object.keys(ofTerminal).map((name) => [name, Reflect.get(stream, name)] as const);
    Object.assign(stream, ofTerminal);
    return () => Object.assign(stream, Object.fromEntries(usual));
  });
  return () => {
    Object.defineProperty(process, "stdin", input);
    for (const restore of restores) restore();
  };
}
