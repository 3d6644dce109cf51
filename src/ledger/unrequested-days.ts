import { listed } from "../core/words.ts";
import { appNamed } from "../postgres/app-named.ts";
import { earliest, latest, type Day } from "../core/day.ts";
import type { NamedScopes } from "../core/partition-group.ts";
import { lastDay, type Window } from "../core/window.ts";
import { sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import { plannedOn } from "./snapshot-rounds.ts";

/** The first day of a dataset that a sync requests, and the first day whose rows are kept; null if all are. */
export type RequestedFrom = {
  readonly dataset: string;
  readonly from: Day;
  readonly keptFrom: Day | null;
  readonly itemsAreApps: boolean;
};

/** SQL: the reaches as rows `r`. */
function reachRows(reaches: readonly RequestedFrom[]): SqlFragment {
  return sql`jsonb_to_recordset(${JSON.stringify(reaches)}::jsonb) as r (dataset text, "from" date, "keptFrom" date, "itemsAreApps" boolean)`;
}

/** Which days: those of the partitions that an account requests, for the named apps and countries; `today` as in the reaches. */
type OwnScopes = NamedScopes & { readonly account: string; readonly today: Day };

/** SQL: true for a slice of a dataset `r` about the named apps and countries; for a list of apps, if it contains one of them. */
function isNamed(slice: "s" | "f", { apps, countries }: NamedScopes): SqlFragment<boolean> {
  const scope = sql.ref(`${slice}.scope`);
  const ids = apps.map((app) => app.slice(app.indexOf(":") + 1));
  const hasItem = sql`r."itemsAreApps" and exists (
    select from ops.slice_batch as b where b.batch_id = ${sql.ref(`${slice}.batch_id`)} and b.items && ${ids}::text[])`;
  return sql<boolean>`(${apps.length === 0}::boolean or ${appNamed(apps, { store: sql`(${scope} ->> 'store')`, trackId: sql`(${scope} ->> 'app')` })}
    or ${hasItem})
    and (${countries.length === 0}::boolean or coalesce(${scope} ->> 'country' = any (${[...countries]}::text[]), true))`;
}

/**
 * Days of a dataset that were never requested for some partitions: `partitions` out of `all` those that are requested now and have earlier
 * days.
 */
export type UnrequestedDays = {
  readonly dataset: string;
  readonly window: Window;
  readonly partitions: number;
  readonly all: number;
};

/** Such days in words: their datasets, and the first and the last day of all; null if there are none. */
export function unrequestedText(found: readonly UnrequestedDays[]): string | null {
  if (found.length === 0) return null;
  const datasets = listed([...new Set(found.map(({ dataset }) => dataset))]);
  const first = earliest(found.map(({ window }) => window.start));
  const last = latest(found.map(({ window }) => lastDay(window)));
  return `days of ${datasets} between ${first} and ${last}, which no sync requests any more`;
}

/** The command that shows what to run for such days. */
export const unrequestedNext = "`storehouse gaps` names the backfill that prices them";

/**
 * Ranges of days, before those that a sync requests, that were never requested for a partition although syncs requested days before and
 * after them: nothing ran for longer than a sync reaches back, a sync ended at its limit, or a country was removed for a while. A person's
 * plan does not move the start of the history, nor does a sync of days that a person named, if all of them are before the days that a sync
 * reached then.
 */
export async function readUnrequestedDays(
  db: Queryable,
  reaches: readonly RequestedFrom[],
  own: OwnScopes,
): Promise<readonly UnrequestedDays[]> {
  // a slice that is older than its run was taken over by a retry or another sync: the days of the run that planned it are no longer known
  const isOfOther = sql`s.created_at < a.started_at`;
  const reachedAsOf = sql`case when ${isOfOther} then ${plannedOn} else a.as_of end`;
  const firstDay = sql`min(s.window_start) filter (
               where s.plan_id is null
               and   (case when ${isOfOther} then s.window_end else upper(a.days) end <= r."from" - (${own.today}::date - ${reachedAsOf})) is not true)`;
  const { rows } = await sql<Omit<UnrequestedDays, "window"> & Window>`
    with reach as materialized (
      select * from ${reachRows(reaches)}
    ), requested as materialized (
      select s.dataset, r."from", greatest(${firstDay}, r."keptFrom") as first_day,
             range_agg(daterange(s.window_start, s.window_end)) as days
      from   ops.slice_log as s
      join   reach         as r using (dataset)
      left   join ops.run_log as a on a.run_id = s.run_id and a.account = ${own.account}
      -- days of a snapshot are its partition's own: no backfill requests one that is past
      where  s.state <> 'lost' and s.class <> 'snapshot' and ${isNamed("s", own)}
      group  by s.dataset, s.scope, r."from", r."keptFrom"
      -- only partitions that this account still requests, and of which any account requested kept days before those of a sync. Such days are no gap
      having max(s.window_end) filter (where a.run_id is not null) > r."from" and ${firstDay} < r."from" and (r."keptFrom" < r."from") is not false
    ), missing as (
      select dataset, unnest(datemultirange(daterange(first_day, "from")) - days) as days
      from   requested
    )
    select m.dataset, lower(m.days) as start, upper(m.days) as end, count(*)::int as partitions,
           (select count(*)::int from requested as q where q.dataset = m.dataset) as "all"
    from   missing as m
    group  by m.dataset, m.days
    order  by 1, 2, 3`.execute(db);
  return rows.map(({ start, end, ...one }) => ({ ...one, window: { start, end } }));
}

/** Failed slices of a dataset about days before those that a sync requests. */
export type EarlierFailures = { readonly dataset: string; readonly slices: number };

/** Counts them. */
export async function countEarlierFailures(
  db: Queryable,
  reaches: readonly RequestedFrom[],
  own: OwnScopes,
): Promise<readonly EarlierFailures[]> {
  const { rows } = await sql<EarlierFailures>`
    select f.dataset, count(*)::int as slices
    from   ops.failed_slice as f
    join   ${reachRows(reaches)} using (dataset)
    join   ops.run_log as a on a.run_id = f.run_id and a.account = ${own.account}
    where  f.window_end <= r."from" and ${isNamed("f", own)}
    group  by 1
    order  by 1`.execute(db);
  return rows;
}
