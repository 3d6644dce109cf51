import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import { withAdvisoryLock } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";

/** Stored answers of one dataset, and their first and last day. */
type PrunedDataset = {
  readonly dataset: string;
  readonly answers: number;
  readonly bytes: number;
  readonly from: Day;
  readonly to: Day;
};

/** What pruning deletes, in total and by dataset. */
export type Pruned = {
  readonly answers: number;
  readonly bytes: number;
  readonly datasets: readonly PrunedDataset[];
};

/** The name under which answers to callers of the gateway are counted that were loaded into no table. */
const unread = "gateway";

/**
 * Deletes the landed answers of loaded, empty and skipped slices whose last page came before an instant (epoch-ms), and answers without a
 * slice. Answers of open and failed slices may be the only copy of paid data. Held ones are kept too: a person may agree to one, and a
 * replay loads what they say beside the list. An answer is kept or deleted with all its pages. Deleted answers cannot be replayed. Waits for
 * the end of a part that a replay has cleared: it is rebuilt from these answers.
 */
export function pruneRaw(db: Database, before: number): Promise<Pruned> {
  const ofSlices = sql`delete from raw.answer as a using ops.slice as s where ${isOld(before)} returning ${facts}`;
  const unreadToo = sql`delete from raw.answer as a where ${isUnread(before)} returning ${unreadFacts}`;
  return withAdvisoryLock(db, "pruning", (connection) => addUp(connection, ofSlices, unreadToo));
}

/** What `pruneRaw` would delete now. */
export function prunable(db: Database, before: number): Promise<Pruned> {
  const unreadToo = sql`select ${unreadFacts} from raw.answer as a where ${isUnread(before)}`;
  return addUp(db, sql`select ${facts} from raw.answer as a, ops.slice as s where ${isOld(before)}`, unreadToo);
}

const facts = sql`s.dataset, octet_length(a.body) as bytes, s.window_start, s.window_end`;
const day = sql`(a.fetched_at at time zone 'UTC')::date`;
const unreadFacts = sql`${unread}::text as dataset, octet_length(a.body) as bytes, ${day} as window_start, ${day} + 1 as window_end`;

function isUnread(before: number) {
  return sql`a.slice_id is null and a.fetched_at < ${instant(before)}`;
}

function isOld(before: number) {
  const limit = instant(before);
  return sql`
    s.slice_id = a.slice_id and a.fetched_at < ${limit}
    and (s.state in ('loaded', 'empty') or s.state = 'skipped' and s.error_code is distinct from 'answer_held')
    and not exists (select from raw.answer as page where page.slice_id = a.slice_id and page.fetched_at >= ${limit})`;
}

async function addUp(db: Database, old: SqlFragment, unreadToo: SqlFragment): Promise<Pruned> {
  const { rows } = await sql<PrunedDataset>`
    with of_slice as (${old}), unread as (${unreadToo}), old as (select * from of_slice union all select * from unread)
    select dataset, count(*)::float8 as answers, sum(bytes)::float8 as bytes,
           min(window_start) as "from", max(window_end - 1) as "to"
    from   old
    group  by dataset
    order  by dataset`.execute(db);
  return {
    answers: rows.reduce((sum, { answers }) => sum + answers, 0),
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    datasets: rows,
  };
}
