import { once } from "node:events";
import type { Command } from "commander";
import { startConsole } from "../../console/server.ts";
import { fail } from "../../core/errors.ts";
import { portArgument } from "../arguments.ts";
import { print, remark } from "../output.ts";
import { stopSignal } from "../stop-signal.ts";
import { withApp } from "../with-app.ts";

type Options = { readonly host?: string; readonly port?: number };

/** `storehouse console`: serve the console until stopped. */
export function defineConsole(command: Command): void {
  command
    .option(
      "--host <address>",
      "address to listen on, instead of console.host; any but this machine's own takes a password",
    )
    .option("--port <number>", "port, instead of console.port; 0 for any free one", portArgument)
    .action((options: Options) => withApp((app) => serve(app, options)));
}

async function serve(app: Parameters<typeof startConsole>[0], options: Options): Promise<void> {
  const stop = stopSignal();
  try {
    await using served = await startConsole(app, options);
    // a port that the person named is wanted, and no other
    if (options.port !== undefined && options.port !== 0 && served.port !== options.port)
      throw fail("port_taken", { port: options.port });
    print(`The console is on ${served.url}`);
    remark("Ctrl-C stops it.");
    if (!stop.signal.aborted) await once(stop.signal, "abort");
  } finally {
    stop.dispose();
  }
}
