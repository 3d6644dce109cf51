import { dayMs, type Day } from "../core/day.ts";
import type { CreditClass, Slice, SliceState } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import { instant, sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { bodyUnlessDamaged, type LandedPage } from "./read-answers.ts";

/** A stored answer, and the slice that it was fetched for; null if it was loaded into no table. */
export type StoredAnswer = LandedPage & {
  readonly answerId: string;
  /** When its request was sent (epoch-ms). */
  readonly sentAt: number;
  readonly slice: {
    readonly dataset: string;
    readonly class: CreditClass;
    readonly state: SliceState;
    readonly asOf: Day;
    readonly window: Window;
    readonly fingerprint: string;
  } | null;
};

type Row = {
  answer_id: string;
  slice_id: string | null;
  body: Buffer;
  fetched_at: Date;
  duration_ms: number | null;
  dataset: string | null;
  class: CreditClass;
  state: SliceState;
  as_of: Day;
  window_start: Day;
  window_end: Day;
  fingerprint: string;
};

/** Which stored answer cannot be unpacked; `sliceId` is null if it is for no slice. */
export type DamagedAnswer = { readonly answerId: string; readonly sliceId: string | null };

/**
 * The last answer to a call (see `callHashOf`); null if none is stored, or if it is damaged, which `onDamaged` is called for. `unreadOf`:
 * only an answer that is not for a slice and came on the day (UTC) that begins then (epoch-ms).
 */
export async function lastAnswerTo(
  db: Database,
  callHash: string,
  { onDamaged, unreadOf }: { readonly onDamaged: (damaged: DamagedAnswer) => void; readonly unreadOf?: number },
): Promise<StoredAnswer | null> {
  const unread =
    unreadOf === undefined
      ? sql``
      : sql`and a.slice_id is null and a.fetched_at >= ${instant(unreadOf)} and a.fetched_at < ${instant(unreadOf + dayMs)}`;
  const { rows } = await sql<Row>`
    select a.answer_id, a.slice_id, a.body, a.fetched_at, q.duration_ms,
           s.dataset, s.class, s.state, s.as_of, s.window_start, s.window_end, s.fingerprint
    from   raw.answer as a
    left   join ops.request as q on q.request_id = a.request_id and q.received_at = a.fetched_at
    left   join ops.slice as s on s.slice_id = a.slice_id
    where  a.call_hash = decode(${callHash}, 'hex') ${unread}
    order  by a.fetched_at desc, a.answer_id desc
    limit  1`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const body = await bodyUnlessDamaged(row.body);
  if (body === null) {
    onDamaged({ answerId: row.answer_id, sliceId: row.slice_id });
    return null;
  }
  const fetchedAt = row.fetched_at.getTime();
  const page = { answerId: row.answer_id, body, fetchedAt, sentAt: fetchedAt - (row.duration_ms ?? 0) };
  if (row.dataset === null) return { ...page, slice: null };
  const { dataset, class: creditClass, state, fingerprint } = row;
  const window = { start: row.window_start, end: row.window_end };
  return { ...page, slice: { dataset, class: creditClass, state, asOf: row.as_of, window, fingerprint } };
}

/** Assigns answers that are not for a slice to a slice, page by page, with their requests. Returns how many there were. */
export async function giveToSlice(
  db: Database,
  slice: Pick<Slice, "sliceId" | "runId" | "attempt" | "dataset" | "scope">,
  answerIds: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with page as (
      select answer_id, (place - 1)::integer as page from unnest(${[...answerIds]}::bigint[]) with ordinality as p (answer_id, place)
    ), given as (
      update raw.answer as a set slice_id = ${slice.sliceId}, attempt = ${slice.attempt}, page = page.page
      from   page where a.answer_id = page.answer_id and a.slice_id is null
      returning a.request_id, a.page, a.fetched_at
    ), requested as (
      update ops.request as q
      set    slice_id = ${slice.sliceId}, run_id = ${slice.runId}, attempt = ${slice.attempt}, page = given.page, dataset = ${slice.dataset},
             store = ${slice.scope["store"] ?? null}, track_id = ${slice.scope["app"] ?? null}, country_code = ${slice.scope["country"] ?? null}
      from   given where q.request_id = given.request_id and q.received_at = given.fetched_at
    )
    select count(*)::integer as count from given`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Gives a slice a copy of the answer of another slice's last attempt: both belong to the same request. */
export async function copyAnswer(
  db: Database,
  from: Pick<Slice, "sliceId">,
  to: Pick<Slice, "sliceId" | "attempt">,
): Promise<void> {
  await sql`
    insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
    select distinct on (page) request_id, ${to.sliceId}::bigint, ${to.attempt}::integer, page, operation, body, byte_count, fetched_at
    from   raw.answer where slice_id = ${from.sliceId}
    order  by page, attempt desc, answer_id desc`.execute(db);
}

/** Hides the answers to these calls from later calls, since they are no longer valid. */
export async function forgetAnswersTo(db: Database, callHashes: readonly string[]): Promise<void> {
  await sql`
    update raw.answer set call_hash = null
    where  call_hash in (select decode(q, 'hex') from unnest(${[...callHashes]}::text[]) as q)`.execute(db);
}

/** A call whose answer was loaded into no table: its operation and all its values. */
export type UnreadCall = { readonly operation: string; readonly params: Readonly<Record<string, unknown>> };

/**
 * The calls of these operations without a slice whose answers came since an instant (epoch-ms), the oldest first: each once, of every
 * account, since accounts share the answers that `callHashOf` does not tell apart. Answers that are no longer valid are left out.
 */
export async function unreadCalls(
  db: Database,
  operations: readonly string[],
  since: number,
): Promise<readonly UnreadCall[]> {
  const { rows } = await sql<UnreadCall>`
    with first as (
      select distinct on (call_hash) answer_id, request_id, fetched_at, operation
      from   raw.answer
      where  slice_id is null and fetched_at >= ${instant(since)} and operation = any (${[...operations]}::text[]) and call_hash is not null
      order  by call_hash, answer_id
    )
    select a.operation, q.params
    from   first as a
    join   ops.request as q on q.request_id = a.request_id and q.received_at = a.fetched_at
    order  by a.answer_id`.execute(db);
  return rows;
}
