import { runCommand, type Ended } from "./command.ts";
import type { Behind, ChildOptions } from "./ingest-child.ts";

/** A command that goes on until it is stopped, in the test's own process. Disposing stops it if it still runs. */
export type RunningCommand = AsyncDisposable & {
  readonly hasEnded: () => boolean;
  readonly ended: Promise<Ended>;
  /** Stops it as a signal does. */
  readonly stop: (signal?: "SIGTERM" | "SIGINT") => Promise<Ended>;
};

/** Starts a command as `runCommand` does: one that has come to its work by now ends at `stop`, since it hears signals by then. */
export function startCommand(behind: Behind, typed: readonly string[], options: ChildOptions = {}): RunningCommand {
  let hasEnded = false;
  const ended = runCommand(behind, typed, options).finally(() => (hasEnded = true));
  const stop: RunningCommand["stop"] = (signal = "SIGTERM") => {
    process.emit(signal, signal);
    return ended;
  };
  return {
    hasEnded: () => hasEnded,
    ended,
    stop,
    [Symbol.asyncDispose]: async () => {
      if (!hasEnded) await stop();
    },
  };
}
