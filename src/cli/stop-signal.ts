import { once } from "node:events";
import { steadyMs } from "../core/clock.ts";
import { exitCodes } from "./exit-codes.ts";

/**
 * `timeout` signals the program and then its group, and the launcher of the program passes its own on: one stop arrives two or three times.
 */
const oneStopMs = 500;

/** Resolves at the first stop. */
export async function untilStopped(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, "abort");
}

/**
 * Aborts at the first SIGINT, SIGTERM or SIGHUP. A second stop ends the process at once, except a second SIGHUP: a closing terminal sends
 * one, its shell another, and requests under way are paid for.
 */
export function stopSignal(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  let firstAt = 0;
  const begin = () => {
    if (!controller.signal.aborted) firstAt = steadyMs();
    controller.abort();
  };
  const stop = (name: NodeJS.Signals) => {
    if (controller.signal.aborted && steadyMs() - firstAt >= oneStopMs)
      process.exit(name === "SIGINT" ? exitCodes.interrupted : 143);
    begin();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  process.on("SIGHUP", begin);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      process.off("SIGHUP", begin);
    },
  };
}
