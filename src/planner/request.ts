import type { Day } from "../core/day.ts";
import type { Scope } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { PartitionGroup } from "../core/partition-group.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { Reprocess } from "../plan/missing.ts";

/** What a sync is to do. */
export type SyncRequest = {
  /** Datasets by name; those that are on when empty. */
  readonly datasets: readonly string[];
  /** Days that a person names, half-open; each dataset's own history where left out. */
  readonly bounds: Partial<Window>;
  readonly today: Day;
  /** Apps and countries that a person names; all when left out. See `isWanted`. */
  readonly only?: Only;
  /**
   * Which cells that were requested before are requested again; `missing` when left out. The others request again each time they are
   * planned, so a request with one of them is planned once. They hold for the market; the portfolio is updated as always.
   */
  readonly reprocess?: Reprocess;
  /** Of the schedule: what the configuration switches off takes no part, also where a named dataset is planned from it. */
  readonly isScheduled?: true;
};

/**
 * Apps (track ids or `store:trackId`) and countries (codes in any case) that a request is cut down to. `groups`: of the datasets that
 * are in it only these partitions; others stay whole, since the ones that are named are planned from them. `withItems`: of partitions
 * that are about several apps also the named apps among them; a request leaves them out, since a call for one of them costs as much as
 * one for all.
 */
export type Only = {
  readonly apps?: readonly string[];
  readonly countries?: readonly string[];
  readonly groups?: readonly PartitionGroup[];
  readonly withItems?: true;
};

/**
 * True when a partition belongs to what was requested. One whose scope has no country is about all of them and stays; one without an
 * app stays only where no app is named, where it lists the portfolio, since the rest is planned from that, or where its items are apps
 * and these are wanted.
 */
export function isWanted(
  scope: Scope,
  { stage, itemsAreApps }: Pick<Dataset, "stage" | "itemsAreApps">,
  { apps, countries, withItems }: Only,
): boolean {
  const { app, store, country } = scope;
  const isKept = stage !== "market" || (withItems === true && itemsAreApps === true);
  const appFits =
    apps === undefined || (app === undefined ? isKept : apps.includes(app) || apps.includes(`${store}:${app}`));
  const countryFits =
    countries === undefined ||
    country === undefined ||
    countries.some((wanted) => wanted.toUpperCase() === country.toUpperCase());
  return appFits && countryFits;
}
