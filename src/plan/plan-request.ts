import type { Day } from "../core/day.ts";
import type { Covered, Scope, SliceDraft } from "../core/slice.ts";
import type { FetchOption } from "../core/fetch-option.ts";
import type { Timing } from "../core/timing.ts";
import type { Window } from "../core/window.ts";
import type { Reprocess } from "./missing.ts";

/** One partition of a dataset with the options to fetch it. */
export type PlanPartition = {
  readonly scope: Scope;
  /** What calls name in batches; null if the scope is enough. */
  readonly items: readonly string[] | null;
  readonly fingerprint: string;
  /** True if data is known to exist: then an empty answer counts as no answer. */
  readonly expected?: boolean;
  readonly fetchOptions: readonly FetchOption[];
  /** Its own timing, if it differs from that of the dataset. */
  readonly timing?: Timing;
};

/** Everything that planning one dataset depends on. */
export type PlanRequest = {
  readonly dataset: string;
  readonly timing: Timing;
  readonly partitions: readonly PlanPartition[];
  /** What was requested before, oldest first, by `scopeKey`. */
  readonly covered: ReadonlyMap<string, readonly Covered[]>;
  readonly today: Day;
  /** Days that a person names; if left out, the history of the dataset. */
  readonly bounds: Partial<Window>;
  /** Which cells that were requested before are requested again. */
  readonly reprocess: Reprocess;
};

/** The slices of one dataset, newest first, and what a program that requests one thing at a time would pay. */
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
