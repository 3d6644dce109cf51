import type { Command } from "commander";
import type { App } from "../../app.ts";
import { programVersion } from "../../config/program.ts";
import { dayOf, type Day } from "../../core/day.ts";
import { serveStdio } from "../../mcp/serve-stdio.ts";
import type { ServerParts } from "../../mcp/parts.ts";
import { openAsReader } from "../../postgres/reader.ts";
import { pastDayArgument, portArgument } from "../arguments.ts";
import { remark } from "../output.ts";
import { stopSignal, untilStopped } from "../stop-signal.ts";
import { withApp } from "../with-app.ts";

type Options = { readonly http?: number | true; readonly asOf?: Day };

const defaultPort = 8765;
/** A client sends a few requests at a time. */
const readers = 4;

/** `storehouse mcp`: the marts for programs that speak the Model Context Protocol. */
export function defineMcp(command: Command): void {
  command
    .option(
      "--http [port]",
      `serve on this machine over streamable HTTP (default port: ${defaultPort}; 0: any free one)`,
      portArgument,
    )
    .option("--as-of <day>", "the day to treat as today (default: today in UTC)", pastDayArgument)
    .addHelpText(
      "after",
      "\nWithout --http it serves one client over stdin and stdout, until that client disconnects.\nStatements run as storehouse_reader, so STOREHOUSE_READER_PASSWORD must be set and `storehouse grants` must have run with it.\nIt never sends a request to the API and spends nothing.\nExit codes: 0 stopped, 2 settings.",
    )
    .action((options: Options) => withApp((app) => serve(app, options), options.asOf));
}

async function serve(app: App, { http }: Options): Promise<void> {
  const { config, warehouse, clock, hide } = app;
  await using reader = await openAsReader(app.databaseUrl, {
    password: config.environment.STOREHOUSE_READER_PASSWORD,
    size: readers,
    // the limit of a statement comes first
    timeoutMs: (config.settings.mcp.seconds + 30) * 1000,
    // a pinned day applies to views as well
    session: clock.today() === dayOf(clock.now()) ? {} : { "storehouse.today": clock.today() },
  });
  const parts: ServerParts = {
    db: warehouse.db,
    reader: reader.pool,
    settings: config.settings,
    clock,
    version: programVersion(),
    hide,
  };
  using stop = stopSignal();
  if (http === undefined) return await serveStdio(parts, stop.signal);
  // loading a web server takes longer than a client over a pipe should wait
  const { serveHttp } = await import("../../mcp/serve-http.ts");
  await using server = await serveHttp(parts, http === true ? defaultPort : http);
  remark(`The marts are served at ${server.url}; Ctrl-C stops it.`);
  await untilStopped(stop.signal);
}
