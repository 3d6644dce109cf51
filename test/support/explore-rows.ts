import { tried, type GrantedStage } from "./granted-stage.ts";

/** The views of Explore. */
export const exploreViews = ["ranks", "movers", "charts", "reviews"] as const;

/** Releases, places in charts and reviews of each app, with a text that a browser or a spreadsheet would run. */
const fill = `
  insert into core.app_version (app_key, country_key, language_code, version_at, version, release_notes, slice_id, fetched_at)
  select app_key, (select country_key from core.dim_country where country_code = v.country), '', v.at, '2.0', v.notes, 1, '2026-08-20Z'
  from   core.dim_app, (values ('US', timestamp '2026-08-17 10:00', '<b onclick="x()">new</b>'),
                               -- a change within the version, and another page
                               ('US', '2026-08-18 10:00', 'changed'), ('JP', '2026-08-19 10:00', 'elsewhere')) as v (country, at, notes);
  select ops.make_partition('core.fact_category_rank', '2026-08-01');
  insert into core.fact_category_rank (app_key, date_day, country_key, device_key, category_code, category_name, chart, chart_version, resolution, ranked_at, rank, slice_id, fetched_at)
  select app_key, d::date, (select country_key from core.dim_country where country_code = 'US'), case store when 'ios' then 1 else 0 end, c.code, c.name, 'FREE', 'v2', 'daily', d, c.rank, 1, '2026-08-20Z'
  from   core.dim_app, (values ('36', 'Overall', 7), ('6011', 'Music', 40), ('7011', 'Music', 3), ('6005', 'E', 50), ('6006', 'F', 60), ('6007', 'G', 70),
                           ('6008', 'H', 80), ('6009', 'I', 90)) as c (code, name, rank), generate_series(timestamp '2026-08-16', '2026-08-19', interval '1 day') as d;
  insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, rating, title, content, slice_id, fetched_at)
  select app_key, '1', source, '2026-08-18 10:00', (select country_key from core.dim_country where country_code = 'US'), '', 2, '=cmd()', '<script>document.title = "run"</script>', 1, '2026-08-20Z' from core.dim_app, unnest(array['v2', 'plain']) as source;
  insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, rating, content, slice_id, fetched_at)
  select app_key, '2', 'v2', '2026-08-17 10:00', (select country_key from core.dim_country where country_code = 'ALL'), '', 1, 'of no known country', 1, '2026-08-20Z' from core.dim_app`;

/** Fills what Explore shows beside ranks. */
export async function fillExplore({ adminUrl }: GrantedStage): Promise<void> {
  const refused = await tried(adminUrl, fill);
  if (typeof refused === "string") throw new Error(`the rows are refused: ${refused}`);
}
