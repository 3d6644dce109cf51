-- Reviews of the plain list count on days of an app and country that v2 tells nothing of: what was loaded before v2 was, or beside it for
-- other countries, stays. Releases and reviews meet by the app, and days are looked up by it: whoever asks for one app reads no other.

-- small where v2 is not loaded, and then asked for each review of the plain list
create index review_of_v2 on core.review (app_key, country_key, reviewed_at) where source = 'v2';

create or replace view mart.review_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, r.language_code, r.reviewed_at::date as date_day, r.source as review_source,
       count(*) as review_count, count(r.rating) as rated_review_count, sum(r.rating) as rating_sum, sum(r.rating)::numeric / nullif(count(r.rating), 0) as average_rating,
       count(*) filter (where r.rating = 1) as one_star_count,
       count(*) filter (where r.rating = 2) as two_star_count,
       count(*) filter (where r.rating = 3) as three_star_count,
       count(*) filter (where r.rating = 4) as four_star_count,
       count(*) filter (where r.rating = 5) as five_star_count,
       count(*) filter (where r.is_replied) as replied_review_count, count(r.is_replied) as reply_known_review_count,
       count(*) filter (where r.is_replied)::numeric / nullif(count(r.is_replied), 0) as replied_share
from   core.review as r
join   core.dim_app     as a on a.app_key = r.app_key
join   core.dim_country as c on c.country_key = r.country_key
where  (r.source = 'v2' or not exists (
  select from core.review as o
  where  o.app_key = r.app_key and o.country_key = r.country_key and o.source = 'v2'
  and    o.reviewed_at >= date_trunc('day', r.reviewed_at) and o.reviewed_at < date_trunc('day', r.reviewed_at) + interval '1 day'))
group  by r.app_key, r.country_key, a.store, a.track_id, a.app_name, c.country_code, c.country_name, r.language_code, r.reviewed_at::date, r.source;

create or replace view mart.review_by_version as
with release as (
  select v.app_key, v.version, min(v.version_at) as released_at
  from   core.app_version as v
  where  v.version <> ''
  group  by 1, 2
), span as (
  select n.*, lead(n.released_at) over (partition by n.app_key order by n.released_at, n.version) as replaced_at
  from   release as n
), placed as (
  select r.*, coalesce(nullif(r.version, ''), l.version, '') as on_version, nullif(r.version, '') is null and l.version is not null as is_inferred
  from   core.review as r
  left   join span as l on l.app_key = r.app_key and l.released_at <= r.reviewed_at and r.reviewed_at < coalesce(l.replaced_at, 'infinity')
                      and nullif(r.version, '') is null
  where  (r.source = 'v2' or not exists (
    select from core.review as o
    where  o.app_key = r.app_key and o.country_key = r.country_key and o.source = 'v2'
    and    o.reviewed_at >= date_trunc('day', r.reviewed_at) and o.reviewed_at < date_trunc('day', r.reviewed_at) + interval '1 day'))
)
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, r.language_code, r.on_version as version, r.is_inferred as is_version_inferred,
       max(n.released_at) as released_at, min(r.reviewed_at)::date as first_review_day, max(r.reviewed_at)::date as last_review_day,
       count(*) as review_count, count(r.rating) as rated_review_count, sum(r.rating) as rating_sum, sum(r.rating)::numeric / nullif(count(r.rating), 0) as average_rating,
       count(*) filter (where r.rating = 1) as one_star_count,
       count(*) filter (where r.rating = 2) as two_star_count,
       count(*) filter (where r.rating = 3) as three_star_count,
       count(*) filter (where r.rating = 4) as four_star_count,
       count(*) filter (where r.rating = 5) as five_star_count
from   placed as r
join   core.dim_app     as a on a.app_key = r.app_key
join   core.dim_country as c on c.country_key = r.country_key
left   join release as n on n.app_key = r.app_key and n.version = r.on_version
group  by r.app_key, r.country_key, a.store, a.track_id, a.app_name, c.country_code, c.country_name, r.language_code, r.on_version, r.is_inferred;

create or replace view mart.release_impact as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, r.version, r.release_day, p.window_days as window_day_count,
       s.before_rank_sum / nullif(s.before_ranked_count, 0) as before_average_rank, s.after_rank_sum / nullif(s.after_ranked_count, 0) as after_average_rank,
       s.before_ranked_count / nullif(s.before_asked_count, 0) as before_ranked_keyword_share, s.after_ranked_count / nullif(s.after_asked_count, 0) as after_ranked_keyword_share,
       s.before_voice_sum / nullif(s.before_asked_count, 0) as before_voice_share, s.after_voice_sum / nullif(s.after_asked_count, 0) as after_voice_share,
       g.before_rating, g.after_rating, g.before_rating_count, g.after_rating_count,
       case when h.has_reviews then w.before_review_count end as before_review_count, case when h.has_reviews then w.after_review_count end as after_review_count,
       w.before_review_sum / nullif(w.before_rated_count, 0) as before_average_review_rating,
       w.after_review_sum / nullif(w.after_rated_count, 0) as after_average_review_rating,
       e.before_download_count as before_estimated_download_count, e.after_download_count as after_estimated_download_count,
       t.before_download_count as before_store_download_count, t.after_download_count as after_store_download_count,
       case p.window_days when 7 then r.within_7_count else r.within_14_count end - 1 as nearby_release_count
from   core.dim_app as a
cross  join lateral (
  select v.*, count(*) over (order by v.release_day range between interval '7 days' preceding and interval '7 days' following) as within_7_count,
         count(*) over (order by v.release_day range between interval '14 days' preceding and interval '14 days' following) as within_14_count
  from   (select v.app_key, v.version, min(v.version_at)::date as release_day
          from   core.app_version as v
          where  v.app_key = a.app_key
          group  by v.app_key, v.version, case when v.version = '' then v.version_at end) as v) as r
cross  join (values (7), (14)) as p (window_days)
cross  join lateral (
  select f.country_key from core.fact_keyword_standing as f where f.app_key = r.app_key and f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
  union
  select f.country_key from core.fact_app_rating as f where f.app_key = r.app_key and f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
  union
  select f.country_key from core.fact_download_revenue as f where f.app_key = r.app_key and f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
  union
  select f.country_key from core.fact_sales_metric as f where f.app_key = r.app_key and not f.is_total and f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
  union
  select f.country_key from core.review as f where f.app_key = r.app_key and f.reviewed_at >= r.release_day - p.window_days and f.reviewed_at < r.release_day + p.window_days + 1
) as n
join   core.dim_country as c on c.country_key = n.country_key
cross  join lateral (
  select sum(f.rank_sum) filter (where f.date_day < r.release_day) as before_rank_sum, sum(f.rank_sum) filter (where f.date_day > r.release_day) as after_rank_sum,
         sum(f.ranked_keyword_count) filter (where f.date_day < r.release_day) as before_ranked_count, sum(f.ranked_keyword_count) filter (where f.date_day > r.release_day) as after_ranked_count,
         sum(f.asked_keyword_count) filter (where f.date_day < r.release_day) as before_asked_count, sum(f.asked_keyword_count) filter (where f.date_day > r.release_day) as after_asked_count,
         sum(f.voice_billionths) filter (where f.date_day < r.release_day) / 1000000000 as before_voice_sum, sum(f.voice_billionths) filter (where f.date_day > r.release_day) / 1000000000 as after_voice_sum
  from   core.fact_keyword_standing as f
  where  f.app_key = r.app_key and f.country_key = n.country_key and f.device_key in (0, 1)
  and    f.date_day between r.release_day - p.window_days and r.release_day + p.window_days) as s
cross  join lateral (
  select (array_agg(f.rating order by f.date_day desc, f.rating_count desc nulls last) filter (where f.date_day < r.release_day))[1] as before_rating,
         (array_agg(f.rating order by f.date_day desc, f.rating_count desc nulls last) filter (where f.date_day > r.release_day))[1] as after_rating,
         (array_agg(f.rating_count order by f.date_day desc, f.rating_count desc nulls last) filter (where f.date_day < r.release_day))[1] as before_rating_count,
         (array_agg(f.rating_count order by f.date_day desc, f.rating_count desc nulls last) filter (where f.date_day > r.release_day))[1] as after_rating_count
  from   core.fact_app_rating as f
  where  f.app_key = r.app_key and f.country_key = n.country_key
  and    f.date_day between r.release_day - p.window_days and r.release_day + p.window_days) as g
cross  join lateral (
  select count(*) filter (where f.reviewed_at < r.release_day) as before_review_count, count(*) filter (where f.reviewed_at >= r.release_day + 1) as after_review_count,
         count(f.rating) filter (where f.reviewed_at < r.release_day)::numeric as before_rated_count, count(f.rating) filter (where f.reviewed_at >= r.release_day + 1)::numeric as after_rated_count,
         sum(f.rating) filter (where f.reviewed_at < r.release_day) as before_review_sum, sum(f.rating) filter (where f.reviewed_at >= r.release_day + 1) as after_review_sum
  from   core.review as f
  where  f.app_key = r.app_key and f.country_key = n.country_key
  and    f.reviewed_at >= r.release_day - p.window_days and f.reviewed_at < r.release_day + p.window_days + 1
  and    (f.source = 'v2' or not exists (
    select from core.review as o
    where  o.app_key = f.app_key and o.country_key = f.country_key and o.source = 'v2'
    and    o.reviewed_at >= date_trunc('day', f.reviewed_at) and o.reviewed_at < date_trunc('day', f.reviewed_at) + interval '1 day'))) as w
-- one look: whether there are any is not to be answered by reading all there are
left   join lateral (select true as has_reviews from core.review as f where f.app_key = r.app_key limit 1) as h on true
cross  join lateral (
  select avg(d.download_count) filter (where d.date_day < r.release_day) as before_download_count, avg(d.download_count) filter (where d.date_day > r.release_day) as after_download_count
  from   (select f.date_day, coalesce(max(f.download_count) filter (where f.is_total), sum(f.download_count) filter (where not f.is_total)) as download_count
          from   core.fact_download_revenue as f
          where  f.app_key = r.app_key and f.country_key = n.country_key
          and    f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
          group  by 1) as d) as e
cross  join lateral (
  select avg(d.download_count) filter (where d.date_day < r.release_day) as before_download_count, avg(d.download_count) filter (where d.date_day > r.release_day) as after_download_count
  from   (select f.date_day, coalesce(max(f.units) filter (where f.device_key = 0), sum(f.units) filter (where f.device_key <> 0)) as download_count
          from   core.fact_sales_metric as f
          where  f.app_key = r.app_key and f.country_key = n.country_key and f.context = 'DOWNLOAD' and not f.is_total
          and    f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
          group  by 1) as d) as t;
comment on column mart.release_impact.before_review_count is 'Reviews written in the days before; null where no review of the app is there at all.';
comment on column mart.release_impact.after_review_count  is 'Reviews written in the days after; null where no review of the app is there at all.';

create or replace view mart.app_overview_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, o.date_day,
       o.asked_keyword_count, o.ranked_keyword_count, o.top_1_keyword_count, o.top_3_keyword_count, o.top_10_keyword_count,
       o.rank_sum / nullif(o.ranked_keyword_count, 0) as average_rank, o.voice_sum / nullif(o.asked_keyword_count, 0) as voice_share,
       o.visibility_score, o.best_category_rank, o.rating, o.rating_count, o.review_count, o.review_sum / nullif(o.rated_count, 0) as average_review_rating,
       o.estimated_download_count, o.estimated_revenue, o.store_download_count, o.store_revenue, o.page_view_count
from   core.dim_app as a
cross  join lateral (
  select u.country_key, u.date_day, max(u.asked) as asked_keyword_count, max(u.ranked) as ranked_keyword_count, max(u.top_1) as top_1_keyword_count,
         max(u.top_3) as top_3_keyword_count, max(u.top_10) as top_10_keyword_count, max(u.rank_sum) as rank_sum, max(u.voice_sum) as voice_sum,
         max(u.visibility) as visibility_score, min(u.category_rank) as best_category_rank, max(u.rating) as rating, max(u.rating_count) as rating_count,
         max(u.reviews) as review_count, max(u.review_sum) as review_sum, max(u.rated) as rated_count, max(u.downloads) as estimated_download_count, max(u.revenue) as estimated_revenue,
         max(u.store_downloads) as store_download_count, max(u.store_revenue) as store_revenue, max(u.views) as page_view_count
  from   (
    select f.country_key, f.date_day as date_day, f.asked_keyword_count::numeric as asked, f.ranked_keyword_count::numeric as ranked,
           f.top_1_keyword_count::numeric as top_1, f.top_3_keyword_count::numeric as top_3, f.top_10_keyword_count::numeric as top_10,
           f.rank_sum::numeric as rank_sum, f.voice_billionths / 1000000000.0 as voice_sum, null::numeric as visibility, null::numeric as category_rank,
           null::numeric as rating, null::numeric as rating_count, null::numeric as reviews, null::numeric as review_sum, null::numeric as rated,
           null::numeric as downloads, null::numeric as revenue, null::numeric as store_downloads, null::numeric as store_revenue,
           null::numeric as views
    from   core.fact_keyword_standing as f where f.app_key = a.app_key and f.device_key in (0, 1)
    union  all
    select f.country_key, f.date_day, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric,
           coalesce(max(f.score) filter (where f.kind = 'history'), max(f.score)), null::numeric, null::numeric, null::numeric, null::numeric,
           null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric
    from   core.fact_visibility as f where f.app_key = a.app_key group by 1, 2
    union  all
    select f.country_key, f.date_day, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric,
           null::numeric, min(f.rank), null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric,
           null::numeric, null::numeric, null::numeric
    from   core.fact_category_rank as f where f.app_key = a.app_key and f.device_key in (0, 1) group by 1, 2
    union  all
    select f.country_key, f.date_day, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric,
           null::numeric, null::numeric, (array_agg(f.rating order by f.rating_count desc nulls last))[1], max(f.rating_count), null::numeric,
           null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric
    from   core.fact_app_rating as f where f.app_key = a.app_key group by 1, 2
    union  all
    select f.country_key, f.reviewed_at::date, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric,
           null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, count(*), sum(f.rating), count(f.rating), null::numeric,
           null::numeric, null::numeric, null::numeric, null::numeric
    from   core.review as f
    where  f.app_key = a.app_key and (f.source = 'v2' or not exists (
      select from core.review as v
      where  v.app_key = f.app_key and v.country_key = f.country_key and v.source = 'v2'
      and    v.reviewed_at >= date_trunc('day', f.reviewed_at) and v.reviewed_at < date_trunc('day', f.reviewed_at) + interval '1 day'))
    group  by 1, 2
    union  all
    select f.country_key, f.date_day, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric,
           null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric,
           coalesce(max(f.download_count) filter (where f.is_total), sum(f.download_count) filter (where not f.is_total)),
           coalesce(max(f.revenue) filter (where f.is_total), sum(f.revenue) filter (where not f.is_total)), null::numeric, null::numeric,
           null::numeric
    from   core.fact_download_revenue as f where f.app_key = a.app_key group by 1, 2
    union  all
    select f.country_key, f.date_day, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric,
           null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric, null::numeric,
           coalesce(max(f.units) filter (where f.context = 'DOWNLOAD' and f.device_key = 0),
           sum(f.units) filter (where f.context = 'DOWNLOAD' and f.device_key <> 0)),
           coalesce(max(f.units) filter (where f.context = 'REVENUE_TOTAL' and f.device_key = 0),
           sum(f.units) filter (where f.context = 'REVENUE_TOTAL' and f.device_key <> 0)),
           coalesce(max(f.units) filter (where f.context = 'PAGE_VIEW' and f.device_key = 0),
           sum(f.units) filter (where f.context = 'PAGE_VIEW' and f.device_key <> 0))
    from   core.fact_sales_metric as f where f.app_key = a.app_key and not f.is_total group by 1, 2
  ) as u
  group  by 1, 2
) as o
join   core.dim_country as c on c.country_key = o.country_key
-- of a competitor that is not followed itself nothing is known but its score; one look each, where a list of the followed would be made of whole facts
where  not exists (select from core.tracked_competitor as n where n.competitor_app_key = a.app_key)
or     (select true from core.tracked_app           as n where n.app_key = a.app_key limit 1)
or     (select true from core.fact_keyword_standing as n where n.app_key = a.app_key limit 1)
or     (select true from core.fact_app_rating       as n where n.app_key = a.app_key limit 1)
or     (select true from core.fact_category_rank    as n where n.app_key = a.app_key limit 1)
or     (select true from core.review                as n where n.app_key = a.app_key limit 1);
comment on column mart.review_daily.review_source is 'Which list of the store they come from: v2 (paged), or plain on days of which v2 tells nothing for the app and country.';
comment on column mart.app_overview_daily.estimated_download_count is 'Downloads as the service estimates them (iOS): of all devices together, or else the sum of those that were told for the day.';
comment on column mart.app_overview_daily.store_download_count     is 'Downloads as the store told the account (its own apps): of all devices together, or else the sum of those that were told for the day.';
