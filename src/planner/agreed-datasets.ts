import type { Settings } from "../config/settings.ts";
import type { AgreedDatasets } from "../credits/agreement.ts";
import { datasets } from "../datasets/shared/all.ts";
import { datasetsOf } from "./plan-stream.ts";
import { scheduled } from "./scheduled-datasets.ts";

/** The datasets that a line of the schedule plans (see `scheduled`) and that an agreement covers. */
export function agreedOf(names: readonly string[], agreed: AgreedDatasets, settings: Settings): readonly string[] {
  const covered = coveredBy(agreed, settings);
  return scheduled(names, settings).filter((name) => covered === "everything" || covered.has(name));
}

/**
 * What an agreement covers: an agreement to a dataset includes reading what it is planned from, as the price of its nights does. However
 * often lines plan such a list, it is requested no more often than in these nights. A name that the program does not know covers nothing.
 */
export function coveredBy(agreed: AgreedDatasets, settings: Settings): AgreedDatasets {
  if (agreed === "everything") return agreed;
  const known = datasets.filter(({ name }) => agreed.has(name)).map(({ name }) => name);
  // without a name, the datasets that are on would be meant
  if (known.length === 0) return new Set();
  return new Set(datasetsOf({ datasets: known, isScheduled: true }, settings).map(({ name }) => name));
}
