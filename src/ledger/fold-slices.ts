import { addMonths, type Day } from "../core/day.ts";
import type { Scope } from "../core/slice.ts";
import { chargedCredits } from "../credits/charges.ts";
import type { Database } from "../postgres/database.ts";
import { instant, sql } from "../postgres/sql.ts";
import { hashOfScope } from "./same-scope.ts";
import { isPaidFromPlan } from "./plan-payers.ts";

/*
 * Compacts the ledger. Each night adds one slice per partition and list, and after two years nearly all of them are final. In months that
 * are over, consecutive slices of one partition and list with the same outcome are folded: the newest one takes over the days of the
 * others, which are deleted. The result is an ordinary slice about several days, so nothing that reads coverage needs to know about
 * folding, and a later slice about one of its days overrides it as usual.
 *
 * A slice is not folded
 *   - while one of its days may still be restated
 *   - if its answer was partial
 *   - if another slice about one of its cells has a different outcome: the newer one decides there
 *   - if retention dropped its days but not those of its neighbours
 *   - while its answer is stored: a replay needs the original slice
 */

/** A month of a dataset. */
export type LedgerMonth = { readonly dataset: string; readonly month: Day };

/** A month is checked again after this time: answers were pruned, or a backfill added slices. */
const checkedAgainAfter = sql`interval '7 days'`;

/**
 * The months before a day that are due for a check, oldest first by dataset. Slices of periods and snapshots are few, and are never folded.
 */
export async function monthsToFold(db: Database, before: Day, now: number): Promise<readonly LedgerMonth[]> {
  const { rows } = await sql<LedgerMonth>`
    select t.dataset, m.month::date as month
    from   ops.dataset_timing as t
    cross  join lateral (select min(window_start) as first_day from ops.slice as s where s.dataset = t.dataset) as s
    cross  join lateral generate_series(date_trunc('month', s.first_day::timestamp), ${before}::timestamp - interval '1 month', interval '1 month') as m (month)
    left   join ops.folded_month as f on f.dataset = t.dataset and f.month_start = m.month::date and f.state = 'loaded'
    where  t.is_default and t.kind = 'series' and (f.checked_at is null or f.checked_at < ${instant(now)} - ${checkedAgainAfter})
    order  by t.dataset, m.month`.execute(db);
  return rows;
}

/** Partitions that are folded in one transaction: some thousands of slices. */
const partitionsAtOnce = 200;

/**
 * Folds the slices of a month and returns how many were deleted. A partition is folded in one transaction: a kill leaves none half folded.
 */
export async function foldMonth(db: Database, of: LedgerMonth, now: number): Promise<number> {
  const { rows } = await sql<{ scope: Scope }>`
    select scope from ops.slice
    where  dataset = ${of.dataset} and window_start >= ${of.month}::date and window_start < ${addMonths(of.month, 1)}::date
    group  by scope
    having count(*) > 1`.execute(db);
  let gone = 0;
  for (let first = 0; first < rows.length; first += partitionsAtOnce) {
    const scopes = rows.slice(first, first + partitionsAtOnce).map(({ scope }) => scope);
    gone += await foldPartitions(db, { ...of, scopes });
  }
  await sql`
    insert into ops.folded_month (dataset, month_start, state, slice_count, rows_loaded, checked_at)
    values (${of.dataset}, ${of.month}::date, 'loaded', 0, 0, ${instant(now)})
    on conflict (dataset, month_start, state) do update set checked_at = excluded.checked_at`.execute(db);
  return gone;
}

async function foldPartitions(
  db: Database,
  { dataset, month, scopes }: LedgerMonth & { readonly scopes: readonly Scope[] },
): Promise<number> {
  const end = sql`${addMonths(month, 1)}::date`;
  const { rows } = await sql<{ count: number }>`
    with folding as materialized (
      -- keeps the triggers of ops.slice from deleting ops.slice_past: folded slices cover the same days as before
      select set_config('storehouse.folding', 'on', true) as value
    ), partition as materialized (
      -- reads folding, so that it is set before anything is written
      select place, text::jsonb as scope, ${hashOfScope(sql`text::jsonb`)} as hash
      from   folding, unnest(${scopes.map((scope) => JSON.stringify(scope))}::text[]) with ordinality as p (text, place)
      where  folding.value = 'on'
    ), mine as materialized (
      -- slices of these partitions that touch the month; only slices with equal outcome are folded together
      select p.place, s.slice_id, s.batch_id, s.operation, s.state, s.window_start, s.window_end, s.as_of, s.created_at, s.started_at, s.ended_at,
             row(s.state, s.rows_rejected > 0, s.fingerprint, f.dropped_before)::text as outcome,
             s.state in ('loaded', 'empty') and s.rows_rejected = 0 and s.error_code is null and s.tail_of is null and s.requested_end is null
             and s.window_start >= ${month}::date and s.window_end <= ${end} and f.kind = 'series' and s.window_end <= f.final_before
             -- an empty answer that expires does so by its own date
             and not (s.state = 'empty' and exists (select from ops.dataset_timing as t where t.dataset = s.dataset and t.empty_holds_days is not null))
             and not exists (select from raw.answer as a where a.slice_id = s.slice_id)
             and not exists (select from ops.reject as r where r.slice_id = s.slice_id) as is_foldable
      from   partition as p
      cross  join lateral (
        select * from ops.slice as s
        where  ${hashOfScope(sql`s.scope`)} = p.hash and s.window_end > ${month}::date and s.window_start < ${end}
        offset 0) as s -- a barrier: the index on datasets would be read from end to end for each partition
      join   ops.slice_finality as f on f.slice_id = s.slice_id
      where  s.scope = p.scope and s.dataset = ${dataset}
    ), mixed as materialized (
      -- partitions with different outcomes: only these need the comparison in clean
      select place from mine group by place having min(outcome) <> max(outcome)
    ), clean as (
      -- foldable slices that share no cell with a slice of another outcome
      select m.* from mine as m
      where  m.is_foldable
      and    (m.place not in (select place from mixed)
              or not exists (
                select from mine as o
                where  o.place = m.place and o.outcome <> m.outcome and o.window_start < m.window_end and o.window_end > m.window_start
                and    (o.batch_id is not distinct from m.batch_id
                        or exists (select from ops.batch as a, ops.batch as b
                                   where a.batch_id = o.batch_id and b.batch_id = m.batch_id and a.items && b.items))))
    ), numbered as (
      -- numbers the gapless stretches of days ("gaps and islands")
      select *, count(*) filter (where begins) over (alike order by window_start, window_end, slice_id) as stretch
      from   (select *, window_start > max(window_end) over (alike order by window_start, window_end, slice_id
                                                             rows between unbounded preceding and 1 preceding) as begins
              from clean
              window alike as (partition by place, batch_id, operation, outcome)) as c
      window alike as (partition by place, batch_id, operation, outcome)
    ), folded as materialized (
      -- one row per stretch: the newest slice, which stays, and the values that it takes over
      select max(slice_id) as slice_id, array_agg(slice_id) as all_ids, min(window_start) as window_start, max(window_end) as window_end,
             max(as_of) as as_of, min(created_at) as created_at, min(started_at) as started_at, max(ended_at) as ended_at
      from   numbered
      group  by place, batch_id, operation, outcome, stretch
      having count(*) > 1
    ), gone as (
      -- the other slices of each stretch; their counts are added up below
      delete from ops.slice as s
      using  folded as f, unnest(f.all_ids) as i (slice_id)
      where  s.slice_id = i.slice_id and i.slice_id <> f.slice_id
      returning s.slice_id, s.state, s.run_id, s.plan_id, s.rows_loaded, s.is_folded
    ), kept as (
      -- the slice that stays covers the whole stretch
      update ops.slice as s
      set    window_start = f.window_start, window_end = f.window_end, as_of = f.as_of, created_at = f.created_at, started_at = f.started_at,
             ended_at = f.ended_at, answer_digest = null, is_folded = true
      from   folded as f
      where  s.slice_id = f.slice_id
    ), counted as (
      insert into ops.folded_month as m (dataset, month_start, state, slice_count, rows_loaded, checked_at)
      select ${dataset}, ${month}::date, state, count(*), sum(rows_loaded), '-infinity' from gone group by state
      on conflict (dataset, month_start, state) do update
      set    slice_count = m.slice_count + excluded.slice_count, rows_loaded = m.rows_loaded + excluded.rows_loaded
    ), run as (
      update ops.run as r
      set    past_loaded_count = r.past_loaded_count + g.loaded, past_empty_count = r.past_empty_count + g.empty, past_rows_loaded = r.past_rows_loaded + g.rows
      from   (select run_id, count(*) filter (where state = 'loaded') as loaded, count(*) filter (where state = 'empty') as empty, sum(rows_loaded) as rows
              from gone group by run_id) as g
      where  r.run_id = g.run_id
    ), plan as (
      update ops.plan as p
      set    past_slice_count = p.past_slice_count + g.slices, past_credits = p.past_credits + g.credits
      from   (select g.plan_id, count(distinct g.slice_id) as slices, ${chargedCredits} as credits
              from   gone as g
              left   join ops.request as q on q.slice_id = g.slice_id and ${isPaidFromPlan}
              where  g.plan_id is not null
              group  by g.plan_id) as g
      where  p.plan_id = g.plan_id
    ), spend as (
      delete from ops.past_slice_spend as p using gone as g where p.slice_id = g.slice_id
    )
    select count(*)::int as count from gone`.execute(db);
  return rows[0]?.count ?? 0;
}
