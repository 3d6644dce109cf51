import type { Command } from "commander";
import type { App } from "../../app.ts";
import { fail } from "../../core/errors.ts";
import { noteTaskDone } from "../../ledger/findings.ts";
import { withPublishedCheck } from "../../publish/verify-month.ts";
import { keptTables } from "../../runs/kept-tables.ts";
import { monthsToRetire, retire, type OldMonth, type Retired } from "../../runs/retention.ts";
import { canConfirm, confirm } from "../confirm.ts";
import { exitCodeUnconfirmed } from "../exit-codes.ts";
import { withApp } from "../with-app.ts";
import { print, printJson, remark } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { stopSignal } from "../stop-signal.ts";
import { table } from "../table.ts";
import { sumBy } from "../../core/sum.ts";

type Options = { readonly dryRun?: true; readonly yes?: true; readonly json?: true };

/** `storehouse retention`: drop or detach months of facts and requests that are no longer kept. */
export function defineRetention(command: Command): void {
  command
    .option("--dry-run", "only show these months")
    .option("--yes", "run without confirmation")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nconfig/storehouse.yaml sets how long months are kept: retention.keep_months, or datasets.<name>.keep_months, and retention.ops_months for requests; retention.action is drop or detach. `storehouse prune` deletes stored answers.\nExit codes: 0 done or nothing to do, 1 some months were in use or are not published yet (CLICKHOUSE_URL), 2 usage, or not confirmed, 130 interrupted.",
    )
    .action((options: Options) => withApp((app) => retention(app, options)));
}

async function retention({ warehouse, clock, config }: App, options: Options): Promise<void> {
  const { db } = warehouse;
  const { settings } = config;
  const { action } = settings.retention;
  const old = await monthsToRetire(db, settings, clock.today());
  if (options.dryRun) {
    if (options.json) return printJson({ action, months: old });
    return print(
      old.length === 0 ? nothingOld(keptTables(settings, clock.today()).length) : `${tableOf(old)}\n${would[action]}`,
    );
  }
  if (old.length > 0 && !options.yes && !(await isAgreed(old, action))) return remark("Nothing was changed.");
  const retired = await withPublishedCheck(warehouse, config, (mayGo) =>
    retire(db, { settings, clock, action, mayGo }),
  );
  await noteTaskDone(db, "retention", clock.now());
  if (retired.some(({ outcome }) => outcome !== "gone")) process.exitCode = 1;
  if (options.json) return printJson({ action, months: retired });
  print(retired.length === 0 ? nothingOld(keptTables(settings, clock.today()).length) : done(retired, action));
}

const would = {
  drop: "They would be dropped; nothing was.",
  detach: "They would be moved to the schema archive; nothing was.",
} as const;

function nothingOld(tables: number): string {
  return tables === 0
    ? "All facts are kept. To drop older months, set retention.keep_months in config/storehouse.yaml, or keep_months under a dataset."
    : "No month is older than what is kept: nothing to do.";
}

async function isAgreed(old: readonly OldMonth[], action: "drop" | "detach"): Promise<boolean> {
  if (!canConfirm()) throw fail("not_confirmed");
  remark(tableOf(old));
  using stop = stopSignal();
  const months = countOf(old.length, "month");
  const question = action === "drop" ? `Drop ${months} for good?` : `Move ${months} to the schema archive?`;
  if (await confirm(question, stop.signal)) return true;
  process.exitCode = exitCodeUnconfirmed(stop.signal);
  return false;
}

function tableOf(months: readonly OldMonth[]): string {
  return table(
    ["table", "month", "rows", "bytes", "kept from", "datasets"],
    months.map((one) => [one.table, one.month.slice(0, 7), one.rows, one.bytes, one.keptFrom, one.datasets.join(", ")]),
  );
}

const nextFor = {
  "in use": "the next retention run retires them.",
  "not published": "`storehouse publish` copies them to ClickHouse, and the next retention run retires them.",
} as const;

function done(retired: readonly Retired[], action: "drop" | "detach"): string {
  const gone = retired.filter(({ outcome }) => outcome === "gone");
  const rows = countOf(
    sumBy(gone, (one) => one.rows),
    "row",
  );
  const what = action === "drop" ? "dropped" : "moved to the schema archive";
  const later = (["in use", "not published"] as const).map((outcome) => {
    const left = retired.filter((one) => one.outcome === outcome).length;
    return left === 0 ? "" : `\n${countOf(left, "month")} ${outcome}: ${nextFor[outcome]}`;
  });
  return `${countOf(gone.length, "month")} ${what}, ${rows}.${later.join("")}`;
}
