import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import { batchesOf } from "./batches.ts";
import { addDays, type Day, dayMs } from "../core/day.ts";
import { neverRequested, type Slice } from "../core/slice.ts";
import { oneDay } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { ofTiming } from "./dataset-timings.ts";
import { isOpen } from "./open-slices.ts";
import { hasSameList, hasSameScope } from "./same-scope.ts";
import { queueBeside } from "./tails.ts";

/*
 * A snapshot says what holds now. The one of a day stands for the `refresh_days` from that day on, and can be requested on any of them;
 * after that it is lost. It is a slice in the state `lost`: one that failed or was put off until its time was over, or one that nobody
 * planned, as where no worker ran.
 */

/** SQL: true where each cell of the snapshot `ops.slice as s` was answered, in whichever list, while that of a day could be requested. */
function isAnswered(day: SqlFragment): SqlFragment<boolean> {
  return sql<boolean>`not exists (
    select unnest(coalesce((select b.items from ops.batch as b where b.batch_id = s.batch_id), array['']))
    except
    select unnest(coalesce(b.items, array['']))
    from   ops.slice as o
    left   join ops.batch as b on b.batch_id = o.batch_id
    where  ${hasSameScope("o", "s")} and o.window_end > ${day} and o.window_start < ${day} + ${refreshDays}
    and    o.state in ('loaded', 'empty', 'skipped'))`;
}

/** SQL: days for which a snapshot of `ops.slice as s` stands. */
const refreshDays = sql<number>`coalesce(${ofTiming(sql`t.refresh_days`)}, 1)`;

/** SQL: inserts slices of lost days; to be followed by `selectLost`. */
const insertLost = sql`
  insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state,
                         planned_requests, planned_credits, run_id, created_at, ended_at)`;

function selectLost(day: SqlFragment, now: number, batch: SqlFragment = sql`s.batch_id`): SqlFragment {
  const at = instant(now);
  return sql`
    select s.dataset, s.operation, s.scope, ${batch}, ${day}, ${day} + 1, ${day}, ${neverRequested}, s.class, 'lost',
           0, 0, s.run_id, ${at}, ${at}`;
}

/**
 * SQL: the day by which that of the snapshot `ops.slice as s` is lost. A slice that waits moves from day to day: what counts is the first
 * one.
 */
const lostOn = sql`(least(s.window_start, (s.created_at at time zone 'UTC')::date) + ${refreshDays})`;

/** SQL: true for a snapshot `ops.slice as s` that can still be requested on the day after an instant (epoch-ms). */
export function canWait(now: number): SqlFragment<boolean> {
  return sql<boolean>`(s.class = 'snapshot' and ${lostOn} > (${instant(now)} at time zone 'UTC')::date + 1)`;
}

/** When (epoch-ms) the day that a slice was planned for is lost for good; null where its days can be requested later. */
export async function readLostAt(db: Database, sliceId: string): Promise<number | null> {
  const { rows } = await sql<{ lostAt: Date }>`
    select ${lostOn}::timestamp at time zone 'UTC' as "lostAt"
    from   ops.slice as s
    where  s.slice_id = ${sliceId} and s.class = 'snapshot'`.execute(db);
  return rows[0]?.lostAt.getTime() ?? null;
}

/**
 * Notes the days that are over of a snapshot slice that waited from `day` until `today`: while it waited nobody planned another one. `isStored`:
 * its answer came on that day, which is not lost.
 */
export async function noteMoved(
  db: Database,
  {
    sliceId,
    day,
    today,
    now,
    isStored = false,
  }: {
    readonly sliceId: string;
    readonly day: Day;
    readonly today: Day;
    readonly now: number;
    readonly isStored?: boolean;
  },
): Promise<void> {
  const lost = sql`due.day::date`;
  await sql`
    ${insertLost} ${selectLost(lost, now)}
    from   ops.slice as s
    cross  join lateral (select ${refreshDays} as days) as stands
    cross  join lateral generate_series((${day}::date + case when ${isStored} then stands.days else 0 end)::timestamp, ${today}::date - stands.days,
                                        make_interval(days => stands.days)) as due (day)
    where  s.slice_id = ${sliceId} and not ${isAnswered(lost)}
    -- an attempt that was killed has noted them
    and    not exists (select from ops.slice as o
                       where  ${hasSameList("o", "s")} and o.window_start = ${lost} and o.state = 'lost')`.execute(db);
}

/** Queues the snapshot of `today` beside one of an earlier day whose time is over, unless a later one holds. */
export async function queueToday(
  db: Database,
  slice: Slice,
  { today, now }: { readonly today: Day; readonly now: number },
): Promise<void> {
  const { rows } = await sql`
    select from ops.slice as s
    where  s.slice_id = ${slice.sliceId} and s.window_start + ${refreshDays} <= ${today}::date
    and    not exists (select from ops.slice as o
                       where  ${hasSameList("o", "s")} and o.window_end > s.window_end and o.window_start + ${refreshDays} > ${today}::date)`.execute(
    db,
  );
  if (rows.length > 0) await queueBeside(db, slice, { ...slice, window: oneDay(today), asOf: today }, now);
}

/** Days before today on which a snapshot that nobody requested still counts as lost; what was not requested for longer was not followed. */
const longestGapDays = 30;

/**
 * Notes lost days, after planning: failed snapshots whose time is over become lost, and of the snapshots that the run has planned today
 * the days since the one before, on which they were due and nobody planned them. Returns how many slices.
 */
export async function noteLostDays(
  db: Database,
  { runId, today, now }: { readonly runId: string; readonly today: Day; readonly now: number },
): Promise<number> {
  const over = await sql`
    update ops.slice as s set state = 'lost', due_at = null
    where  s.state = 'failed' and s.class = 'snapshot' and s.window_start + ${refreshDays} <= ${today}::date and not ${isAnswered(sql`s.window_start`)}
    returning s.slice_id`.execute(db);
  const unplanned = await findUnplanned(db, { runId, today });
  if (unplanned.length === 0) return over.rows.length;
  const lists = unplanned.flatMap(({ items }) => (items === null ? [] : [items]));
  const numbers = await batchesOf(db, lists);
  const batchOf = new Map(lists.map((items, index) => [items, numbers[index] ?? null]));
  const noted = await sql`
    ${insertLost} ${selectLost(sql`due.day`, now, sql`due.batch_id`)}
    from   unnest(${unplanned.map(({ sliceId }) => sliceId)}::bigint[], ${unplanned.map(({ day }) => day)}::date[],
                  ${unplanned.map(({ items }) => (items === null ? null : batchOf.get(items)))}::bigint[]) as due (slice_id, day, batch_id)
    join   ops.slice as s on s.slice_id = due.slice_id
    where  not exists (select from ops.slice as o
                       where  ${hasSameScope("o", "s")} and o.batch_id is not distinct from due.batch_id and o.window_start = due.day)
    returning slice_id`.execute(db);
  return over.rows.length + noted.rows.length;
}

/** A day on which a snapshot that is planned today was due and nobody planned it, and which of its items: those that were requested before. */
type Unplanned = { readonly sliceId: string; readonly day: Day; readonly items: readonly string[] | null };

async function findUnplanned(
  db: Database,
  { runId, today }: { readonly runId: string; readonly today: Day },
): Promise<readonly Unplanned[]> {
  const earlier = sql`${hasSameScope("o", "s")} and o.window_end > ${addDays(today, -longestGapDays)}::date and o.slice_id < s.slice_id`;
  const { rows } = await sql<Unplanned>`
    select s.slice_id as "sliceId", due.day::date as day,
           case when b.items is not null
                then array(select i.item from unnest(b.items) with ordinality as i (item, place)
                           where  i.item in (select unnest(ob.items) from ops.slice as o join ops.batch as ob on ob.batch_id = o.batch_id where ${earlier})
                           order  by i.place) end as items
    from   ops.slice as s
    left   join ops.batch as b on b.batch_id = s.batch_id
    cross  join lateral (select ${refreshDays} as days) as stands
    cross  join lateral (
      select max(o.window_start) as day
      from   ops.slice as o
      left   join ops.batch as ob on ob.batch_id = o.batch_id
      where  ${earlier} and (ob.items is null and b.items is null or ob.items && b.items)) as before
    cross  join lateral generate_series((before.day + stands.days)::timestamp, ${today}::date - stands.days, make_interval(days => stands.days)) as due (day)
    where  s.run_id = ${runId} and s.class = 'snapshot' and s.window_start = ${today}::date and s.state <> 'lost'`.execute(
    db,
  );
  return rows;
}

/** Cells of a dataset on a day that are lost, and when the first of them was noted. */
export type LostDay = { readonly dataset: string; readonly day: Day; readonly cells: number; readonly notedAt: Date };

/** Lost days by dataset, the newest first. */
export async function readLostDays(db: Database): Promise<readonly LostDay[]> {
  const { rows } = await sql<LostDay>`
    select dataset, first_day as day, sum(greatest(item_count, 1))::int as cells, min(ended_at) as "notedAt"
    from   ops.slice_status
    where  state = 'lost'
    group  by dataset, first_day
    order  by first_day desc, dataset`.execute(db);
  return rows;
}

/** Days that were noted as lost within so long before now are news. */
const newsMs = dayMs;

/** Of lost days those that were noted within a day before `now` (epoch-ms). */
export function newlyLost(lost: readonly LostDay[], now: number): readonly LostDay[] {
  return lost.filter(({ notedAt }) => notedAt.getTime() > now - newsMs);
}

/** Cells of a dataset whose snapshot is not answered yet, since when it could be requested, and when it is lost. */
export type DayAtRisk = {
  readonly dataset: string;
  readonly cells: number;
  readonly since: Date;
  readonly lostAt: Date;
};

/** The share of the time in which a snapshot can be requested after which it is at risk. */
const riskShare = 2 / 3;

/**
 * Snapshots of which two thirds of the time are over in which they can still be requested: those that failed or wait, and those that are due
 * and that nobody has planned, of the scopes that the last round of their dataset was about. `now` in epoch-ms; the database's clock when left out.
 */
export async function readDaysAtRisk(db: Database, now: number | null = null): Promise<readonly DayAtRisk[]> {
  const at = now === null ? sql`now()` : instant(now);
  const today = sql`(${at} at time zone 'UTC')::date`;
  const { rows } = await sql<DayAtRisk>`
    with newest as materialized (
      select distinct on (s.dataset, s.scope, s.batch_id) s.*, ${refreshDays} as days,
             max(s.window_start) over (partition by s.dataset) as last_round
      from   ops.slice as s
      join   ops.dataset as d on d.dataset = s.dataset
      and    (d.is_on or not d.is_switched_off and exists (select from ops.next_run as r where s.dataset = any (r.datasets)))
      where  s.class = 'snapshot' and s.window_start > ${today} - ${longestGapDays}::integer
      order  by s.dataset, s.scope, s.batch_id, s.window_start desc, s.slice_id desc
    ), due as (
      select n.*, ${today} - mod(${today} - n.window_start, n.days) as day
      from   newest as n
      where  case when n.window_start + n.days > ${today} then n.state = 'failed' or ${isOpen("n")}
                  else n.window_start > n.last_round - n.days end
    ), timed as (
      select d.dataset, coalesce(cardinality(b.items), 1) as cells, d.day::timestamp at time zone 'UTC' as since,
             (d.day + d.days)::timestamp at time zone 'UTC' as lost_at
      from   due as d
      left   join ops.batch as b on b.batch_id = d.batch_id
    )
    select dataset, sum(cells)::int as cells, min(since) as since, min(lost_at) as "lostAt"
    from   timed
    where  ${at} >= since + (lost_at - since) * ${riskShare}::double precision and ${at} < lost_at
    group  by dataset
    order  by dataset`.execute(db);
  return rows;
}
