import { addDays, type Day } from "../core/day.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { sql, type Queryable } from "../postgres/sql.ts";
import { furthestDays, toleranceDays, type Alert } from "./alert.ts";

/** Days back from today that alerts are checked for: a day that becomes complete later no longer fires. */
export const alertDays = 30;

/** A day that has its answers. For its answers and those of the days that it is compared with: when the newest came, and their number. */
export type AnsweredDay = {
  readonly alertName: string;
  readonly day: Day;
  /** As Postgres text: more precise than a JavaScript date. */
  readonly answeredAt: string;
  readonly answerCount: number;
  /** Slices that are deferred or have failed: a day may have waited for them. */
  readonly unansweredCount: number;
};

/**
 * The days of each alert that are published, have data, and have nothing under way. With `onlyNew`, only days from the alert's first day on
 * that have answers that no check has seen, or are compared with such a day.
 */
export async function readDueDays(
  db: Queryable,
  alerts: readonly Alert[],
  { today, onlyNew }: { readonly today: Day; readonly onlyNew: boolean },
): Promise<readonly AnsweredDay[]> {
  const from = addDays(today, -alertDays);
  const wanted = alerts.map(({ name, digest, datasets, comparedFrom }) => ({
    alert_name: name,
    digest,
    datasets,
    compared_from: comparedFrom,
  }));
  const datasets = [...new Set(alerts.flatMap((alert) => alert.datasets))];
  const declared = datasets.map((name) => ({ dataset: name, settle_days: declaredSettleDays(name) }));
  const earliest = addDays(from, -Math.max(0, ...alerts.map(furthestDays)));
  const { rows } = await sql<AnsweredDay>`
    with wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w (alert_name text, digest text, datasets text[], compared_from int)
    ), cell as (
      select s.dataset, d.date_day, max(s.ended_at) filter (where s.state in ('loaded', 'empty')) as answered_at,
             count(*) filter (where s.state in ('loaded', 'empty')) as answer_count,
             count(*) filter (where s.state in ('deferred', 'failed')) as unanswered_count, bool_or(s.state in ('pending', 'running')) as is_open
      from   ops.slice as s
      left   join ops.dataset_timing as o on o.dataset = s.dataset and o.scope = s.scope and not o.is_default
      left   join ops.dataset_timing as b on b.dataset = s.dataset and b.is_default
      join   jsonb_to_recordset(${JSON.stringify(declared)}::jsonb) as t (dataset text, settle_days int) on t.dataset = s.dataset
      -- what is there of a day before it is published is not all of it
      join   core.dim_date as d on d.date_day >= s.window_start and d.date_day < s.window_end
                               and d.date_day <= ${today}::date - coalesce(case when o.dataset is null then b.settle_days else o.settle_days end, t.settle_days)
      where  s.dataset = any (${datasets}::text[]) and s.state not in ('skipped', 'lost')
      and    s.window_end > ${earliest}::date and s.window_start <= ${today}::date and d.date_day between ${earliest}::date and ${today}::date
      group  by 1, 2
    ), day as (
      select w.alert_name, w.digest, o.date_day, max(c.answered_at) as answered_at, sum(c.answer_count)::int as answer_count,
             sum(c.unanswered_count)::int as unanswered_count
      from   wanted as w
      cross  join (select distinct date_day from cell) as o
      join   cell as c on c.dataset = any (w.datasets) and (c.date_day = o.date_day
                          or c.date_day between o.date_day - w.compared_from - ${toleranceDays}::int and o.date_day - w.compared_from)
      where  o.date_day >= ${from}::date
      group  by 1, 2, 3
      having not bool_or(c.date_day = o.date_day and c.is_open) and coalesce(sum(c.answer_count) filter (where c.date_day = o.date_day), 0) > 0
    )
    select d.alert_name as "alertName", d.date_day as day, d.answered_at::text as "answeredAt", d.answer_count as "answerCount",
           d.unanswered_count as "unansweredCount"
    from   day as d
    left   join ops.alert as a on a.alert_name = d.alert_name
    left   join ops.alert_day as k on k.alert_name = d.alert_name and k.date_day = d.date_day
    where  not ${onlyNew} or (d.date_day >= a.since_day and (d.digest, d.answered_at, d.answer_count, d.unanswered_count)
           is distinct from (k.digest, k.answered_at, k.answer_count, k.unanswered_count))
    order  by 1, 2`.execute(db);
  return rows;
}

/**
 * The number of newest days, including today, that a dataset declares as not published yet: used if no planning has recorded its timing.
 */
function declaredSettleDays(name: string): number {
  const { timing } = datasetNamed(name);
  return timing.kind === "snapshot" ? 0 : timing.settleDays;
}
