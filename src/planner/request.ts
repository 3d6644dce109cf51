import { isAppNamed } from "../core/app-names.ts";
import type { Day } from "../core/day.ts";
import type { Scope } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { PartitionGroup } from "../core/partition-group.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { Reprocess } from "../plan/missing.ts";

/** What a sync requests. */
export type SyncRequest = {
  /** Datasets by name; if empty, those that are on. */
  readonly datasets: readonly string[];
  /** Days that a person names, half-open; if left out, the history of each dataset. */
  readonly bounds: Partial<Window>;
  readonly today: Day;
  /** Apps and countries that a person names; all if left out. See `isWanted`. */
  readonly only?: Only;
  /**
   * Which cells that were requested before are requested again; `missing` if left out. The other values request the cells again each time
   * they are planned, so a request with one of them is planned once. They apply to the market; the portfolio is updated as always.
   */
  readonly reprocess?: Reprocess;
  /** Set for the schedule: datasets that the configuration switches off take no part, even if a named dataset is planned from them. */
  readonly isScheduled?: true;
};

/**
 * Apps (track ids or `store:trackId`) and countries (codes in upper or lower case) that a request is limited to. `groups`: only these
 * partitions of the datasets that it contains; other datasets stay whole, since the named ones are planned from them. `withItems`: also the
 * named apps in partitions that are about several apps. A request leaves these out, since a call for one app costs as much as one for all.
 */
export type Only = {
  readonly apps?: readonly string[];
  readonly countries?: readonly string[];
  readonly groups?: readonly PartitionGroup[];
  readonly withItems?: true;
};

/**
 * True if a partition belongs to the request. A partition without a country is about all countries and stays. One without an app stays only
 * if no app is named, if it lists the portfolio (the rest is planned from that), or if its items are apps and these are included.
 */
export function isWanted(
  scope: Scope,
  { stage, itemsAreApps }: Pick<Dataset, "stage" | "itemsAreApps">,
  { apps, countries, withItems }: Only,
): boolean {
  const { app, store, country } = scope;
  const isKept = stage !== "market" || (withItems === true && itemsAreApps === true);
  const appFits = apps === undefined || (app === undefined ? isKept : isAppNamed(apps, { store, trackId: app }));
  const countryFits =
    countries === undefined ||
    country === undefined ||
    countries.some((wanted) => wanted.toUpperCase() === country.toUpperCase());
  return appFits && countryFits;
}
