import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import type { Slice } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { ofTiming } from "./dataset-timings.ts";
import { hasSameList } from "./same-scope.ts";

/** Replies that mean that a list is unavailable, but that a gateway in front of the API also sends while the API is down. */
const doubtful: ReadonlySet<ErrorCode> = new Set(["not_found", "bad_request"]);

/** A list may come back within this many days of its last answer: a few more than its refresh. */
const daysToBeBack = sql`(3 + coalesce(${ofTiming(sql`t.refresh_days`)}, 1))`;

/**
 * SQL: false for a slice about only the newest day, which may not be published yet: the next run requests it again. `alias` has the dataset
 * of `s`.
 */
function isOut(alias: "s" | "o"): SqlFragment<boolean> {
  const [kind, start, asOf] = ["class", "window_start", "as_of"].map((name) => sql.ref(`${alias}.${name}`));
  return sql<boolean>`(${kind} = 'snapshot' or ${start} < ${asOf} - coalesce(${ofTiming(sql`t.settle_days`)}, 0))`;
}

/**
 * True if a 404 or 400 may pass: the list of the slice was answered in the last days, none of its slices was skipped for the same error
 * before, and none was answered since this one was planned. So if the API replies 404 for days without data, only the first such slice of a
 * list is requested a few more times. A 404 for only the newest day means that it is not published yet; the next run requests it again.
 */
export async function mayBeBack(db: Database, { sliceId }: Slice, code: ErrorCode): Promise<boolean> {
  if (!doubtful.has(code)) return false;
  const counts = (alias: "s" | "o") => (code === "not_found" ? isOut(alias) : sql<boolean>`true`);
  const { rows } = await sql`
    select from (
      select s.created_at, s.as_of - ${daysToBeBack} as since, max(o.as_of) filter (where o.state in ('loaded', 'empty')) as answered_on,
             max(o.ended_at) filter (where o.state in ('loaded', 'empty')) as answered_at,
             bool_or(o.state = 'skipped' and o.error_code = ${code} and ${counts("o")}) is true as is_known
      from   ops.slice as s
      join   ops.slice as o on ${hasSameList("o", "s")} and o.slice_id <> s.slice_id
      where  s.slice_id = ${sliceId} and ${counts("s")}
      group  by s.slice_id) as l
    where  l.answered_on >= l.since and l.answered_at <= l.created_at and not l.is_known`.execute(db);
  return rows.length > 0;
}
