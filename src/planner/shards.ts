import { createHash } from "node:crypto";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { AppId } from "./portfolio.ts";

/*
 * A plan is made shard by shard, so that memory does not grow with the account and several workers may plan it. An app is always in the
 * same one of a fixed number of groups, by a hash of its id; a shard has some of these groups, and one more has what belongs to no single
 * app. A process that plans a shard holds a lock for each of its groups, so that plannings of any number of shards keep out of each other's way.
 */

/**
 * Shard `number` of `of` shards by app. Of one there is only number 0, which has everything; of more, number 0 has the datasets that
 * are not planned by app, and numbers 1 to `of` have the others, each for its apps.
 */
export type Shard = { readonly number: number; readonly of: number };

/** The one shard that has everything. */
export const wholePlan: Shard = { number: 0, of: 1 };

/** Groups of apps; there are never more shards than that. A change would have two versions of the program plan the same app at once. */
const groups = 64;

/** A shard has about so many apps at most: thousands of slices a night, queued in a transaction of a second. */
const mostApps = 64;

/** The shards of a portfolio of so many apps: as many as a power of two, so that each has as many groups as any other. */
export function shardsFor(apps: number): readonly Shard[] {
  let of = 1;
  while (of < groups && apps > of * mostApps) of *= 2;
  return of === 1 ? [wholePlan] : Array.from({ length: of + 1 }, (_, number) => ({ number, of }));
}

/** True where a shard plans the dataset. */
export function hasDataset({ number, of }: Shard, { byApp }: Pick<Dataset, "byApp">): boolean {
  return of === 1 || (number === 0) !== (byApp === true);
}

/** True where an app belongs to the portfolio that a shard is planned from. */
export function hasApp({ number, of }: Shard, app: AppId): boolean {
  return number === 0 || groupOf(app) % of === number - 1;
}

/** The numbers of the locks that planning a shard takes, in the order in which they are taken: its groups, and last what belongs to no app. */
export function locksOf({ number, of }: Shard): readonly number[] {
  const all = Array.from({ length: groups }, (_, group) => group);
  if (of === 1) return [...all, groups];
  return number === 0 ? [groups] : all.filter((group) => group % of === number - 1);
}

function groupOf({ store, trackId }: AppId): number {
  const [first = 0] = createHash("sha256").update(`${store}:${trackId}`).digest();
  return first % groups;
}
