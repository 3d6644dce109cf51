import { readCrontab } from "../../worker/crontab.ts";
import { crontabFile, type Config } from "../../config/config.ts";
import { namedDatasets } from "../../alerts/datasets-off.ts";
import type { Command } from "commander";
import type { App } from "../../app.ts";
import { alertDays } from "../../alerts/due-days.ts";
import { readAlerts, readLastFired, type AlertState } from "../../alerts/read-alerts.ts";
import { rehearseAlerts, type Rehearsal } from "../../alerts/rehearse.ts";
import { addDays, type Day } from "../../core/day.ts";
import { countArgument, pastDayArgument } from "../arguments.ts";
import { print, printJson } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { optional, table } from "../table.ts";
import { timeCell, zoneNote } from "../times.ts";
import { withApp } from "../with-app.ts";

type Options = { readonly limit: number; readonly json?: true; readonly asOf?: Day };

/** `storehouse alerts`: what is configured and what fired; `alerts test`: what would have fired. */
export function defineAlerts(alerts: Command): void {
  alerts
    .command("list", { isDefault: true })
    .description("list the configured alerts, their last check, and what fired last")
    .option("--limit <number>", "show at most this many that fired", countArgument, 20)
    .option("--json", "as JSON")
    .action((options: Options) => withApp((app) => list(app, options)));
  alerts
    .command("test")
    .description(`show what would have fired over the last ${alertDays} days; sends and spends nothing`)
    .option("--limit <number>", "show at most this many lines per alert", countArgument, 20)
    .option("--as-of <day>", "the day to treat as today (default: today in UTC)", pastDayArgument)
    .option("--json", "as JSON, without a limit")
    .action((options: Options) => withApp((app) => rehearse(app, options), options.asOf));
}

const none = "No alert is configured: docs/alerts.md shows what goes under `alerts:` in config/storehouse.yaml.";

async function list({ warehouse: { db }, config }: App, { limit, json }: Options): Promise<void> {
  const alerts = await readAlerts(db, config.settings, namedIn(config));
  const fired = await readLastFired(db, limit);
  if (json) return printJson({ alerts, fired });
  if (alerts.length === 0) print(none);
  else {
    print(
      table(
        ["alert", optional("mart"), "fires when", optional("sent"), "last check", "through", "fired"],
        alerts.map(lineOf),
      ),
    );
    for (const { name, switchedOff: off, errorMessage } of alerts) {
      if (off[0] !== undefined) print(`${name} never fires: set datasets.${off[0]}.on: true.`);
      if (errorMessage !== null) print(`${name} could not be checked: ${errorMessage}.`);
    }
  }
  if (fired.length === 0) return print("\nNothing has fired yet; `storehouse alerts test` shows what would have.");
  const rows = fired.map(({ alert, text, firedAt, notifiedAt }) => [
    timeCell(firedAt),
    alert,
    text,
    timeCell(notifiedAt),
  ]);
  print(`\n${table(["fired at", "alert", "what", optional("sent at")], rows)}\n${zoneNote()}`);
}

function lineOf({ name, mart, fires, send, checkedAt, newestDay, fired }: AlertState) {
  return [name, mart, fires, send.replace("_", " "), timeCell(checkedAt), newestDay, fired];
}

function namedIn(config: Config): ReadonlySet<string> {
  return namedDatasets(() => readCrontab(crontabFile(config)));
}

async function rehearse({ warehouse: { db }, config, clock }: App, options: Options): Promise<void> {
  const of = { settings: config.settings, named: namedIn(config), today: clock.today() };
  const found = await rehearseAlerts(db, of);
  if (options.json) return printJson(found);
  if (found.length === 0) return print(none);
  for (const one of found) printRehearsal(one, { limit: options.limit, today: clock.today() });
}

function printRehearsal(found: Rehearsal, { limit, today }: { limit: number; today: Day }): void {
  const { alert, days, fires, isCut } = found;
  const of = `of ${countOf(days, "day")} with answers`;
  print(`${alert}: ${fires.length === 0 ? "nothing" : countOf(fires.length, "line")} ${of}${whyNone(found, today)}`);
  if (isCut)
    print("More rows match than one check reads: name apps, countries or keywords, or set a stricter condition.");
  for (const { text } of fires.slice(0, limit)) print(`- ${text}`);
  if (fires.length > limit) print(`- and ${fires.length - limit} more; --limit shows more of them`);
}

/** Why no day has answers, if none has, and what to do about it. */
function whyNone({ days, newestDay, switchedOff: [off] }: Rehearsal, today: Day): string {
  if (days > 0) return "";
  if (newestDay === null)
    return off === undefined ? ": nothing is loaded yet" : `: it never fires, set datasets.${off}.on: true`;
  return newestDay < addDays(today, -alertDays)
    ? `: the newest answer is for ${newestDay}; --as-of ${addDays(newestDay, 1)} shows the days up to it`
    : ": its answers are not complete yet";
}
