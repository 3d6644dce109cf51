import type { Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import type { Reprocess } from "../plan/missing.ts";
import type { Only } from "./only.ts";

/** What a sync is asked to do. */
export type SyncRequest = {
  /** Datasets by name; those that are on when empty. */
  readonly datasets: readonly string[];
  /** Days asked for by hand, half-open; each dataset's own history where left out. */
  readonly bounds: Partial<Window>;
  readonly today: Day;
  /** Apps and countries asked for by hand; all when left out. See `isWanted`. */
  readonly only?: Only;
  /**
   * Which cells that were asked for before are asked for again; `missing` when left out. The others ask again each time they are
   * planned, so a request with one of them is planned once. They hold for the market; what is followed is brought up to date as always.
   */
  readonly reprocess?: Reprocess;
};
