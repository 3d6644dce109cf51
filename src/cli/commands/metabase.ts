import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { App } from "../../app.ts";
import { projectRoot } from "../../config/config.ts";
import { addressProblem } from "../../config/env.ts";
import { fail } from "../../core/errors.ts";
import { type Applied, applyMetabase } from "../../metabase/apply.ts";
import { connectionOf } from "../../metabase/database-entry.ts";
import type { Change } from "../../metabase/remote.ts";
import { loadConfig, withApp } from "../environment.ts";
import { countOf, print, printJson, remark } from "../output.ts";

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

/** `storehouse metabase`: the warehouse, its metadata and the starter dashboards in Metabase. */
export function addMetabase(program: Command): void {
  program
    .command("metabase")
    .description(
      "set Metabase up: the database, what its columns mean, and the starter dashboards; run again, it mends what is missing",
    )
    .option("--url <url>", `address of Metabase (default: METABASE_URL, else ${defaultUrl})`, address)
    .option("--dry-run", "only say what would change")
    .option("--overwrite", "also put back what somebody has changed in our questions and dashboards")
    .option("--wait <seconds>", "how long to wait for Metabase to start, and to read the schema", seconds, defaultWait)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nEnvironment: METABASE_API_KEY, or METABASE_EMAIL and METABASE_PASSWORD (a new Metabase gets its first administrator from them);\nSTOREHOUSE_READER_PASSWORD; METABASE_DATABASE_HOST when Metabase sees Postgres under another name.\nExit codes: 0 done, 1 Metabase failed, 2 usage, access or settings.",
    )
    .action(async (options: Options) => {
      if (loadConfig().environment.DATABASE_URL === undefined)
        throw fail("bad_setting", {
          variable: "DATABASE_URL",
          problem:
            "is not set: the Postgres that Storehouse brings runs only while a command does, and Metabase needs one that stays up",
        });
      await withApp((app) => metabase(app, options));
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
    folder: path.join(projectRoot, "config", "metabase"),
    isRehearsal: dryRun,
    overwrite: flags.overwrite === true,
    seconds: wait,
    clock: app.clock,
    say: remark,
  });
  tell(applied, { dryRun, json: flags.json === true });
}

function tell(applied: Applied, { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean }): void {
  if (json) printJson({ ...applied, dryRun });
  else print(metabaseReport(applied, dryRun));
}

function address(text: string): string {
  const problem = addressProblem(text);
  if (problem !== null) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}

function seconds(text: string): number {
  if (!/^\d{1,4}$/.test(text))
    throw new InvalidArgumentError("It is no number of seconds: write a whole number up to 9999.");
  return Number(text);
}

/** What `storehouse metabase` did, or would do, in words: things one a line, columns and tables by their number. */
function metabaseReport({ version, changes, isWhole }: Applied, isRehearsal: boolean): string {
  const made = changes.filter(({ action }) => action !== "leave");
  const lines = [
    ...made.filter(({ what }) => !isMany(what)).map((change) => line(change, isRehearsal)),
    ...described(made, isRehearsal),
    ...changes.filter(({ action }) => action === "leave").map(leftLine),
  ];
  if (made.length === 0) lines.push(`Metabase ${version} is as it should be: nothing to change.`);
  if (!isWhole) lines.push("What comes after that is known once this is done.");
  else if (isRehearsal && made.length > 0) lines.push("Nothing was changed.");
  if (changes.some(({ action }) => action === "leave"))
    lines.push("What somebody has changed was left; --overwrite puts it back.");
  return lines.join("\n");
}

function isMany(what: Change["what"]): boolean {
  return what === "table" || what === "column";
}

const verbs = { create: ["make", "made"], update: ["update", "updated"] } as const;

function line({ what, name, action, properties }: Change, isRehearsal: boolean): string {
  const [would, did] = action === "leave" ? ["leave", "left"] : verbs[action];
  const which = properties.length === 0 ? "" : `: ${properties.join(", ")}`;
  return `${isRehearsal ? `would ${would}` : did} ${what} ${name}${which}`;
}

function leftLine({ what, name, properties }: Change): string {
  return `left ${what} ${name} as it is: ${properties.join(", ")} changed in Metabase`;
}

function described(made: readonly Change[], isRehearsal: boolean): readonly string[] {
  const counts = (["table", "column"] as const).flatMap((what) => {
    const number = made.filter((change) => change.what === what).length;
    return number === 0 ? [] : [countOf(number, what)];
  });
  return counts.length === 0 ? [] : [`${isRehearsal ? "would describe" : "described"} ${counts.join(" and ")}`];
}
