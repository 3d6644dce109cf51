import { fail } from "../core/errors.ts";
import type { App } from "../app.ts";
import { untilClockAgrees } from "./check-clock.ts";
import { print, remark } from "./output.ts";
import { stopSignal, untilStopped } from "./stop-signal.ts";

type Served = AsyncDisposable & { readonly url: string; readonly port: number };

/**
 * Serves a process that spends and plans by this machine's clock. It starts once the clock agrees with the database's, and ends at Ctrl-C
 * or a signal. `named`: the port that the person named; no other port replaces it. Throws `port_taken`.
 */
export async function serveUntilStopped(
  what: string,
  { app, named }: { readonly app: App; readonly named: number | undefined },
  open: (stop: AbortSignal) => Promise<Served>,
): Promise<void> {
  using stop = stopSignal();
  await untilClockAgrees(app, stop.signal);
  if (stop.signal.aborted) return;
  await using served = await open(stop.signal);
  if (named !== undefined && named !== 0 && served.port !== named) throw fail("port_taken", { port: named });
  print(`The ${what} is on ${served.url}`);
  remark("Ctrl-C stops it.");
  await untilStopped(stop.signal);
}
