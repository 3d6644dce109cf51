import { fork } from "node:child_process";
import { once } from "node:events";
import module from "node:module";
import path from "node:path";

/** A process of the bench that answers one message after the other. Disposing kills it. */
export interface Child extends AsyncDisposable {
  ask<T>(message: unknown): Promise<T>;
}

/** What a child answers with. */
type Reply = { readonly result: unknown } | { readonly problem: string };

/** The memory limit in the first line of bin/storehouse.js, for programs that Node starts. */
export const bounded: readonly string[] = ["--max-semi-space-size=16"];

/** Starts a file in this folder, or in that of another checkout, as a separate process; `stop` ends it. */
export function startChild(file: string, stop: AbortSignal, folder: string = import.meta.dirname): Child {
  stop.throwIfAborted();
  const child = fork(path.join(folder, file), {
    serialization: "advanced",
    stdio: "inherit",
    // as bin/storehouse.js starts the program
    execArgv: [...bounded, "--heap-growing-percent=100", "--no-allocation-site-pretenuring"],
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(folder, "..", "node_modules", ".cache", "storehouse") },
  });
  const ended = once(child, "exit");
  const kill = () => void child.kill("SIGKILL");
  stop.addEventListener("abort", kill, { once: true });
  return {
    ask: async <T>(message: unknown): Promise<T> => {
      const replied = once(child, "message");
      child.send(message as NonNullable<Parameters<typeof child.send>[0]>);
      const [reply] = (await Promise.race([replied, ended.then(() => [null])])) as [Reply | null];
      stop.throwIfAborted();
      if (reply === null) throw new Error(`${file} ended before it answered`);
      if ("problem" in reply) throw new Error(`${file}: ${reply.problem}`);
      return reply.result as T;
    },
    [Symbol.asyncDispose]: async () => {
      stop.removeEventListener("abort", kill);
      kill();
      await ended;
    },
  };
}

/** In a child: answers each message with the result of `work`, and ends with the parent. */
export function answerParent(work: (message: unknown) => Promise<unknown>): void {
  process.on("message", (message) => {
    void work(message)
      .then(
        (result): Reply => ({ result }),
        (error: unknown): Reply => ({
          problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
      )
      .then((reply) => sendLast(reply));
  });
  process.on("disconnect", () => process.exit(1));
  // a terminal signals the whole group; the parent decides when a child ends
  process.on("SIGINT", () => undefined);
}

/** Saves the compile cache first, since the parent may then kill this process. */
function sendLast(reply: Reply): void {
  module.flushCompileCache();
  process.send?.(reply);
}
