import { createHash } from "node:crypto";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { AppId } from "./portfolio.ts";

/*
 * A plan is made shard by shard, so that memory does not grow with the account and several workers may plan it. There is a fixed number of
 * groups, and the hash of an app's id decides which one it is in. Each shard has some of these groups; one more shard has everything that
 * does not belong to a single app. A process that plans a shard holds a lock for each of its groups, so that plans with different numbers
 * of shards exclude each other.
 */

/**
 * Shard `number` of `of` shards by app. If `of` is 1, the only shard is number 0, which has everything. Otherwise number 0 has the datasets
 * that are not planned by app, and numbers 1 to `of` have the others, each for its apps.
 */
export type Shard = { readonly number: number; readonly of: number };

/** The one shard that has everything. */
export const wholePlan: Shard = { number: 0, of: 1 };

/**
 * Groups of apps; there are never more shards than groups. If this number changed, two versions of the program could plan the same app at
 * once.
 */
const groups = 64;

/** A shard has about this many apps at most: thousands of slices per night, queued in a transaction of a second. */
const mostApps = 64;

/** The shards of a portfolio with this many apps. Their number is a power of two, so that each has the same number of groups. */
export function shardsFor(apps: number): readonly Shard[] {
  let of = 1;
  while (of < groups && apps > of * mostApps) of *= 2;
  return of === 1 ? [wholePlan] : Array.from({ length: of + 1 }, (_, number) => ({ number, of }));
}

/** True if a shard plans the dataset. */
export function hasDataset({ number, of }: Shard, { byApp }: Pick<Dataset, "byApp">): boolean {
  return of === 1 || (number === 0) !== (byApp === true);
}

/** True if an app belongs to the portfolio of a shard. */
export function hasApp({ number, of }: Shard, app: AppId): boolean {
  return number === 0 || groupOf(app) % of === number - 1;
}

/** The numbers of the locks that planning a shard takes, in order: those of its groups, and last the one for everything without an app. */
export function locksOf({ number, of }: Shard): readonly number[] {
  const all = Array.from({ length: groups }, (_, group) => group);
  if (of === 1) return [...all, groups];
  return number === 0 ? [groups] : all.filter((group) => group % of === number - 1);
}

function groupOf({ store, trackId }: AppId): number {
  const [first = 0] = createHash("sha256").update(`${store}:${trackId}`).digest();
  return first % groups;
}
