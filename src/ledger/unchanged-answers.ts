import { instant, sql } from "../postgres/sql.ts";
import type { Slice } from "../core/slice.ts";
import { shares } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";
import { isOpen } from "./open-slices.ts";
import { hasSameScope } from "./same-scope.ts";

/** An attempt that has its answer, and the digest of that answer, as hex. */
export type AnsweredAttempt = {
  readonly slice: Pick<Slice, "sliceId" | "attempt" | "dataset">;
  readonly digest: string;
};

/** Clocks of machines may differ by this much: within that time the ledger does not show which write was last. */
const clocksDiffer = sql`interval '15 minutes'`;

/**
 * Whether two batches have an item in common. Items are sorted by UTF-16 code unit, and comparing the ends of the lists is far cheaper than
 * comparing all items. If the ends contain a character from U+E000 on, Postgres sorts differently, and all items are compared.
 */
const sharesItems = sql`exists (
  select from ops.batch as a, ops.batch as b,
         lateral (select a.items[1] collate "C" as a1, a.items[cardinality(a.items)] collate "C" as a2,
                         b.items[1] collate "C" as b1, b.items[cardinality(b.items)] collate "C" as b2) as ends
  where  a.batch_id = x.batch_id and b.batch_id = e.batch_id
  and    case when (a1 > b2 or a2 < b1) and a1 || a2 || b1 || b2 !~ ${String.raw`[-􏿿]`} then false
              else a.items && b.items end
)`;

/**
 * Ends, as loaded, the attempts whose answer is loaded already, in one statement. Returns the rows that were loaded then, by the number of
 * the slice. An earlier slice must have loaded the same answer completely, and no other slice may have written any of its cells since, be
 * about to, or have done so at nearly the same time; nor may a replay rebuild the dataset, since it may reject that answer. For the others
 * nothing is written: their answers must be loaded.
 */
export async function endUnchanged(
  db: Database,
  attempts: readonly AnsweredAttempt[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const datasets = new Set(attempts.map(({ slice }) => slice.dataset));
  const { rows } = await sql<{ slice_id: string; rows_loaded: number }>`
    with unchanged as materialized (
      select t.slice_id, t.attempt, 'running' as was, e.answer_digest, e.rows_loaded
      from   unnest(${attempts.map(({ slice }) => slice.sliceId)}::bigint[], ${attempts.map(({ slice }) => slice.attempt)}::integer[],
                    ${attempts.map(({ digest }) => digest)}::text[], ${attempts.map(({ slice }) => slice.dataset)}::text[])
             as t (slice_id, attempt, digest, dataset)
      cross  join lateral (
        select * from (
          select * from ops.slice where answer_digest = decode(t.digest, 'hex')
          offset 0 -- a barrier: without statistics all loaded slices would be read too, by their state
        ) as same
        where  state = 'loaded' and rows_rejected = 0 and slice_id <> t.slice_id
        order  by ended_at desc
        limit  1
      ) as e
      where  t.dataset = any (array(select dataset from unnest(${[...datasets]}::text[]) as d (dataset) where ${shares("replay", sql`dataset`)}))
      and    not exists (
        select from ops.slice as x
        where  ${hasSameScope("x", "e")} and x.window_end > e.window_start and x.window_start < e.window_end
        and    x.slice_id not in (e.slice_id, t.slice_id) and x.state <> 'skipped'
        and    case when ${isOpen("x")} then x.attempt > 0
                    else x.ended_at >= e.ended_at - ${clocksDiffer} and x.answer_digest is distinct from e.answer_digest end
        and    (x.batch_id is not distinct from e.batch_id or x.batch_id is null or e.batch_id is null or ${sharesItems})
        offset 0 -- a barrier: as a join the whole ledger would be read
      )
    )
    update ops.slice as s
    set    state = 'loaded', rows_loaded = u.rows_loaded, rows_rejected = 0, answer_digest = u.answer_digest, error_code = null,
           error_message = null, due_at = null, ended_at = ${instant(now)}
    from   unchanged as u
    where  s.slice_id = u.slice_id and s.attempt = u.attempt and s.state = u.was
    returning s.slice_id, s.rows_loaded`.execute(db);
  return new Map(rows.map((row) => [row.slice_id, row.rows_loaded]));
}
