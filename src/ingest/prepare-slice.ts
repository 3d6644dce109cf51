import { sql } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import type { Day } from "../core/day.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { sumBy } from "../core/sum.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { skipUnanswered } from "../ledger/amend-slices.ts";
import { cutTail } from "../ledger/tails.ts";
import type { Dimensions } from "../load/dimensions.ts";
import { prepareLoad, runLoads } from "../load/load.ts";
import type { Partitions } from "../load/partitions.ts";
import type { Load, ReadyLoad } from "../load/ready-load.ts";
import { partitionColumn } from "../load/table.ts";
import type { Database } from "../postgres/database.ts";
import { withoutHeld, type HeldRule } from "./hold-answers.ts";
import type { Fetched } from "./read-pages.ts";
import { type AnswerRows, rowsOfAnswer } from "./answer-rows.ts";

/** What loading needs: no API client. */
export type LoadParts = {
  readonly db: Database;
  readonly dimensions: Dimensions;
  readonly partitions: Partitions;
  readonly clock: Clock;
};

/** An answer as rows of its tables, with its invalid items. */
export type SliceLoad = Omit<AnswerRows, "loads"> & {
  readonly slice: Slice;
  readonly drift: Fetched["drift"];
  /** Reads the answer again, for steps that need more than its rows: many answers wait for their commit, and few are read again. */
  readonly answer: () => Promise<Fetched>;
  /** When the answer was complete, in epoch-ms. */
  readonly fetchedAt: number;
  readonly loads: readonly ReadyLoad[];
  /** Rows of all tables; `rowsGone` counts those that were left out because retention dropped their month. */
  readonly rows: number;
  readonly rowsGone?: number;
  /** Identifies an unchanged answer; see `answerDigest`. */
  readonly digest?: string;
};

/** An answer to prepare, and the first day whose rows are kept; null or left out if all are. */
type PreparedAnswer = {
  readonly dataset: Dataset;
  readonly slice: Slice;
  readonly fetched: Fetched;
  readonly goneBefore?: Day | null;
};

/**
 * Normalises an answer and makes the keys and partitions that its rows need; if the rows are never written, these do no harm. Rows of
 * dropped months, before `goneBefore`, are left out.
 */
export async function prepareSlice(
  parts: LoadParts,
  { dataset, slice, fetched, goneBefore = null }: PreparedAnswer,
): Promise<SliceLoad> {
  const answerRows = rowsOfAnswer(dataset, slice, fetched);
  if (goneBefore === null) return prepareRows(parts, slice, fetched, answerRows);
  const loads = answerRows.loads.map((load) => withoutGone(load, goneBefore));
  return {
    ...(await prepareRows(parts, slice, fetched, { ...answerRows, loads })),
    rowsGone: answerRows.loads.reduce(
      (sum, { rows }, place) => sum + rows.length - (loads[place]?.rows.length ?? 0),
      0,
    ),
  };
}

/** The same for an answer whose rows are known from a slice that differs only in its number. */
export async function prepareRows(
  parts: LoadParts,
  slice: Slice,
  fetched: Fetched,
  { loads, invalid, unanswered, tail }: AnswerRows,
): Promise<SliceLoad> {
  const { sliceId } = slice;
  const ready: ReadyLoad[] = [];
  for (const load of loads) ready.push(await prepareLoad({ ...load, sliceId }, parts.dimensions, parts.partitions));
  const { drift, fetchedAt } = fetched;
  return {
    slice,
    drift,
    answer: async () => fetched,
    fetchedAt,
    loads: ready,
    invalid,
    unanswered,
    tail,
    rows: sumBy(ready, ({ count }) => count),
  };
}

/** A load without the rows of months that were dropped. */
function withoutGone(load: Load, goneBefore: Day): Load {
  if (!load.table.partitioned) return load;
  const column = partitionColumn(load.table);
  return { ...load, rows: load.rows.filter((row) => String(row[column]) >= goneBefore) };
}

/**
 * How slices are written. `tailsAt` (epoch-ms): when the tails of the answers are queued; null if nothing is to be requested. `inTurn`: the
 * rows are byte-equal to those of slices written one after the other.
 */
type WriteOptions = { readonly tailsAt: number | null; readonly held?: HeldRule; readonly inTurn?: boolean };

/** Writes rows, rejects and drift of slices inside the caller's transaction, which must have begun with `findByKey`. */
export async function writeSlices(
  transaction: Database,
  { dimensions, tailsAt, held = "decide", inTurn = false }: Pick<LoadParts, "dimensions"> & WriteOptions,
  slices: readonly SliceLoad[],
): Promise<void> {
  const loads: ReadyLoad[] = [];
  for (const slice of slices) loads.push(...(await withoutHeld(transaction, { dimensions, rule: held }, slice)));
  await runLoads(transaction, loads, dimensions, { inTurn });
  await writeRejects(transaction, slices);
  await writeDrift(transaction, slices);
  for (const { slice, unanswered, tail } of slices) {
    if (tail != null) await cutTail(transaction, slice, tail, tailsAt);
    if (unanswered.length > 0) await skipUnanswered(transaction, slice, unanswered);
  }
}

/** Deletes the rejects of slices that are loaded again. */
export async function deleteRejects(db: Database, slices: readonly SliceLoad[]): Promise<void> {
  if (slices.length === 0) return;
  await sql`delete from ops.reject where slice_id = any (${slices.map(({ slice }) => slice.sliceId)}::bigint[])`.execute(
    db,
  );
}

async function writeRejects(db: Database, slices: readonly SliceLoad[]): Promise<void> {
  const rejects = slices.flatMap(({ slice, invalid, fetchedAt }) =>
    invalid.map(({ reason, item }) => ({
      slice_id: slice.sliceId,
      dataset: slice.dataset,
      reason,
      item,
      fetched_at: new Date(fetchedAt).toISOString(),
    })),
  );
  if (rejects.length === 0) return;
  await sql`
    insert into ops.reject (slice_id, dataset, reason, item, fetched_at)
    select slice_id, dataset, reason, coalesce(item, 'null'), fetched_at
    from   jsonb_to_recordset(${JSON.stringify(rejects)}::jsonb) as r (slice_id bigint, dataset text, reason text, item jsonb, fetched_at timestamptz)`.execute(
    db,
  );
}

async function writeDrift(db: Database, slices: readonly SliceLoad[]): Promise<void> {
  const drifts = slices.flatMap(({ slice, drift, fetchedAt }) =>
    drift.map(({ path, kind }) => ({
      operation: slice.operation,
      path,
      kind,
      seen_at: new Date(fetchedAt).toISOString(),
      slice_id: slice.sliceId,
    })),
  );
  if (drifts.length === 0) return;
  // a known field is recorded once an hour, and a row that another writer has locked is skipped: no writer waits for another's commit
  await sql`
    with seen as materialized (
      select operation, path, kind, min(seen_at) as first_seen_at, max(seen_at) as last_seen_at,
             (array_agg(slice_id order by seen_at))[1] as slice_id
      from   jsonb_to_recordset(${JSON.stringify(drifts)}::jsonb) as d (operation text, path text, kind text, seen_at timestamptz, slice_id bigint)
      group  by operation, path, kind
    ), again as (
      select d.operation, d.path, d.kind, s.last_seen_at
      from   ops.drift as d
      join   seen as s using (operation, path, kind)
      where  d.last_seen_at < s.last_seen_at - interval '1 hour'
      for    update of d skip locked
    ), noted as (
      update ops.drift as d set last_seen_at = again.last_seen_at
      from   again where (d.operation, d.path, d.kind) = (again.operation, again.path, again.kind)
    )
    insert into ops.drift (operation, path, kind, first_seen_at, slice_id, last_seen_at)
    select operation, path, kind, first_seen_at, slice_id, last_seen_at
    from   seen as s
    where  not exists (select from ops.drift as d where (d.operation, d.path, d.kind) = (s.operation, s.path, s.kind))
    order  by operation, path, kind
    on conflict do nothing`.execute(db);
}

/** The final state that an answer gives its slice. */
export type SliceOutcome = {
  readonly state: "loaded" | "empty" | "failed";
  readonly problem: StorehouseError | null;
};

/**
 * The outcome of an answer: an answer with only invalid items fails, one without items is empty. Rows that retention dropped still count.
 */
export function outcomeOf({
  rows,
  rowsGone = 0,
  invalid,
}: Pick<SliceLoad, "rows" | "rowsGone" | "invalid">): SliceOutcome {
  if (rows + rowsGone > 0) return { state: "loaded", problem: null };
  if (invalid.length === 0) return { state: "empty", problem: null };
  return { state: "failed", problem: fail("unknown_shape", { rejects: invalid.length, problem: invalid[0]?.reason }) };
}
