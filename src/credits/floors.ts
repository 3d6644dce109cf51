import type { CreditClass } from "../core/slice.ts";

/** Shares of the allowance that classes leave untouched. */
export type Floors = Readonly<Record<CreditClass, number>>;

/**
 * The share that work of a class leaves untouched. `canWait`: a snapshot that can be requested tomorrow as well leaves what the newest day
 * leaves, since the rest is kept for what is lost tonight.
 */
export function floorOf(floors: Floors, name: CreditClass, canWait = false): number {
  return name === "snapshot" && canWait ? Math.max(floors.snapshot, floors.daily) : floors[name];
}
