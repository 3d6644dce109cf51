import { day, dayOf, type Day, dayMs } from "../core/day.ts";
import { passingCodes } from "../core/retry-times.ts";
import { sliceStates, type Covered, type Scope } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";
import { numbersIn } from "../postgres/text-array.ts";
import { goneBefore } from "./dropped-months.ts";
import { wasRefused } from "./refused-items.ts";
import { hashOfScope } from "./same-scope.ts";

/*
 * The wire format in which a plan reads slices. A large account has millions that differ only by their days, so Postgres sends one row per
 * scope, list, operation and fingerprint, with arrays of numbers (days since 1970-01-01):
 *   - slices that may still be requested again, one by one
 *   - final slices only as the ranges of days that they cover together (`final_window`)
 *   - older days from the summary that past-slices.ts keeps, so that only slices of the newest days are read
 */

/** Which days are read. With `finalDays`, loaded slices that were planned at least this many days after their last day count as final. */
export type Wanted = Partial<Window> & { readonly finalDays?: number };

/**
 * Slices of one scope with the same list, operation and fingerprint. The arrays have one element per slice that is not final: its number,
 * window, day of planning, and kind; they are null if all slices are final.
 */
export type PackedSlices = {
  /** Index of the scope in the request. */
  readonly place: number;
  readonly batch: string | null;
  readonly operation: string;
  readonly fingerprint: string;
  readonly ids: string | null;
  readonly starts: string | null;
  readonly ends: string | null;
  readonly planned: string | null;
  readonly kinds: string | null;
  readonly final_window: string | null;
  readonly final_as_of: Day | null;
  /** Slices that retention dropped days of, and the first day that is left; null if there are none, or with `finalDays`. */
  readonly gone_ids: string | null;
  readonly gone: string | null;
};

const epoch = sql`date '1970-01-01'`;

/**
 * A kind is the index of a state in `sliceStates` plus these flags: the service refused the request; the slice is the tail of another; it
 * failed with an error that may pass.
 */
const [isRefused, isTail, isPassing] = [16, 32, 64];

/** SQL: the index of a state in `sliceStates`; the most common one is tested first. */
const stateNumber = sql`case s.state when 'loaded' then ${sql.lit(sliceStates.indexOf("loaded"))}
  else array_position(${sql.lit(`{${sliceStates.join(",")}}`)}::text[], s.state) - 1 end`;

const single = sql`filter (where not s.is_final)`;

/** SQL: the aggregates that make one row of slices `s`; those with `is_final` go into `final_window`. */
export const packedColumns = sql`
  array_agg(s.slice_id) ${single} as ids,
  array_agg(s.window_start - ${epoch}) ${single} as starts, array_agg(s.window_end - ${epoch}) ${single} as ends,
  array_agg(s.as_of - ${epoch}) ${single} as planned,
  array_agg(${stateNumber}
            + case when ${wasRefused} then ${sql.lit(isRefused)} else 0 end
            + case when s.tail_of is null then 0 else ${sql.lit(isTail)} end
            + case when s.state in ('failed', 'lost') and s.error_code = any (${sql.lit(`{${passingCodes.join(",")}}`)}::text[])
                   then ${sql.lit(isPassing)} else 0 end) ${single} as kinds,
  range_agg(daterange(s.window_start, s.window_end)) filter (where s.is_final) as final_window,
  max(s.as_of) filter (where s.is_final) as final_as_of`;

/** SQL: the requested scopes with their index, and the hash by which the index of slices finds them. */
export function wantedScopes(scopes: readonly Scope[]): SqlFragment {
  return sql`
    select place::integer - 1 as place, text::jsonb as scope, ${hashOfScope(sql`text::jsonb`)} as hash
    from   unnest(${scopes.map((scope) => JSON.stringify(scope))}::text[]) with ordinality as w (text, place)`;
}

/** SQL: the summaries of past days that can be used, with the day up to which each replaces slices. */
function pastOf(dataset: string, { end, finalDays }: Wanted): SqlFragment {
  return sql`
    select w.place, p.batch_id as batch, p.operation, p.fingerprint, p.slice_ids as ids, p.starts, p.ends, p.planned, p.kinds, p.final_window,
           p.final_as_of, null::bigint[] as gone_ids, null::integer[] as gone, p.until_day
    from   wanted as w
    join   ops.past_coverage as p on p.scope_hash = w.hash and p.dataset = ${dataset} and p.scope = w.scope
    where  p.final_days >= ${finalDays}::integer and p.until_day <= ${end ?? "infinity"}::date`;
}

/** Reads the slices of some scopes whose windows touch `within`. */
export async function readPacked(
  db: Database,
  { dataset, within, scopes }: { readonly dataset: string; readonly within: Wanted; readonly scopes: readonly Scope[] },
): Promise<readonly PackedSlices[]> {
  // with finalDays, dropped days do not matter
  const gone =
    within.finalDays === undefined
      ? sql`case when exists (select from ops.retention_log as m where m.dataset = ${dataset}) then ${goneBefore} end`
      : sql`null::date`;
  const past = pastParts(dataset, within);
  const { rows } = await sql<PackedSlices>`
    with wanted as materialized (${wantedScopes(scopes)}),
    ${past.summaries}
    live as (
      select w.place, p.*
      from   ${past.wanted} as w
      cross  join lateral (
        select s.batch_id as batch, s.operation, s.fingerprint, ${packedColumns},
               array_agg(s.slice_id) filter (where s.gone is not null) as gone_ids,
               array_agg(s.gone - ${epoch}) filter (where s.gone is not null) as gone
        from   (select *, ${gone} as gone
                from   (select s.slice_id, s.dataset, s.scope, s.batch_id, s.operation, s.fingerprint, s.window_start, s.window_end, s.as_of, s.state,
                               s.error_code, s.tail_of, s.ended_at, ${isFinalSlice(within.finalDays)} as is_final
                        from   ops.slice_log as s
                        where  ${hashOfScope(sql`s.scope`)} = w.hash and s.dataset = ${dataset} and s.window_end > w.after
                        offset 0) as s -- a barrier: compares scopes only of slices that the index finds
                where  s.scope = w.scope and s.window_start < ${within.end ?? "infinity"}::date
                offset 0) as s -- a barrier: evaluates gone once per slice, not once per column that uses it
        group  by s.batch_id, s.operation, s.fingerprint
      ) as p
    )
    select place, batch, operation, fingerprint, ids::text, starts::text, ends::text, planned::text, kinds::text, final_window::text, final_as_of,
           gone_ids::text, gone::text
    from  (select * from live ${past.rows}) as p`.execute(db);
  return rows;
}

/**
 * SQL: what summaries of past days add to the statement. Nothing unless final slices may be joined: plans of snapshots are many and read
 * little, so that their statement must be quick to plan.
 */
function pastParts(dataset: string, within: Wanted) {
  const start = sql`${within.start ?? "-infinity"}::date`;
  if (within.finalDays === undefined)
    return { summaries: sql``, wanted: sql`(select w.*, ${start} as after from wanted as w)`, rows: sql`` };
  return {
    summaries: sql`past as materialized (${pastOf(dataset, within)}),`,
    wanted: sql`(select w.*, greatest(u.until_day, ${start}) as after
                 from   wanted as w left join (select place, max(until_day) as until_day from past group by place) as u using (place))`,
    rows: sql`
           union  all
           select place, batch, operation, fingerprint, ids, starts, ends, planned, kinds, final_window, final_as_of, gone_ids, gone from past`,
  };
}

/** SQL: true for a loaded slice `s` whose days are no longer restated. */
export function isFinalSlice(finalDays: number | undefined): SqlFragment {
  if (finalDays === undefined) return sql`false`;
  return sql`(s.state = 'loaded' and s.tail_of is null and s.as_of - s.window_end >= ${finalDays - 1}::integer)`;
}

/**
 * The slices of one scope as objects: first one for each range of days that final slices cover, then the others by number. With `after`,
 * slices that end on or before that day are left out.
 */
export function unpackedSlices(
  scope: Scope,
  packed: readonly PackedSlices[],
  { lists, after }: { readonly lists: ReadonlyMap<string, readonly string[]>; readonly after?: Day | undefined },
): readonly Covered[] {
  const ids: number[] = [];
  const found: Covered[] = [];
  for (const one of packed) {
    const { operation, fingerprint } = one;
    const items = one.batch === null ? null : (lists.get(one.batch) ?? null);
    for (const window of finalOf(one)) {
      if (after !== undefined && window.end <= after) continue;
      ids.push(0);
      found.push({
        scope,
        operation,
        items,
        window,
        state: "loaded",
        asOf: one.final_as_of ?? window.end,
        fingerprint,
        refused: false,
      });
    }
    const [starts, ends, planned, kinds] = [one.starts, one.ends, one.planned, one.kinds].map(numbersOf);
    const gone = goneOf(one);
    for (const [index, id] of numbersOf(one.ids).entries()) {
      const kind = kinds?.[index] ?? 0;
      const goneFrom = gone?.get(id);
      const window = { start: dayAt(starts?.[index] ?? 0), end: dayAt(ends?.[index] ?? 0) };
      if (after !== undefined && window.end <= after) continue;
      ids.push(id);
      found.push({
        scope,
        operation,
        items,
        window,
        state: sliceStates[kind % isRefused] ?? "loaded",
        asOf: dayAt(planned?.[index] ?? 0),
        fingerprint,
        refused: (kind & isRefused) !== 0,
        ...((kind & isTail) === 0 ? {} : { isTail: true as const }),
        ...((kind & isPassing) === 0 ? {} : { isPassing: true as const }),
        ...(goneFrom === undefined ? {} : { goneBefore: dayAt(goneFrom) }),
      });
    }
  }
  return inOrderOf(ids, found);
}

function numbersOf(list: string | null): readonly number[] {
  return list === null ? [] : numbersIn(list);
}

/** Parses a datemultirange: `{[2026-01-01,2026-03-01),[2026-04-01,2026-05-01)}`. */
function finalOf({ final_window: days }: PackedSlices): readonly Window[] {
  if (days === null) return [];
  return Array.from(days.matchAll(/\[([^,]+),([^)]+)\)/g), ([, start = "", end = ""]) => ({
    start: day(start),
    end: day(end),
  }));
}

function goneOf({ gone_ids: ids, gone }: PackedSlices): ReadonlyMap<number, number> | null {
  if (ids === null || gone === null) return null;
  const days = numbersIn(gone);
  return new Map(numbersIn(ids).map((id, index) => [id, days[index] ?? 0]));
}

function inOrderOf(ids: readonly number[], slices: readonly Covered[]): readonly Covered[] {
  const order = Uint32Array.from(ids.keys()).sort((a, b) => (ids[a] ?? 0) - (ids[b] ?? 0));
  return Array.from(order, (index) => slices[index] as Covered);
}

const dayAt = (count: number): Day => dayOf(count * dayMs);
