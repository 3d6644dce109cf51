import { addDays, type Day } from "../core/day.ts";
import { sql, type Queryable } from "../postgres/sql.ts";
import type { Alert } from "./alert.ts";

/** Days back from today that alerts are checked for: what becomes complete later than that fires no more. */
export const alertDays = 30;

/** A day that has its answers, and what was there of them: when the newest came, and how many there are. */
export type AnsweredDay = {
  readonly alertName: string;
  readonly day: Day;
  /** As text of Postgres: more exact than a date of JavaScript. */
  readonly answeredAt: string;
  readonly answerCount: number;
};

/**
 * The days of each alert whose data is there and for which nothing is under way: with `onlyNew` those with answers that no check has seen,
 * from the day on which the alert begins.
 */
export async function readDueDays(
  db: Queryable,
  alerts: readonly Alert[],
  { today, onlyNew }: { readonly today: Day; readonly onlyNew: boolean },
): Promise<readonly AnsweredDay[]> {
  const from = addDays(today, -alertDays);
  const wanted = alerts.map(({ name, digest, datasets }) => ({ alert_name: name, digest, datasets }));
  const { rows } = await sql<AnsweredDay>`
    with wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w (alert_name text, digest text, datasets text[])
    ), cell as (
      select s.dataset, d.date_day, max(s.ended_at) filter (where s.state in ('loaded', 'empty')) as answered_at,
             count(*) filter (where s.state in ('loaded', 'empty')) as answer_count, bool_or(s.state in ('pending', 'running')) as is_open
      from   ops.slice as s
      join   core.dim_date as d on d.date_day >= s.window_start and d.date_day < s.window_end
      where  s.dataset = any (${[...new Set(alerts.flatMap(({ datasets }) => datasets))]}::text[]) and s.state in ('loaded', 'empty', 'pending', 'running')
      and    s.window_end > ${from}::date and s.window_start <= ${today}::date and d.date_day between ${from}::date and ${today}::date
      group  by 1, 2
    ), day as (
      select w.alert_name, w.digest, c.date_day, max(c.answered_at) as answered_at, sum(c.answer_count)::int as answer_count
      from   wanted as w
      join   cell as c on c.dataset = any (w.datasets)
      group  by 1, 2, 3
      having not bool_or(c.is_open) and sum(c.answer_count) > 0
    )
    select d.alert_name as "alertName", d.date_day as day, d.answered_at::text as "answeredAt", d.answer_count as "answerCount"
    from   day as d
    left   join ops.alert as a on a.alert_name = d.alert_name
    left   join ops.alert_day as k on k.alert_name = d.alert_name and k.date_day = d.date_day
    where  not ${onlyNew} or (d.date_day >= a.since_day and (d.digest, d.answered_at, d.answer_count) is distinct from (k.digest, k.answered_at, k.answer_count))
    order  by 1, 2`.execute(db);
  return rows;
}
