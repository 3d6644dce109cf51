import { accountIdIn, type App } from "../app.ts";
import { crontabFile, type Config } from "../config/config.ts";
import type { Settings } from "../config/settings.ts";
import { readAgreed, type AgreedDatasets } from "../credits/agreement.ts";
import { agreedOf } from "../planner/agreed-datasets.ts";
import type { Queryable } from "../postgres/sql.ts";
import { readCrontab, scheduledBy, type CrontabLine } from "./crontab.ts";

/*
 * A worker plans only what was agreed to. The crontab and the settings may have changed since a person agreed: what they plan beyond that is
 * left out by each planning job, which reads the agreement when it runs (`planAgreed`). Here is what prices and reports need of it.
 */

type AgreedLines = {
  /** The lines without datasets that nobody has agreed to; a line that would plan nothing else is left out. */
  readonly lines: readonly CrontabLine[];
  /** The datasets of the lines that no agreement covers. */
  readonly lacking: readonly string[];
};

/** Narrows lines to the datasets that a person has agreed to. A line that names none then names those of everything that is on. */
export function agreedLines(lines: readonly CrontabLine[], agreed: AgreedDatasets, settings: Settings): AgreedLines {
  if (agreed === "everything") return { lines, lacking: [] };
  const narrowed = lines.flatMap((line) => {
    if (line.datasets === null) return [line];
    const datasets = agreedOf(line.datasets, agreed, settings);
    // an empty list would mean all that are on
    return datasets.length === 0 ? [] : [{ ...line, datasets }];
  });
  const covered = scheduledBy(narrowed, settings);
  return { lines: narrowed, lacking: scheduledBy(lines, settings).filter((name) => !covered.includes(name)) };
}

/** A worker requires confirmation of exactly what the crontab plans; a `sync` would have to name it. */
const howToAgree =
  "`storehouse worker` at a terminal shows the price and requires confirmation, `storehouse worker --yes` agrees; then restart the workers that started before the crontab or the settings were last changed, others need no restart";

/** Datasets that the crontab plans and that workers leave out, since nobody has agreed to them; and how to agree. */
export type NotAgreed = { readonly datasets: readonly string[]; readonly next: string };

/** Reads what the crontab plans and nobody has agreed to; null if there is nothing. Throws a UsageError for an invalid crontab. */
export async function readNotAgreed(db: Queryable, config: Config): Promise<NotAgreed | null> {
  const all = readCrontab(crontabFile(config));
  const { lacking } = agreedLines(all, await agreedIn(db, config), config.settings);
  return lacking.length === 0 ? null : { datasets: lacking, next: howToAgree };
}

/** Logs a warning if the crontab plans datasets that nobody has agreed to. */
export async function warnOfNotAgreed({ config, warehouse, log }: App): Promise<void> {
  const found = await readNotAgreed(warehouse.db, config);
  if (found !== null) log.warn({ datasets: found.datasets.join(", "), next: found.next }, "worker.not_agreed");
}

/**
 * What the coming runs are priced for: the lines and datasets that a person has agreed to, and all of the crontab before anyone has agreed to
 * anything.
 */
export async function readPriced(
  db: Queryable,
  config: Config,
): Promise<Pick<AgreedLines, "lines"> & { readonly agreed: AgreedDatasets }> {
  const all = readCrontab(crontabFile(config));
  const agreed = await agreedIn(db, config);
  const isNothingAgreed = agreed !== "everything" && agreed.size === 0;
  if (isNothingAgreed && scheduledBy(all, config.settings).length > 0) return { lines: all, agreed: "everything" };
  return { lines: agreedLines(all, agreed, config.settings).lines, agreed };
}

async function agreedIn(db: Queryable, config: Config): Promise<AgreedDatasets> {
  return readAgreed(db, await accountIdIn(db, config));
}
