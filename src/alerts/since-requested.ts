import { addDays, type Day } from "../core/day.ts";
import { sql, type Queryable } from "../postgres/sql.ts";
import type { Alert } from "./alert.ts";
import type { Fire } from "./fire.ts";

/**
 * Leaves out fires for days before an app, country or keyword was new: like an alert, it begins with the day before its first request, and
 * data of earlier days is history.
 */
export async function sinceRequested(
  db: Queryable,
  { datasets }: Pick<Alert, "datasets">,
  { fires, today }: { readonly fires: readonly Fire[]; readonly today: Day },
): Promise<readonly Fire[]> {
  const yesterday = addDays(today, -1);
  const late = fires.map(({ subject, day }, at) => ({ ...subject, day, at })).filter(({ day }) => day < yesterday);
  if (late.length === 0) return fires;
  const { rows } = await sql<{ at: number }>`
    select f.at
    from   jsonb_to_recordset(${JSON.stringify(late)}::jsonb) as f (at int, day date, store text, track_id text, country_code text, keyword text)
    where  not exists (
      select from ops.slice as s
      left   join ops.batch as b on b.batch_id = s.batch_id
      where  s.dataset = any (${[...datasets]}::text[]) and s.created_at < (f.day + 2)::timestamp at time zone 'UTC'
      and    (s.scope ->> 'app' = f.track_id or s.scope ->> 'app' is null)
      and    (s.scope ->> 'store' = f.store) is not false
      and    (s.scope ->> 'country' = f.country_code or f.country_code = 'ALL') is not false
      -- items are keywords of the app, or its countries where the scope has none, or apps, or apps by country
      and    (b.items is null or case when s.scope ->> 'app' is null then array[f.track_id, f.country_code || ':' || f.track_id] && b.items
                                      when s.scope ->> 'country' is null then (f.country_code = any (b.items) or f.country_code = 'ALL') is not false
                                      else (f.keyword = any (b.items)) is not false end))`.execute(db);
  const before = new Set(rows.map(({ at }) => at));
  return fires.filter((_, at) => !before.has(at));
}
