import type { Slice } from "../core/slice.ts";
import { dropKnownRefused, isSearched } from "../ledger/refused-items.ts";
import { splitSlice } from "../ledger/slices.ts";
import { lockUntilCommit } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";

/**
 * Continues a refused slice without the items that are known to be refused alone or, if none is known, in halves. False if another slice of
 * its scope is already being searched for the item: then this one must wait for it.
 */
export function searchRefused(db: Database, slice: Slice, now: number): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockUntilCommit(transaction, "refused batch");
    // in this order: if a search ends between the two, its item is known by then
    const searched = await isSearched(transaction, slice);
    if (await dropKnownRefused(transaction, slice)) return true;
    if (searched) return false;
    await splitSlice(transaction, slice, now);
    return true;
  });
}
