import { sql } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { CreditClass, Scope, Slice } from "../core/slice.ts";
import { itemsFrom } from "./batches.ts";
import { paysFromPlan } from "./plan-payers.ts";

/** A slice as the ledger stores it. */
export type OwnRow = {
  slice_id: string;
  run_id: string;
  attempt: number;
  dataset: string;
  operation: string;
  scope: Scope;
  window_start: Day;
  window_end: Day;
  requested_end: Day | null;
  as_of: Day;
  fingerprint: string;
  class: CreditClass;
  planned_requests: number;
  planned_credits: number;
  tail_of: string | null;
  plan_id: string | null;
  last_digest?: string | null;
};

/** The same with the items of its batch, as JSON. */
export type SliceRow = OwnRow & { items: string | null };

/** The columns of an OwnRow, of `ops.slice as s`. */
export const ownColumns = sql`s.slice_id, s.run_id, s.attempt, s.dataset, s.operation, s.scope, s.window_start, s.window_end, s.requested_end, s.as_of,
  s.fingerprint, s.class, s.planned_requests, s.planned_credits, s.tail_of,
  case when s.plan_id is not null and exists (select from ops.run as r where r.run_id = s.run_id and ${paysFromPlan})
       then s.plan_id end as plan_id`;

/** The columns of a SliceRow, of `ops.slice as s` and `ops.batch as b`. */
export const sliceColumns = sql`${ownColumns}, to_json(b.items)::text as items`;

/**
 * The columns of a SharingRow: only one slice of each batch has its items, since sending them with every slice takes longer than all else.
 */
export const sharingColumns = sql`${ownColumns}, s.batch_id,
  case when s.slice_id = min(s.slice_id) over (partition by s.batch_id) then to_json(b.items)::text end as items`;

/** A row of a statement in which only one row of each batch has its items. */
export type SharingRow = SliceRow & { batch_id: string | null };

/** All rows of a statement with `sharingColumns` as slices. */
export function slicesOf(rows: readonly SharingRow[]): readonly Slice[] {
  const lists = new Map(rows.flatMap(({ batch_id, items }) => (items === null ? [] : [[batch_id, itemsFrom(items)]])));
  return rows.map((row) => sliceWith(row, lists.get(row.batch_id) ?? null));
}

/** A row of the ledger as a slice. */
export function sliceOf(row: SliceRow): Slice {
  return sliceWith(row, row.items === null ? null : itemsFrom(row.items));
}

/** The same, with the items of its batch given separately: sending them with each slice takes longer than all else. */
export function sliceWith(row: OwnRow, items: readonly string[] | null): Slice {
  return {
    sliceId: row.slice_id,
    runId: row.run_id,
    attempt: row.attempt,
    dataset: row.dataset,
    operation: row.operation,
    scope: row.scope,
    items,
    window: { start: row.window_start, end: row.window_end },
    ...(row.requested_end === null ? {} : { requestedEnd: row.requested_end }),
    class: row.class,
    requests: row.planned_requests,
    credits: row.planned_credits,
    asOf: row.as_of,
    fingerprint: row.fingerprint,
    ...(row.tail_of === null ? {} : { tailOf: row.tail_of }),
    planId: row.plan_id,
    ...(row.last_digest === undefined ? {} : { lastDigest: row.last_digest }),
  };
}
