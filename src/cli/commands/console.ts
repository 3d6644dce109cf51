import type { Command } from "commander";
import { startConsole } from "../../console/server.ts";
import { hostArgument, portArgument } from "../arguments.ts";
import { withApp } from "../with-app.ts";
import { serveUntilStopped } from "../serve.ts";

type Options = { readonly host?: string; readonly port?: number };

/** `storehouse console`: serve the console until stopped. */
export function defineConsole(command: Command): void {
  command
    .option(
      "--host <address>",
      "address to listen on, instead of console.host; any address other than loopback requires a password",
      hostArgument,
    )
    .option("--port <number>", "port, instead of console.port; 0 for any free one", portArgument)
    .action((options: Options) =>
      withApp((app) => serveUntilStopped("console", { app, named: options.port }, () => startConsole(app, options))),
    );
}
