import { sql } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { Scope, SliceState } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";

/** A landed answer without its body, and the slice it belongs to. `to` is inclusive; `status` is the HTTP status. */
export type AnswerLine = {
  readonly sliceId: string;
  readonly attempt: number;
  readonly page: number;
  readonly dataset: string;
  readonly operation: string;
  readonly scope: Scope;
  readonly itemCount: number | null;
  readonly from: Day;
  readonly to: Day;
  readonly state: SliceState;
  readonly status: number | null;
  readonly bytes: number;
  readonly fetchedAt: Date;
};

/** Which answers to list; all of them if nothing is set. */
export type AnswerFilter = {
  readonly datasets?: readonly string[];
  readonly within?: Partial<Window>;
  readonly sliceId?: string;
  readonly operation?: string;
  readonly limit: number;
};

/** Landed answers, the newest first, at most `limit`, and how many there are in all. */
export async function listAnswers(
  db: Database,
  filter: AnswerFilter,
): Promise<{ readonly answers: readonly AnswerLine[]; readonly total: number }> {
  const { datasets = [], within = {}, sliceId = null, operation = null } = filter;
  const wanted = sql`
    from   raw.answer as a
    join   ops.slice  as s on s.slice_id = a.slice_id
    where  (cardinality(${[...datasets]}::text[]) = 0 or s.dataset = any (${[...datasets]}::text[]))
    and    s.window_end > ${within.start ?? "-infinity"}::date and s.window_start < ${within.end ?? "infinity"}::date
    and    (${sliceId}::bigint is null or s.slice_id = ${sliceId}::bigint)
    and    (${operation}::text is null or a.operation = ${operation}::text)`;
  const counted = await sql<{ total: number }>`select count(*)::float8 as total ${wanted}`.execute(db);
  const { rows } = await sql<AnswerLine>`
    select chosen.slice_id as "sliceId", chosen.attempt, chosen.page, s.dataset, chosen.operation, s.scope,
           cardinality(b.items) as "itemCount", s.window_start as "from", s.window_end - 1 as "to", s.state,
           r.status, chosen.byte_count as bytes, chosen.fetched_at as "fetchedAt"
    from   (select a.answer_id, a.request_id, a.slice_id, a.attempt, a.page, a.operation, a.byte_count, a.fetched_at ${wanted}
            order by a.fetched_at desc, a.answer_id desc limit ${filter.limit}) as chosen
    join   ops.slice   as s on s.slice_id = chosen.slice_id
    left   join ops.batch   as b on b.batch_id = s.batch_id
    left   join ops.request as r on r.request_id = chosen.request_id
    order  by chosen.fetched_at desc, chosen.answer_id desc`.execute(db);
  return { answers: rows, total: counted.rows[0]?.total ?? 0 };
}

/** A slice in the ledger, in any state; null if there is none with this number. */
export async function sliceFacts(
  db: Database,
  sliceId: string,
): Promise<Pick<AnswerLine, "dataset" | "operation" | "scope" | "from" | "to" | "state"> | null> {
  const { rows } = await sql<Pick<AnswerLine, "dataset" | "operation" | "scope" | "from" | "to" | "state">>`
    select dataset, operation, scope, window_start as "from", window_end - 1 as "to", state
    from   ops.slice where slice_id = ${sliceId}::bigint`.execute(db);
  return rows[0] ?? null;
}
