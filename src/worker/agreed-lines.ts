import { accountIdIn, type App } from "../app.ts";
import { crontabFile, type Config } from "../config/config.ts";
import type { Settings } from "../config/settings.ts";
import { readAgreed, type AgreedDatasets } from "../credits/agreement.ts";
import { scheduled } from "../planner/scheduled-datasets.ts";
import type { Queryable } from "../postgres/sql.ts";
import { readCrontab, scheduledBy, type CrontabLine } from "./crontab.ts";

/*
 * A worker plans only what was agreed to. The crontab and the settings may have changed since a person agreed: what they plan beyond that is
 * left out, and everything else runs.
 */

type AgreedLines = {
  /** The lines without datasets that nobody has agreed to; a line that would plan nothing else is left out. */
  readonly lines: readonly CrontabLine[];
  /** The datasets that nobody has agreed to. */
  readonly lacking: readonly string[];
};

/** Narrows lines to the datasets that a person has agreed to. A line that names none then names those of everything that is on. */
export function agreedLines(lines: readonly CrontabLine[], agreed: AgreedDatasets, settings: Settings): AgreedLines {
  if (agreed === "everything") return { lines, lacking: [] };
  const narrowed = lines.flatMap((line) => {
    if (line.datasets === null) return [line];
    const datasets = scheduled(line.datasets, settings).filter((name) => agreed.has(name));
    // an empty list would mean all that are on
    if (datasets.length === 0) return [];
    return [{ ...line, datasets, item: { ...line.item, payload: { ...line.item.payload, datasets } } }];
  });
  return { lines: narrowed, lacking: scheduledBy(lines, settings).filter((name) => !agreed.has(name)) };
}

/** A `sync` of these datasets would not do: it needs no confirmation, and records none, if nothing of the market is missing. */
const howToAgree =
  "`storehouse worker` at a terminal shows the price and requires confirmation, `storehouse worker --yes` agrees; then restart all workers of this account";

/** The lines of the crontab that a worker runs. Logs a warning if it plans datasets that nobody has agreed to. */
export async function linesToRun({ config, warehouse, log }: App): Promise<readonly CrontabLine[]> {
  const all = readCrontab(crontabFile(config));
  const { lines, lacking } = agreedLines(all, await agreedIn(warehouse.db, config), config.settings);
  if (lacking.length > 0) log.warn({ datasets: lacking.join(", "), next: howToAgree }, "worker.not_agreed");
  return lines;
}

/** The lines of the crontab whose runs are priced: those that a worker runs, and all before a person has agreed to any. */
export async function linesToPrice(db: Queryable, config: Config): Promise<readonly CrontabLine[]> {
  const all = readCrontab(crontabFile(config));
  const { lines } = agreedLines(all, await agreedIn(db, config), config.settings);
  return scheduledBy(lines, config.settings).length === 0 ? all : lines;
}

async function agreedIn(db: Queryable, config: Config): Promise<AgreedDatasets> {
  return readAgreed(db, await accountIdIn(db, config));
}
