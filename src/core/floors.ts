import type { CreditClass } from "./slice.ts";

/** Shares of the allowance that classes leave untouched. */
export type Floors = Readonly<Record<CreditClass, number>>;

/**
 * Credits of an allowance of `total` that a share leaves untouched, rounded as in Postgres: 0.07 * 100 is a little more than 7 here, and 7
 * there.
 */
export function floorCredits(total: number, share: number): number {
  return Math.max(0, Math.ceil(total * share - 1e-6));
}

/**
 * The share that work of a class leaves untouched. `canWait`: a snapshot that can also be requested tomorrow leaves as much as the newest
 * day, since the rest is kept for snapshots that are lost tonight.
 */
export function floorOf(floors: Floors, name: CreditClass, canWait: boolean): number {
  return name === "snapshot" && canWait ? Math.max(floors.snapshot, floors.daily) : floors[name];
}
