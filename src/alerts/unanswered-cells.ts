import type { AlertMart } from "../config/alert-marts.ts";
import type { Day } from "../core/day.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";

/**
 * SQL: store, app, country and day of requested cells of some datasets that have no answer; null if the dataset does not distinguish them.
 * A failed slice stays failed even if another one brings the answer. Unlike in `ops.failed_slice`, any newer skipped or lost slice of the
 * day also ends the wait: what matters here is whether the day is answered or given up, not whether its
 * failure needs attention. No rows for marts whose rows are each made of one answer.
 */
export function unansweredCells(
  { isWhole }: Pick<AlertMart, "isWhole">,
  datasets: readonly string[],
  { from, to }: { readonly from: Day; readonly to: Day },
): SqlFragment {
  if (isWhole === undefined) return sql`select where false`;
  return sql`
    select distinct s.scope ->> 'store' as store, s.scope ->> 'app' as track_id, s.scope ->> 'country' as country_code, d.date_day
    from   ops.slice as s
    left   join ops.batch as b on b.batch_id = s.batch_id
    join   core.dim_date as d on d.date_day >= s.window_start and d.date_day < s.window_end
    where  s.dataset = any (${[...datasets]}::text[]) and s.state in ('pending', 'running', 'deferred', 'failed')
    and    s.window_end > ${from}::date and s.window_start <= ${to}::date and d.date_day between ${from}::date and ${to}::date
    and    (s.state <> 'failed' or exists (
      select from unnest(coalesce(b.items, array[''])) as i (item)
      where  not exists (
        select from ops.slice as n
        left   join ops.batch as o on o.batch_id = n.batch_id
        where  hashtextextended(n.scope::text, 0) = hashtextextended(s.scope::text, 0) and n.scope = s.scope and n.dataset = s.dataset
        and    n.slice_id > s.slice_id and n.state in ('loaded', 'empty', 'skipped', 'lost')
        and    n.window_start <= d.date_day and n.window_end > d.date_day
        and    i.item = any (coalesce(o.items, array[''])))))`;
}
