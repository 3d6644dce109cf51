import type { Settings } from "../config/settings.ts";
import type { AgreedDatasets } from "../credits/agreement.ts";
import { datasetsOf } from "./plan-stream.ts";
import { scheduled } from "./scheduled-datasets.ts";

/** The datasets that a line of the schedule plans (see `scheduled`) and that a person has agreed to. */
export function agreedOf(names: readonly string[], agreed: AgreedDatasets, settings: Settings): readonly string[] {
  return scheduled(names, settings).filter((name) => agreed === "everything" || agreed.has(name));
}

/** What an agreement covers: an agreement to a dataset includes reading what it is planned from. */
export function coveredBy(agreed: AgreedDatasets, settings: Settings): AgreedDatasets {
  // without a name, the datasets that are on would be meant
  if (agreed === "everything" || agreed.size === 0) return agreed;
  return new Set(datasetsOf({ datasets: [...agreed], isScheduled: true }, settings).map(({ name }) => name));
}
