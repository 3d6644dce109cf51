import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { App } from "../../app.ts";
import { projectRoot, type Config } from "../../config/config.ts";
import { addressProblem } from "../../config/env.ts";
import { networkOf } from "../../config/network.ts";
import { fail } from "../../core/errors.ts";
import { applyMetabase } from "../../metabase/apply.ts";
import { connectionOf } from "../../metabase/database-entry.ts";
import { metabaseReport } from "../metabase-report.ts";
import { withCheckedApp } from "../with-app.ts";
import { print, printJson, remark } from "../output.ts";
import { wholeNumber } from "../arguments.ts";

type Options = {
  readonly url?: string;
  readonly dryRun?: true;
  readonly overwrite?: true;
  readonly wait: number;
  readonly json?: true;
};

const defaultUrl = "http://127.0.0.1:3000";
/** A first start takes a minute or two. */
const defaultWait = 180;

const seconds = wholeNumber({ most: 9_999, says: "It is not a number of seconds: write a whole number up to 9999." });

/** `storehouse metabase`: the warehouse, its metadata and the starter dashboards in Metabase. */
export function defineMetabase(command: Command): void {
  command
    .option("--url <url>", `address of Metabase (default: METABASE_URL, or else ${defaultUrl})`, address)
    .option("--dry-run", "only report what would change")
    .option("--overwrite", "replace questions, metrics and dashboards that differ from config/metabase")
    .option("--wait <seconds>", "how long to wait for Metabase to start, and to read the schema", seconds, defaultWait)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nEnvironment: METABASE_API_KEY, or METABASE_EMAIL and METABASE_PASSWORD (a new Metabase gets its first administrator from them); STOREHOUSE_READER_PASSWORD; METABASE_DATABASE_HOST if Metabase reaches Postgres under another host name.\nExit codes: 0 done, 1 Metabase failed, 2 usage, access or settings.",
    )
    .action((options: Options) => withCheckedApp(checkStaysUp, (app) => metabase(app, options)));
}

function checkStaysUp({ environment }: Config): void {
  if (environment.DATABASE_URL === undefined)
    throw fail("bad_setting", {
      variable: "DATABASE_URL",
      problem: "is not set: the embedded Postgres runs only while a command runs, and Metabase needs one that stays up",
    });
}

async function metabase(app: App, { url, wait, ...flags }: Options): Promise<void> {
  const { environment } = app.config;
  const dryRun = flags.dryRun === true;
  const applied = await applyMetabase(app.warehouse, {
    url: url ?? environment.METABASE_URL ?? defaultUrl,
    credentials: {
      apiKey: environment.METABASE_API_KEY,
      email: environment.METABASE_EMAIL,
      password: environment.METABASE_PASSWORD,
    },
    connection: connectionOf(
      app.databaseUrl,
      environment.METABASE_DATABASE_HOST,
      environment.STOREHOUSE_READER_PASSWORD,
    ),
    network: networkOf(environment),
    folder: path.join(projectRoot, "config", "metabase"),
    isDryRun: dryRun,
    overwrite: flags.overwrite === true,
    seconds: wait,
    clock: app.clock,
    say: remark,
  });
  if (flags.json === true) printJson({ ...applied, dryRun });
  else print(metabaseReport(applied, dryRun));
}

function address(text: string): string {
  const problem = addressProblem(text);
  if (problem !== null) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}
