import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import { runCommand, type Output } from "./command.ts";
import type { Behind, ChildOptions } from "./ingest-child.ts";
import { until } from "./ingest-stage.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Starts a command as `openTerminal` does, but in this process: for what a person is asked and answers. For one command at a time. What is
 * typed is not shown, and a Ctrl-C is a signal without a terminal; only `openTerminal` shows these, and that the process ends.
 */
export function openOwnTerminal(behind: Behind, command: readonly string[], options: ChildOptions = {}): Terminal {
  const keyboard = new PassThrough();
  const restore = showAsTerminal(keyboard);
  let output: Output = () => ({ stdout: "", stderr: "", shown: "" });
  let [isOver, isInterrupted] = [false, false];
  const ended = runCommand(behind, command, options, (begun) => (output = begun)).finally(() => {
    isOver = true;
    restore();
  });
  const interrupt = () => {
    isInterrupted = true;
    process.emit("SIGINT", "SIGINT");
  };
  const end = async () => {
    // the end of the input answers an open question with no
    keyboard.end();
    // a second one would end this process
    if (!isInterrupted) {
      await until(() => isOver || process.listenerCount("SIGINT") > 0);
      if (!isOver) interrupt();
    }
    await ended;
  };
  // also after a test that timed out: the next one could start no command
  onTestFinished(end);
  return {
    output: () => output().shown,
    type: (text) => (text === "\u0003" ? interrupt() : void keyboard.write(text.replaceAll("\r", "\n"))),
    ended: ended.then(({ code }) => code),
    [Symbol.asyncDispose]: end,
  };
}

/** Properties that a stream to a terminal has and one to a pipe lacks. */
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
