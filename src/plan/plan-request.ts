import type { Day } from "../core/day.ts";
import type { Covered, Scope, SliceDraft } from "../core/slice.ts";
import type { FetchOption } from "../core/fetch-option.ts";
import type { Timing } from "../core/timing.ts";
import type { Window } from "../core/window.ts";
import type { Reprocess } from "./missing.ts";

/** One partition of a dataset with the options to fetch it. */
export type PlanPartition = {
  readonly scope: Scope;
  /** What calls name by the batch; null where the scope says it all. */
  readonly items: readonly string[] | null;
  readonly fingerprint: string;
  /** True where something is known to be there: an empty answer is none. */
  readonly expected?: boolean;
  readonly fetchOptions: readonly FetchOption[];
  /** When it is worth requesting, where that is not as for the others. */
  readonly timing?: Timing;
};

/** All that planning one dataset depends on: nothing else is read. */
export type PlanRequest = {
  readonly dataset: string;
  readonly timing: Timing;
  readonly partitions: readonly PlanPartition[];
  /** What was requested before, oldest first, by `scopeKey`. */
  readonly covered: ReadonlyMap<string, readonly Covered[]>;
  readonly today: Day;
  /** Days that a person names; the dataset's own history where left out. */
  readonly bounds: Partial<Window>;
  /** Which cells that were requested before are requested again. */
  readonly reprocess: Reprocess;
};

/** The slices of one dataset, newest first, and what a program would pay that requests one thing at a time. */
export type DatasetPlan = {
  readonly dataset: string;
  readonly slices: readonly SliceDraft[];
  readonly naiveCredits: number;
};

/** One partition of a request with what was requested for it before. */
export type PartitionPlanning<T extends Timing> = {
  readonly request: PlanRequest;
  readonly partition: PlanPartition;
  readonly covered: readonly Covered[];
  readonly timing: T;
};
