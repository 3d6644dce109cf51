import type { ErrorCode } from "../core/error-codes.ts";
import { unreadableCodes } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/**
 * Marks the page at which each of some attempts failed: the last one that it stored, since pages are read in their order. Such a page does
 * not count as paid for in the price of its slice. The mark decides nothing else: the next attempt checks the body itself, and requests
 * the page again only if that cannot be used. Attempts that ended for another reason are left alone.
 */
export async function markUnreadable(
  db: Database,
  ends: readonly { readonly slice: Slice; readonly ending: { readonly error: { readonly code: string } | null } }[],
): Promise<void> {
  const unread = ends.filter(({ ending }) => unreadableCodes.includes(ending.error?.code as ErrorCode));
  if (unread.length === 0) return;
  await sql`
    update raw.answer as a set is_unreadable = true
    from   unnest(${unread.map(({ slice }) => slice.sliceId)}::bigint[], ${unread.map(({ slice }) => slice.attempt)}::integer[])
           as e (slice_id, attempt)
    where  a.slice_id = e.slice_id and a.attempt = e.attempt
    and    a.page = (select max(l.page) from raw.answer as l where l.slice_id = e.slice_id and l.attempt = e.attempt)`.execute(
    db,
  );
}
