import { type Command, Option } from "commander";
import type { App } from "../../app.ts";
import { fail } from "../../core/errors.ts";
import { startGateway } from "../../gateway/gateway.ts";
import { dropKey, makeKey } from "../../gateway/keys.ts";
import { hostArgument, portArgument } from "../arguments.ts";
import { print, remark } from "../output.ts";
import { withApi, withApp } from "../with-app.ts";
import { serveUntilStopped } from "../serve.ts";

type Options = {
  readonly host?: string;
  readonly port?: number;
  readonly newKey?: string;
  readonly dropKey?: string;
};

/** `storehouse gateway`: serve the API's contract to others until stopped. */
export function defineGateway(command: Command): void {
  command
    .option("--host <address>", "address to listen on, instead of gateway.host", hostArgument)
    .option("--port <number>", "port, instead of gateway.port; 0 for any free one", portArgument)
    .option(
      "--new-key <caller>",
      "create a key for a caller in gateway.callers, which replaces its old key; show it once, and exit",
    )
    .addOption(new Option("--drop-key <caller>", "remove the key of a caller, and exit").conflicts("newKey"))
    .addHelpText(
      "after",
      "\nA caller sets its API_BASE_URL to the gateway's address and its API_TOKEN to its key. An answer that is stored and still fresh costs nothing.\nExit codes: 0 stopped, 2 settings.",
    )
    .action(async (options: Options) => {
      if (options.newKey !== undefined) return withApp((app) => newKey(app, options.newKey ?? ""));
      if (options.dropKey !== undefined) return withApp((app) => noKey(app, options.dropKey ?? ""));
      const { host, port } = options;
      const where = { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }) };
      return withApi((app) =>
        serveUntilStopped("gateway", { app, named: port }, (stop) => startGateway(app, { ...where, stop })),
      );
    });
}

async function newKey({ config, warehouse, clock }: App, caller: string): Promise<void> {
  if (!Object.hasOwn(config.settings.gateway.callers, caller))
    throw fail("bad_argument", { problem: `gateway.callers does not name ${caller}` });
  const key = await makeKey(warehouse.db, caller, clock.now());
  remark(`The key of ${caller}, which cannot be shown again. It replaces the old one:`);
  print(key);
}

async function noKey({ warehouse }: App, caller: string): Promise<void> {
  if (!(await dropKey(warehouse.db, caller))) throw fail("bad_argument", { problem: `${caller} has no key` });
  remark(`${caller} has no key any more: its calls are refused.`);
}
