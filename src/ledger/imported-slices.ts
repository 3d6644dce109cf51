import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { Slice, SliceDraft, SliceState } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import type { LateOutcome } from "./amend-slices.ts";
import { digestOf } from "./batches.ts";
import { hasSameHash } from "./same-scope.ts";
import { ownColumns, type OwnRow, sliceColumns, sliceOf, type SliceRow, sliceWith } from "./slice-rows.ts";
import { insertSlices } from "./slices.ts";

/** The fields in `ops.request` of an answer that was imported from a file: nothing was sent, so no account was charged. */
export const importedRequest = {
  accountId: "import",
  status: 200,
  errorCode: null,
  cost: 0,
  remaining: null,
  durationMs: 0,
  workerId: null,
} as const;

/** The draft of a slice that a file answers, and when its pages came (epoch-ms by page); null if the file does not say. */
export type AnsweredDraft = { readonly draft: SliceDraft; readonly times: readonly number[] | null };

/** A slice that may have the same answer, and whether its answer is still stored. */
export type AnsweredSlice = { readonly slice: Slice; readonly isStored: boolean };

/**
 * Joins each row `d` of drafts to its slices `s` by the hash of the scope. It is written so that no other index can be chosen: while
 * statistics are old, as during an import, the indexes by day or state seem to be almost empty.
 */
const isOfSameList = sql`
  ${hasSameHash("s", "d")} and s.dataset is not distinct from d.dataset and s.scope = d.scope
  and (select b.digest from ops.batch as b where b.batch_id = s.batch_id) is not distinct from d.digest`;
const isAbout = sql`${isOfSameList} and s.window_start = d.window_start`;

/** SQL: whether the state of a slice `s` is one of these, written so that no index on a state can be chosen. */
function isIn(...states: readonly SliceState[]): SqlFragment {
  return sql`(${sql.join(
    states.map((state) => sql`s.state is not distinct from ${sql.lit(state)}`),
    sql` or `,
  )})`;
}

/**
 * Loaded slices, and slices whose answer was held, that match each draft. For a draft with times: slices whose pages came at exactly these times, even if their answer has
 * been pruned, as long as its requests are kept. Without times: all slices whose answer is stored.
 */
export async function storedAnswers(
  db: Database,
  drafts: readonly AnsweredDraft[],
): Promise<readonly (readonly AnsweredSlice[])[]> {
  const { rows } = await sql<SliceRow & { place: number; is_stored: boolean }>`
    select alike.*
    from   ${draftRows(drafts)}
    cross  join lateral (
      select d.place, ${sliceColumns}, exists (select from raw.answer as a where a.slice_id = s.slice_id) as is_stored
      from   ops.slice as s
      left   join ops.batch as b on b.batch_id = s.batch_id
      where  ${isAbout} and s.operation = d.operation
      and    (${isIn("loaded", "empty")} or s.error_code is not distinct from 'answer_held')
      and    (s.window_end = d.window_end or s.requested_end = d.window_end)
      and    not exists (select from unnest(d.times) with ordinality as page (at, number)
                         where  not exists (select from ops.request as q
                                            where q.slice_id = s.slice_id and q.page = page.number - 1 and q.received_at = page.at and q.error_code is null
                                            offset 0) -- a barrier: all requests would be read and hashed
                         -- what another answer reported was not requested, and requests of old months are summed up
                         and    not exists (select from raw.answer as a where a.slice_id = s.slice_id and a.page = page.number - 1 and a.fetched_at = page.at))
      offset 0 -- a barrier: slices are looked up draft by draft
    ) as alike
    where  is_stored or d.times is not null
    order  by is_stored desc, slice_id`.execute(db);
  const found = drafts.map((): AnsweredSlice[] => []);
  for (const row of rows) found[row.place]?.push({ slice: sliceOf(row), isStored: row.is_stored });
  return found;
}

/** The draft of a slice that a file answers, and when its last page came (epoch-ms). `hasHistory`: its dataset has a history. */
type ReceivedDraft = { readonly draft: SliceDraft; readonly receivedAt: number; readonly hasHistory: boolean };

/** Days that a later slice of the same list answered without a reject. `isEmpty`: with an empty answer. */
export type LaterAnswer = { readonly window: Window; readonly isEmpty: boolean };

/**
 * For each draft, the answers that are newer than it: requested on a later day, or on the same day and received later, according to their
 * pages or, once these are pruned, their requests. They are about days of the draft; if its dataset has a history, also about later days.
 */
export async function readLaterAnswers(
  db: Database,
  drafts: readonly ReceivedDraft[],
): Promise<readonly (readonly LaterAnswer[])[]> {
  const { rows } = await sql<{ place: number; start: Day; end: Day; isEmpty: boolean }>`
    select d.place, later.*
    from   ${draftRows(drafts.map(({ receivedAt, ...rest }) => ({ ...rest, times: [receivedAt] })))}
    cross  join lateral (
      select s.window_start as start, s.window_end as end, s.state = 'empty' as "isEmpty"
      from   ops.slice as s
      where  ${isOfSameList} and (d.has_history or s.window_start < d.window_end) and s.window_end > d.window_start
      and    ${isIn("loaded", "empty")} and s.rows_rejected = 0
      and    (s.as_of > d.as_of or s.as_of = d.as_of and (
                exists (select from raw.answer as a where a.slice_id = s.slice_id and a.fetched_at > d.times[1])
                or exists (select from ops.request as q where q.slice_id = s.slice_id and q.received_at > d.times[1] and q.error_code is null)))
      offset 0 -- a barrier: slices are looked up draft by draft
    ) as later`.execute(db);
  const found = drafts.map((): LaterAnswer[] => []);
  for (const { place, start, end, isEmpty } of rows) found[place]?.push({ window: { start, end }, isEmpty });
  return found;
}

/**
 * Returns slices for answers that exist already, in a final state from the start, so that they are not requested. A waiting slice for the
 * same cells is reused unless the answer is older than its plan. Null for each draft whose slice is running, or was planned after the
 * answer. No two drafts may be for the same cells. `outcomes`: their final states, if known, so that these need no separate update. To be
 * called in the transaction that loads the answers.
 */
export async function takeSlices(
  db: Database,
  runId: string,
  drafts: readonly SliceDraft[],
  { now, outcomes = [] }: { readonly now: number; readonly outcomes?: readonly LateOutcome[] },
): Promise<readonly (Slice | null)[]> {
  const at = instant(now);
  await insertSlices(db, runId, drafts, now);
  const { rows } = await sql<OwnRow & { place: number }>`
    with taken as (
      update ops.slice as s
      set    state = coalesce(d.state, 'loaded'), rows_loaded = coalesce(d.rows_loaded, s.rows_loaded), rows_rejected = coalesce(d.rows_rejected, s.rows_rejected),
             operation = d.operation, as_of = d.as_of, fingerprint = d.fingerprint, run_id = ${runId},
             worker_id = null, attempt = attempt + 1, due_at = null, error_code = null, error_message = null, started_at = ${at}, ended_at = ${at}
      from   ${draftRows(drafts.map((draft, place) => ({ draft, times: null, outcome: outcomes[place] })))}
      where  ${isAbout} and s.window_end = d.window_end and s.as_of <= d.as_of and ${isIn("pending", "deferred")}
      returning d.place, s.*
    )
    select s.place, ${ownColumns} from taken as s`.execute(db);
  const taken = new Map(rows.map((row) => [row.place, sliceWith(row, itemsIn(drafts[row.place]))]));
  return drafts.map((_, place) => taken.get(place) ?? null);
}

function itemsIn(draft: SliceDraft | undefined): readonly string[] | null {
  return draft?.items?.length ? draft.items : null;
}

/** A draft as a row, with what only some statements need. */
type DraftRow = AnsweredDraft & { readonly outcome?: LateOutcome | undefined; readonly hasHistory?: boolean };

/** SQL: drafts as rows `d`. */
function draftRows(drafts: readonly DraftRow[]): SqlFragment {
  const rows = drafts.map(({ draft, times, outcome, hasHistory = false }, place) => ({
    place,
    dataset: draft.dataset,
    operation: draft.operation,
    scope: draft.scope,
    digest: draft.items === null || draft.items.length === 0 ? null : digestOf(draft.items),
    window_start: draft.window.start,
    window_end: draft.window.end,
    as_of: draft.asOf,
    fingerprint: draft.fingerprint,
    times: times?.map((time) => new Date(time).toISOString()) ?? null,
    has_history: hasHistory,
    ...(outcome === undefined
      ? {}
      : { state: outcome.state, rows_loaded: outcome.rows, rows_rejected: outcome.rejects }),
  }));
  return sql`
    jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d
    (place integer, dataset text, operation text, scope jsonb, digest text, window_start date, window_end date, as_of date,
     fingerprint text, times timestamptz[], has_history boolean, state text, rows_loaded integer, rows_rejected integer)`;
}
