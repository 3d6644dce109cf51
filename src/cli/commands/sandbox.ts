import { type Command, Option } from "commander";
import type { Day } from "../../core/day.ts";
import { fail } from "../../core/errors.ts";
import { startSandbox, type Sandbox, type SandboxOptions } from "../../sandbox/sandbox.ts";
import { dayArgument, hostArgument, portArgument, wholeNumber } from "../arguments.ts";
import { printWhole, remark } from "../output.ts";
import { stopSignal, untilStopped } from "../stop-signal.ts";

type Options = {
  readonly host: string;
  readonly port: number;
  readonly seed: number;
  readonly today?: Day;
  readonly dateForm: "epoch" | "local";
  readonly latency: number;
};

const whole = wholeNumber({ most: 999_999_999, says: "It is not a whole number." });

/** `storehouse sandbox`: the API over a synthetic market, for trying things out. */
export function defineSandbox(command: Command): void {
  command
    .option(
      "--host <address>",
      "address to listen on; any address other than loopback exposes it to the network",
      hostArgument,
      "127.0.0.1",
    )
    .option("--port <number>", "port; 0 for any free one", portArgument, 9467)
    .option("--seed <number>", "which synthetic market to serve", whole, 1)
    .option("--today <day>", "the day that is today in the market (default: today in UTC)", dayArgument)
    .addOption(
      new Option("--date-form <form>", "how times are written in answers").choices(["epoch", "local"]).default("epoch"),
    )
    .option("--latency <ms>", "delay before each answer, in milliseconds", whole, 0)
    .action(async (options: Options) => {
      const { host, port, seed, today, dateForm, latency } = options;
      await using sandbox = await listening({
        host,
        port,
        seed,
        dateForm,
        latencyMs: latency,
        ...(today === undefined ? {} : { today }),
      });
      using stop = stopSignal();
      remark("The sandbox runs until Ctrl-C. With these two lines in .env the other commands use it:");
      printWhole(`API_BASE_URL=${sandbox.url}\nAPI_TOKEN=${sandbox.token}`);
      await untilStopped(stop.signal);
    });
}

/** The sandbox, listening; a port that is not free is reported in words. */
async function listening(options: SandboxOptions & { readonly port: number }): Promise<Sandbox> {
  return startSandbox(options).catch((error: NodeJS.ErrnoException) => {
    const { host, port } = options;
    if (error.code === "EADDRINUSE") throw fail("port_taken", { port }, error);
    if (error.code === "EACCES") throw fail("bad_argument", { problem: `only root may use port ${port}` }, error);
    if (error.syscall === "listen" || error.syscall === "getaddrinfo")
      throw fail("bad_argument", { cause: error.code ?? "", problem: `this machine has no address ${host}` }, error);
    throw error;
  });
}
