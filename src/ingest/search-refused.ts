import type { Slice } from "../core/slice.ts";
import { dropKnownRefused, isSearched } from "../ledger/refused-items.ts";
import { splitSlice } from "../ledger/slices.ts";
import { lockUntilCommit } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";

/**
 * Has a refused slice go on without the items that are known to be refused alone or, where none is known, in halves. False where another
 * slice of its scope is searched for the item already: then this one is to wait for that.
 */
export function searchRefused(db: Database, slice: Slice, now: number): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockUntilCommit(transaction, "refused batch");
    // in this order: a search that ends between the two has its item known by then
    const searched = await isSearched(transaction, slice);
    if (await dropKnownRefused(transaction, slice)) return true;
    if (searched) return false;
    await splitSlice(transaction, slice, now);
    return true;
  });
}
