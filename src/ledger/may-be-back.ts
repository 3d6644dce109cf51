import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import type { Slice } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { ofTiming } from "./dataset-timings.ts";
import { hasSameList } from "./same-scope.ts";

/** Replies that say that a list is unavailable, and that a gateway before the API gives as well while the API is down. */
const doubtful: ReadonlySet<ErrorCode> = new Set(["not_found", "bad_request"]);

/** Days after its last answer on which a list may be back: some beside those for which that answer stands. */
const daysToBeBack = sql`(3 + coalesce(${ofTiming(sql`t.refresh_days`)}, 1))`;

/** SQL: false for a slice about the newest day alone, which may not be out yet: the next run requests it again. `alias` is one of the same dataset as `s`. */
function isOut(alias: "s" | "o"): SqlFragment<boolean> {
  const [kind, start, asOf] = ["class", "window_start", "as_of"].map((name) => sql.ref(`${alias}.${name}`));
  return sql<boolean>`(${kind} = 'snapshot' or ${start} < ${asOf} - coalesce(${ofTiming(sql`t.settle_days`)}, 0))`;
}

/**
 * True where a 404 or 400 may pass: the list of the slice was answered in the last days, none of its slices was skipped for the same error
 * before, and nothing of it was answered since this one was planned. So where the API says 404 of days without data, the first such slice of a
 * list is requested some times more, and no other. A 404 of the newest day alone says that it is not out; the next run requests it again.
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
