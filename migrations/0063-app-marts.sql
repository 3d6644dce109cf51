-- Apps before and after a release, and the figures of an app side by side. Of iOS devices the iPhone counts: devices search alike, and their
-- figures do not add up.

create view mart.release_impact as
with waiting as materialized (
  select n.store, n.track_id, n.country_code, range_agg(daterange(n.date_day, n.date_day + 1)) as days, array_agg(n.date_day) as date_days,
         array_agg(n.keyword_count) as keyword_counts
  from   ops.unanswered_keyword_daily as n
  group  by 1, 2, 3
), answered as materialized (
  select n.* from ops.download_days as n
)
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, r.version, r.release_day, p.window_days as window_day_count,
       s.before_day_count as before_rank_day_count, s.after_day_count as after_rank_day_count,
       round(s.before_rank_sum / nullif(s.before_ranked_count, 0), 2) as before_average_rank, round(s.after_rank_sum / nullif(s.after_ranked_count, 0), 2) as after_average_rank,
       round(s.before_ranked_count / nullif(s.before_answered_count, 0), 6) as before_ranked_keyword_share, round(s.after_ranked_count / nullif(s.after_answered_count, 0), 6) as after_ranked_keyword_share,
       round(s.before_voice_sum / nullif(s.before_answered_count, 0), 6) as before_voice_share, round(s.after_voice_sum / nullif(s.after_answered_count, 0), 6) as after_voice_share,
       g.before_day_count as before_rating_day_count, g.after_day_count as after_rating_day_count, g.before_rating, g.after_rating, g.before_rating_count, g.after_rating_count,
       h.before_day_count as before_review_day_count, h.after_day_count as after_review_day_count,
       case when h.before_day_count > 0 then w.before_review_count end as before_review_count,
       case when h.after_day_count > 0 then w.after_review_count end as after_review_count,
       round(w.before_review_sum / nullif(w.before_rated_count, 0), 4) as before_average_review_rating,
       round(w.after_review_sum / nullif(w.after_rated_count, 0), 4) as after_average_review_rating,
       e.before_day_count as before_estimated_download_day_count, e.after_day_count as after_estimated_download_day_count,
       round(e.before_download_count, 2) as before_estimated_download_count, round(e.after_download_count, 2) as after_estimated_download_count,
       t.before_day_count as before_store_download_day_count, t.after_day_count as after_store_download_day_count,
       round(t.before_download_count, 2) as before_store_download_count, round(t.after_download_count, 2) as after_store_download_count,
       case p.window_days when 7 then r.within_7_count else r.within_14_count end - 1 as nearby_release_count,
       (coalesce(s.answered_count, 0) + coalesce(u.unanswered_count, 0))::bigint as requested_keyword_count, coalesce(s.answered_count, 0)::bigint as answered_keyword_count,
       case when s.answered_count > 0 or u.unanswered_count > 0 then coalesce(u.unanswered_count, 0) = 0 end as is_complete
from   ops.portfolio_app as a
-- r: the releases of the app, and how many others are near
cross  join lateral (
  select v.*, count(*) over (order by v.release_day range between interval '7 days' preceding and interval '7 days' following) as within_7_count,
         count(*) over (order by v.release_day range between interval '14 days' preceding and interval '14 days' following) as within_14_count
  from   (select v.app_key, v.version, min(v.version_at)::date as release_day
          from   core.app_version as v
          where  v.app_key = a.app_key
          group  by v.app_key, v.version, case when v.version = '' then v.version_at::date end) as v) as r
-- p: the two windows
cross  join (values (7), (14)) as p (window_days)
-- n: countries with any figure within the window
cross  join lateral (
  select f.country_key from core.fact_keyword_rank_summary as f where f.app_key = r.app_key and f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
  union
  select f.country_key from core.fact_app_rating as f where f.app_key = r.app_key and f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
  union
  select f.country_key from core.fact_download_revenue as f where f.app_key = r.app_key and f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
  union
  select f.country_key from core.fact_sales_metric as f where f.app_key = r.app_key and not f.is_total and f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
  union
  select f.country_key from core.review as f where f.app_key = r.app_key and f.reviewed_at::date between r.release_day - p.window_days and r.release_day + p.window_days
) as n
join   core.dim_country as c on c.country_key = n.country_key
left   join ops.review_days as q on q.store = a.store and q.track_id = a.track_id and q.country_code = c.country_code
-- i, j: days of which some devices wait for their downloads, which are left out of e and t: those of the others are a part. j: in an answer about all countries
left   join answered as i on i.store = a.store and i.track_id = a.track_id and i.country_code = c.country_code
left   join answered as j on j.store = a.store and j.track_id = a.track_id and j.country_code is null
-- s: ranks
cross  join lateral (
  select count(*) filter (where f.date_day < r.release_day) as before_day_count, count(*) filter (where f.date_day > r.release_day) as after_day_count,
         sum(f.answered_keyword_count) filter (where f.date_day <> r.release_day) as answered_count,
         sum(f.rank_sum) filter (where f.date_day < r.release_day) as before_rank_sum, sum(f.rank_sum) filter (where f.date_day > r.release_day) as after_rank_sum,
         sum(f.ranked_keyword_count) filter (where f.date_day < r.release_day) as before_ranked_count, sum(f.ranked_keyword_count) filter (where f.date_day > r.release_day) as after_ranked_count,
         sum(f.answered_keyword_count) filter (where f.date_day < r.release_day) as before_answered_count, sum(f.answered_keyword_count) filter (where f.date_day > r.release_day) as after_answered_count,
         sum(f.voice_billionths) filter (where f.date_day < r.release_day) / 1000000000 as before_voice_sum, sum(f.voice_billionths) filter (where f.date_day > r.release_day) / 1000000000 as after_voice_sum
  from   core.fact_keyword_rank_summary as f
  where  f.app_key = r.app_key and f.country_key = n.country_key and f.device_key in (0, 1)
  and    f.date_day between r.release_day - p.window_days and r.release_day + p.window_days) as s
-- k, u: keywords without an answer; once for each app and country: there are many releases, and they are counted from slices
left   join waiting as k on k.store = a.store and k.track_id = a.track_id and k.country_code = c.country_code
cross  join lateral (
  select case when k.days && datemultirange(daterange(r.release_day - p.window_days, r.release_day + p.window_days + 1))
              then (select sum(f.keyword_count)
                    from   unnest(k.date_days, k.keyword_counts) as f (date_day, keyword_count)
                    where  f.date_day between r.release_day - p.window_days and r.release_day + p.window_days and f.date_day <> r.release_day) end as unanswered_count) as u
-- g: ratings, of days whose page shows one; of several rows of a day the one with most ratings
cross  join lateral (
  select count(distinct f.date_day) filter (where f.date_day < r.release_day and f.rating is not null) as before_day_count, count(distinct f.date_day) filter (where f.date_day > r.release_day and f.rating is not null) as after_day_count,
         (array_agg(f.rating order by f.date_day desc, f.rating_count desc nulls last) filter (where f.date_day < r.release_day and f.rating is not null))[1] as before_rating,
         (array_agg(f.rating order by f.date_day desc, f.rating_count desc nulls last) filter (where f.date_day > r.release_day and f.rating is not null))[1] as after_rating,
         (array_agg(f.rating_count order by f.date_day desc, f.rating_count desc nulls last) filter (where f.date_day < r.release_day and f.rating_count is not null))[1] as before_rating_count,
         (array_agg(f.rating_count order by f.date_day desc, f.rating_count desc nulls last) filter (where f.date_day > r.release_day and f.rating_count is not null))[1] as after_rating_count
  from   core.fact_app_rating as f
  where  f.app_key = r.app_key and f.country_key = n.country_key
  and    f.date_day between r.release_day - p.window_days and r.release_day + p.window_days) as g
-- w: reviews of days that were answered
cross  join lateral (
  select count(*) filter (where f.reviewed_at < r.release_day) as before_review_count, count(*) filter (where f.reviewed_at >= r.release_day + 1) as after_review_count,
         count(f.rating) filter (where f.reviewed_at < r.release_day)::numeric as before_rated_count, count(f.rating) filter (where f.reviewed_at >= r.release_day + 1)::numeric as after_rated_count,
         sum(f.rating) filter (where f.reviewed_at < r.release_day) as before_review_sum, sum(f.rating) filter (where f.reviewed_at >= r.release_day + 1) as after_review_sum
  from   ops.counted_review as f
  where  f.app_key = r.app_key and f.country_key = n.country_key and q.days @> f.reviewed_at::date
  and    f.reviewed_at::date between r.release_day - p.window_days and r.release_day + p.window_days) as w
-- h: how many days of reviews were answered
cross  join lateral (
  select count(*) filter (where d.date_day < r.release_day) as before_day_count, count(*) filter (where d.date_day > r.release_day) as after_day_count
  from   core.dim_date as d
  where  q.days @> d.date_day and d.date_day between r.release_day - p.window_days and r.release_day + p.window_days) as h
-- e: estimated downloads by day
cross  join lateral (
  select count(d.download_count) filter (where d.date_day < r.release_day) as before_day_count, count(d.download_count) filter (where d.date_day > r.release_day) as after_day_count,
         avg(d.download_count) filter (where d.date_day < r.release_day) as before_download_count, avg(d.download_count) filter (where d.date_day > r.release_day) as after_download_count
  from   (select f.date_day, coalesce(max(f.download_count) filter (where f.is_total), sum(f.download_count) filter (where not f.is_total)) as download_count
          from   core.fact_download_revenue as f
          where  f.app_key = r.app_key and f.country_key = n.country_key
          and    f.date_day between r.release_day - p.window_days and r.release_day + p.window_days and (i.unestimated_days @> f.date_day) is not true
          group  by 1) as d) as e
-- t: downloads by day as the store reported them
cross  join lateral (
  select count(d.download_count) filter (where d.date_day < r.release_day) as before_day_count, count(d.download_count) filter (where d.date_day > r.release_day) as after_day_count,
         avg(d.download_count) filter (where d.date_day < r.release_day) as before_download_count, avg(d.download_count) filter (where d.date_day > r.release_day) as after_download_count
  from   (select f.date_day, coalesce(max(f.units) filter (where f.device_key = 0), sum(f.units) filter (where f.device_key <> 0)) as download_count
          from   core.fact_sales_metric as f
          where  f.app_key = r.app_key and f.country_key = n.country_key and f.context = 'DOWNLOAD' and not f.is_total
          and    f.date_day between r.release_day - p.window_days and r.release_day + p.window_days
          and    (i.unreported_days @> f.date_day) is not true and (j.unreported_days @> f.date_day) is not true
          group  by 1) as d) as t;
comment on view   mart.release_impact                                 is 'One row per release of an app, country and window of 7 or 14 days: ranks, ratings, reviews and downloads before and after the release. A figure without data is null, and the day counts show how much data there is for each figure. Nothing may be added up: the days of releases overlap. Did the release hurt our ratings? Did its new keywords lead to ranks?';
comment on column mart.release_impact.country_code                    is 'Country, ISO 3166-1 alpha-2; ALL for figures over all countries together: ratings and reviews on Android.';
comment on column mart.release_impact.version                         is 'Version number; empty if the service reports none.';
comment on column mart.release_impact.release_day                     is 'Day of the release in the first country.';
comment on column mart.release_impact.window_day_count                is 'Number of days before and after the release that are compared: 7 or 14; the day of the release itself is left out.';
comment on column mart.release_impact.before_rank_day_count is 'Days with ranks before the release.';
comment on column mart.release_impact.after_rank_day_count is 'Days with ranks after the release.';
comment on column mart.release_impact.before_rating_day_count is 'Days with a rating before the release.';
comment on column mart.release_impact.after_rating_day_count is 'Days with a rating after the release.';
comment on column mart.release_impact.before_review_day_count is 'Days before the release for which reviews were requested and there is an answer.';
comment on column mart.release_impact.after_review_day_count is 'Days after the release for which reviews were requested and there is an answer.';
comment on column mart.release_impact.before_estimated_download_day_count is 'Days before the release with a figure of estimated downloads for each requested device.';
comment on column mart.release_impact.after_estimated_download_day_count is 'Days after the release with a figure of estimated downloads for each requested device.';
comment on column mart.release_impact.before_store_download_day_count is 'Days before the release with a figure of the store''s downloads for each requested device.';
comment on column mart.release_impact.after_store_download_day_count is 'Days after the release with a figure of the store''s downloads for each requested device.';
comment on column mart.release_impact.before_average_rank             is 'Average rank over the keywords for which the app ranks, before the release.';
comment on column mart.release_impact.after_average_rank              is 'Average rank over the keywords for which the app ranks, after the release.';
comment on column mart.release_impact.before_ranked_keyword_share     is 'Share of the answered keywords for which the app ranks, 0 to 1, before the release.';
comment on column mart.release_impact.after_ranked_keyword_share      is 'Share of the answered keywords for which the app ranks, 0 to 1, after the release.';
comment on column mart.release_impact.before_voice_share              is 'Share of voice (average of 1 / rank over the answered keywords), 0 to 1, before the release.';
comment on column mart.release_impact.after_voice_share               is 'Share of voice (average of 1 / rank over the answered keywords), 0 to 1, after the release.';
comment on column mart.release_impact.before_rating                   is 'Average rating as last seen before the release.';
comment on column mart.release_impact.after_rating                    is 'Average rating as last seen after the release.';
comment on column mart.release_impact.before_rating_count             is 'Number of ratings as last seen before the release.';
comment on column mart.release_impact.after_rating_count              is 'Number of ratings as last seen after the release.';
comment on column mart.release_impact.before_review_count             is 'Reviews written on the days that before_review_day_count counts: 0 if there are none, null if no day has all its answers.';
comment on column mart.release_impact.after_review_count              is 'Reviews written on the days that after_review_day_count counts: 0 if there are none, null if no day has all its answers.';
comment on column mart.release_impact.before_average_review_rating    is 'Average stars of those reviews.';
comment on column mart.release_impact.after_average_review_rating     is 'Average stars of those reviews.';
comment on column mart.release_impact.before_estimated_download_count is 'Estimated downloads per day (iOS), average over the days that before_estimated_download_day_count counts.';
comment on column mart.release_impact.after_estimated_download_count  is 'Estimated downloads per day (iOS), average over the days that after_estimated_download_day_count counts.';
comment on column mart.release_impact.before_store_download_count     is 'Downloads per day as the store reported them to the account, average over the days that before_store_download_day_count counts.';
comment on column mart.release_impact.after_store_download_count      is 'Downloads per day as the store reported them to the account, average over the days that after_store_download_day_count counts.';
comment on column mart.release_impact.nearby_release_count            is 'Number of other releases within the same days. If above 0, the effect has several causes.';
comment on column mart.release_impact.requested_keyword_count         is 'Keywords requested on the days before and after, whether they have an answer or not yet, added up over these days; without those whose rank was rejected.';
comment on column mart.release_impact.answered_keyword_count          is 'Requested keywords with an answer, ranked or not.';
comment on column mart.release_impact.is_complete                     is 'True when all requested keywords have an answer; if false, average ranks and shares cover only some of them; null if no ranks were requested.';
select ops.comment_columns('mart.release_impact');

create view mart.app_overview_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, o.date_day,
       o.answered + o.unanswered as requested_keyword_count, o.answered as answered_keyword_count, o.unanswered = 0 as is_complete,
       o.ranked as ranked_keyword_count, o.top_1 as top_1_keyword_count, o.top_3 as top_3_keyword_count, o.top_10 as top_10_keyword_count,
       round(o.rank_sum / nullif(o.ranked, 0), 2) as average_rank, round(o.voice_sum / nullif(o.answered, 0), 6) as voice_share,
       o.visibility as visibility_score, o.category_rank as best_category_rank, o.rating, o.rating_count,
       coalesce(o.reviews, case when q.days @> o.date_day then 0 end) as review_count, round(o.review_sum / nullif(o.rated, 0), 4) as average_review_rating,
       o.downloads as estimated_download_count, o.revenue as estimated_revenue, o.store_downloads as store_download_count, o.store_revenue,
       o.views as page_view_count, o.spend as search_ads_spend, case when o.spend is not null then m.currency end as search_ads_currency,
       o.installs as search_ads_install_count,
       case when o.unconverted = 0 then o.reporting_spend end as search_ads_reporting_spend, case when o.spend is not null then y.currency end as reporting_currency,
       (o.category_rank is not null or coalesce(k.answered_days @> o.date_day, false)) and not coalesce(k.unanswered_days @> o.date_day, false) as is_category_rank_answered,
       (coalesce(e.estimated_days @> o.date_day, false) or coalesce(t.estimated_days @> o.date_day, false))
       and not coalesce(e.unestimated_days @> o.date_day, false) as is_estimate_answered,
       (coalesce(e.reported_days @> o.date_day, false) or coalesce(t.reported_days @> o.date_day, false))
       and not coalesce(e.unreported_days @> o.date_day, false) and not coalesce(t.unreported_days @> o.date_day, false) as is_store_answered,
       coalesce(q.days @> o.date_day, false) as is_review_answered, o.rating_answers > 0 as is_rating_answered,
       a.store = 'ios' and o.date_day in (select n.date_day from ops.search_ads_answered_day as n) as is_search_ads_answered, ag.app_groups
from   ops.portfolio_app as a
-- o: figures by country and day. Each branch of the union fills its own columns, by their place in the first one, and null in all others
cross  join lateral (
  select u.country_key, u.date_day, sum(u.answered) as answered, sum(u.unanswered) as unanswered, max(u.ranked) as ranked, max(u.top_1) as top_1, max(u.top_3) as top_3,
         max(u.top_10) as top_10, max(u.rank_sum) as rank_sum, max(u.voice_sum) as voice_sum, max(u.visibility) as visibility,
         min(u.category_rank) as category_rank, max(u.rating) as rating, max(u.rating_count) as rating_count,
         max(u.reviews) as reviews, max(u.review_sum) as review_sum, max(u.rated) as rated, max(u.downloads) as downloads,
         max(u.revenue) as revenue, max(u.store_downloads) as store_downloads, max(u.store_revenue) as store_revenue,
         max(u.views) as views, max(u.spend) as spend, max(u.installs) as installs, max(u.reporting_spend) as reporting_spend, max(u.unconverted) as unconverted,
         count(u.rating_answer) as rating_answers
  from   (
    -- ranks: answered to voice_sum
    select f.country_key, f.date_day,
           f.answered_keyword_count::numeric as answered, 0::numeric as unanswered, f.ranked_keyword_count::numeric as ranked,
           f.top_1_keyword_count::numeric as top_1, f.top_3_keyword_count::numeric as top_3, f.top_10_keyword_count::numeric as top_10,
           f.rank_sum::numeric as rank_sum, f.voice_billionths / 1000000000.0 as voice_sum, null::numeric as visibility,
           null::numeric as category_rank, null::numeric as rating, null::numeric as rating_count, null::numeric as reviews,
           null::numeric as review_sum, null::numeric as rated, null::numeric as downloads, null::numeric as revenue,
           null::numeric as store_downloads, null::numeric as store_revenue, null::numeric as views, null::numeric as spend,
           null::numeric as installs, null::numeric as reporting_spend, null::bigint as unconverted, null::integer as rating_answer
    from   core.fact_keyword_rank_summary as f where f.app_key = a.app_key and f.device_key in (0, 1)
    union  all
    -- keywords without an answer: unanswered
    select c.country_key, n.date_day,
           0, n.keyword_count, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
           null, null, null, null, null
    from   ops.unanswered_keyword_daily as n
    join   core.dim_country as c on c.country_code = n.country_code
    where  n.store = a.store and n.track_id = a.track_id
    union  all
    -- visibility
    select f.country_key, f.date_day,
           null, null, null, null, null, null, null, null, coalesce(max(f.score) filter (where f.kind = 'history'), max(f.score)), null,
           null, null, null, null, null, null, null, null, null, null, null, null, null, null, null
    from   core.fact_visibility as f where f.app_key = a.app_key group by 1, 2
    union  all
    -- category_rank
    select f.country_key, f.date_day,
           null, null, null, null, null, null, null, null, null, min(f.rank), null, null, null, null, null, null, null, null, null, null,
           null, null, null, null, null
    from   ops.counted_category_rank as f
    where  f.app_key = a.app_key and f.device_key in (0, 1)
    group  by 1, 2
    union  all
    -- rating, rating_count, rating_answer
    select f.country_key, f.date_day,
           null, null, null, null, null, null, null, null, null, null, (array_agg(f.rating order by f.rating_count desc nulls last))[1],
           max(f.rating_count), null, null, null, null, null, null, null, null, null, null, null, null, 1
    from   core.fact_app_rating as f where f.app_key = a.app_key group by 1, 2
    union  all
    -- reviews, review_sum, rated
    select f.country_key, f.reviewed_at::date,
           null, null, null, null, null, null, null, null, null, null, null, null, count(*), sum(f.rating), count(f.rating), null, null,
           null, null, null, null, null, null, null, null
    from   ops.counted_review as f where f.app_key = a.app_key group by 1, 2
    union  all
    -- downloads, revenue: estimates
    select f.country_key, f.date_day,
           null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
           coalesce(max(f.download_count) filter (where f.is_total), sum(f.download_count) filter (where not f.is_total)),
           coalesce(max(f.revenue) filter (where f.is_total), sum(f.revenue) filter (where not f.is_total)), null, null, null, null,
           null, null, null, null
    from   core.fact_download_revenue as f where f.app_key = a.app_key group by 1, 2
    union  all
    -- store_downloads, store_revenue, views: as the store reported them
    select f.country_key, f.date_day,
           null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
           coalesce(max(f.units) filter (where f.context = 'DOWNLOAD' and f.device_key = 0), sum(f.units) filter (where f.context = 'DOWNLOAD' and f.device_key <> 0)),
           coalesce(max(f.units) filter (where f.context = 'REVENUE_TOTAL' and f.device_key = 0), sum(f.units) filter (where f.context = 'REVENUE_TOTAL' and f.device_key <> 0)),
           coalesce(max(f.units) filter (where f.context = 'PAGE_VIEW' and f.device_key = 0), sum(f.units) filter (where f.context = 'PAGE_VIEW' and f.device_key <> 0)),
           null, null, null, null, null
    from   core.fact_sales_metric as f where f.app_key = a.app_key and not f.is_total group by 1, 2
    union  all
    -- spend, installs, reporting_spend, unconverted: search ads
    select f.country_key, f.period_start,
           null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
           sum(f.spend), sum(f.install_count), sum(v.spend), count(*) filter (where f.spend is not null and v.spend is null), null
    from   core.fact_search_ads_report as f
    left   join ops.search_ads_own_currency as i on i.org_id = f.org_id
    -- as in mart.search_ads_daily_reporting
    cross  join lateral (
      select case when f.original ->> 'spend' ~ '^-?[0-9]+([.][0-9]+)?$' then (f.original ->> 'spend')::numeric end as spend) as w
    cross  join lateral (
      select round(case when w.spend is null or i.currency is null then core.in_reporting_currency(f.spend, f.currency, f.period_start)
                        else core.in_reporting_currency(w.spend, i.currency, f.period_start) end, 4) as spend) as v
    where  f.app_key = a.app_key and f.report_level = 'CAMPAIGN' and f.grain = 'day' and f.goal_id = '' and not f.is_total
    and    f.currency = (select n.currency from ops.search_ads_default as n) and f.attribution = (select n.attribution from ops.search_ads_default as n)
    group  by 1, 2
  ) as u
  group  by 1, 2
) as o
join   core.dim_country as c on c.country_key = o.country_key
left   join ops.review_days as q on q.store = a.store and q.track_id = a.track_id and q.country_code = c.country_code
left   join (select v.store, v.track_id, v.country_code, range_agg(v.answered_days) as answered_days, range_agg(v.unanswered_days) as unanswered_days
             -- by chart version: where the daily average has an answer no other resolution counts (ops.counted_category_rank)
             from   (select n.store, n.track_id, n.country_code, range_agg(n.answered_days) as answered_days,
                            range_agg(n.unanswered_days) - coalesce(range_agg(n.answered_days) filter (where n.scope ->> 'resolution' = 'daily'), '{}') as unanswered_days
                     from   ops.partition_days as n
                     where  n.dataset = 'category_rank'
                     group  by 1, 2, 3, n.scope ->> 'chart_version') as v
             group  by 1, 2, 3) as k on k.store = a.store and k.track_id = a.track_id and k.country_code = c.country_code
-- e, t: the second of answers that name no country, and are about all of them
left   join ops.download_days as e on e.store = a.store and e.track_id = a.track_id and e.country_code = c.country_code
left   join ops.download_days as t on t.store = a.store and t.track_id = a.track_id and t.country_code is null
left   join ops.search_ads_default as m on true
left   join core.reporting_currency as y on true
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id;
comment on view   mart.app_overview_daily                          is 'One row per portfolio app, country and day with any figure or with requested ranks: searches, charts, ratings, reviews, downloads and search ads side by side. A figure that was not requested is null. Counts, revenue and spend may be added up across apps, countries and days, except rating_count over days. Never add up ALL with countries, and never shares, ranks or scores. The store''s figures added up over countries may be less than their total over all countries, which is in core.fact_sales_metric (is_total). How did the app do yesterday? What else changed on the day when downloads fell?';
comment on column mart.app_overview_daily.country_code             is 'Country, ISO 3166-1 alpha-2; ALL for figures over all countries together, such as ratings and reviews on Android.';
comment on column mart.app_overview_daily.requested_keyword_count  is 'Requested keywords (iPhone on iOS), whether they have an answer or not yet; without those whose rank was rejected (ops.reject), which mart.keyword_not_requested_daily names.';
comment on column mart.app_overview_daily.answered_keyword_count   is 'Requested keywords with an answer, ranked or not.';
comment on column mart.app_overview_daily.is_complete              is 'True when all requested keywords have an answer; if false, ranks and voice_share cover only some of them; null if no ranks were requested.';
comment on column mart.app_overview_daily.ranked_keyword_count     is 'Requested keywords for which the app ranks.';
comment on column mart.app_overview_daily.top_1_keyword_count      is 'Keywords for which the app is the first result.';
comment on column mart.app_overview_daily.top_3_keyword_count      is 'Keywords for which the app is among the first 3 results.';
comment on column mart.app_overview_daily.top_10_keyword_count     is 'Keywords for which the app is among the first 10 results.';
comment on column mart.app_overview_daily.average_rank             is 'Average rank over the keywords for which the app ranks.';
comment on column mart.app_overview_daily.voice_share              is 'Share of voice: the average of 1 / rank over the answered keywords, 0 to 1.';
comment on column mart.app_overview_daily.visibility_score         is 'Visibility score in the searches of the store.';
comment on column mart.app_overview_daily.best_category_rank       is 'Best place in any chart of any category on that day (iPhone on iOS), 1 is the top: the best best_category_rank of mart.category_rank_daily. Where only hourly ranks were requested, it is the rank of the best hour.';
comment on column mart.app_overview_daily.rating                   is 'Average rating as seen on that day on the page of the country, 1 to 5; on Android it is in the row for ALL.';
comment on column mart.app_overview_daily.rating_count             is 'Number of ratings as seen on that day.';
comment on column mart.app_overview_daily.review_count             is 'Reviews written on that day: 0 if they were requested and there are none, null if they were not requested; only a part of them while is_review_answered is false.';
comment on column mart.app_overview_daily.average_review_rating    is 'Average stars of these reviews.';
comment on column mart.app_overview_daily.estimated_download_count is 'Downloads as the service estimates them (iOS): for all devices together, else the sum over the devices with a figure for the day.';
comment on column mart.app_overview_daily.estimated_revenue        is 'Revenue as the service estimates it (iOS), without a currency.';
comment on column mart.app_overview_daily.store_download_count     is 'Downloads as the store reported them to the account (its own apps): for all devices together, else the sum over the devices with a figure for the day.';
comment on column mart.app_overview_daily.store_revenue            is 'Revenue as the store reported it to the account, without a currency.';
comment on column mart.app_overview_daily.page_view_count          is 'Views of the page in the store, as the store reported them to the account.';
comment on column mart.app_overview_daily.search_ads_spend         is 'Money spent on search ads in the country (level CAMPAIGN), in search_ads_currency.';
comment on column mart.app_overview_daily.search_ads_currency      is 'Currency of search_ads_spend: that of ops.search_ads_default.';
comment on column mart.app_overview_daily.search_ads_install_count is 'Installs from search ads, with the attribution of ops.search_ads_default.';
comment on column mart.app_overview_daily.search_ads_reporting_spend is 'The same spend in reporting_currency, by the rates that the user loads, converted from each organisation''s own currency if the service reports it; null if there is no rate for a part of it.';
comment on column mart.app_overview_daily.reporting_currency       is 'The reporting currency, from core.reporting_currency; null until there is one, and without spend.';
comment on column mart.app_overview_daily.is_category_rank_answered is 'True if places in charts were requested for the day and each requested chart version has an answer; a null best_category_rank then means that the app was in no chart. False if they were not requested, or while a chart version has no answer yet: best_category_rank then covers only the others. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.';
comment on column mart.app_overview_daily.is_estimate_answered     is 'True if the estimates of the day were requested and each requested device has an answer; a null estimated_download_count then means that the service has no estimate. False if they were not requested, or while a device has no answer yet: estimated_download_count then covers only the other devices. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.';
comment on column mart.app_overview_daily.is_store_answered        is 'True if the downloads reported by the store were requested for the day and each requested device has an answer; a null store_download_count then means that the store reports none for the country, though it may report a total for all countries. False if they were not requested, or while a device has no answer yet: store_download_count then covers only the other devices. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.';
comment on column mart.app_overview_daily.is_review_answered       is 'True if the reviews of the day were requested and there is an answer for all of them (is_answered in mart.review_daily).';
comment on column mart.app_overview_daily.is_rating_answered      is 'True if the page of the app was requested on the day and has an answer; a null rating then means that the page shows none. False if it was not requested or has no answer: a past day cannot be requested later.';
comment on column mart.app_overview_daily.is_search_ads_answered   is 'True if search-ads reports were requested for the day and each organisation has an answer; a null search_ads_spend then means that the reports have nothing about the app in the country. False if they were not requested, while an organisation has no answer yet, and on Android.';
select ops.comment_columns('mart.app_overview_daily');

create view mart.app_overview_by_period as
with answered as materialized (
  select n.* from ops.download_days as n
), waiting as materialized (
  -- reports of search ads in the currency and attribution of the sums, or in any while there are none
  select coalesce(range_agg(daterange(n.window_start, n.window_end)), '{}') as report_days
  from   ops.slice as n
  where  n.dataset = 'search_ads_report' and n.state in ('pending', 'running', 'deferred', 'failed') and n.scope ->> 'report_level' = 'CAMPAIGN'
  and    n.scope ->> 'grain' = 'day' and n.scope ->> 'goal_id' is null
  and    not exists (select from ops.search_ads_default as d where (n.scope ->> 'currency', n.scope ->> 'attribution') <> (d.currency, d.attribution))
), reported as materialized (
  -- once for all rows
  select coalesce(range_agg(daterange(n.date_day, n.date_day + 1)), '{}') as days from ops.search_ads_answered_day as n
), summed as (
  select o.store, o.track_id, o.app_name, o.country_code, o.country_name, c.region, o.period_kind, o.period_start, o.period_end - o.period_start as period_day_count,
         datemultirange(daterange(o.period_start, o.period_end)) as span, count(o.is_complete) as requested_rank_days, count(*) filter (where o.is_complete) as rank_days,
         sum(o.review_count) as review_count, sum(o.estimated_download_count) as estimated_download_count, sum(o.estimated_revenue) as estimated_revenue,
         sum(o.store_download_count) as store_download_count, sum(o.store_revenue) as store_revenue, sum(o.page_view_count) as page_view_count,
         sum(o.search_ads_spend) as search_ads_spend, max(o.search_ads_currency) as search_ads_currency, sum(o.search_ads_install_count) as search_ads_install_count,
         o.app_groups
  -- a kind each, so that a period that a query names is left of each table before anything is added up
  from   (
    select 'week' as period_kind, date_trunc('week', d.date_day::timestamp)::date as period_start, date_trunc('week', d.date_day::timestamp)::date + 7 as period_end, d.*
    from   mart.app_overview_daily as d
    union  all
    select 'month', date_trunc('month', d.date_day::timestamp)::date, (date_trunc('month', d.date_day::timestamp) + interval '1 month')::date, d.*
    from   mart.app_overview_daily as d) as o
  join   core.dim_country as c on c.country_code = o.country_code
  group  by o.store, o.track_id, o.app_name, o.country_code, o.country_name, c.region, o.period_kind, o.period_start, o.period_end, o.app_groups
)
select s.store, s.track_id, s.app_name, s.country_code, s.country_name, s.region, s.period_kind, s.period_start, s.period_day_count, s.rank_days as rank_day_count,
       n.review_days as review_day_count, s.review_count, n.estimate_days as estimate_day_count, s.estimated_download_count, s.estimated_revenue,
       n.store_days as store_day_count, s.store_download_count, n.revenue_days as store_revenue_day_count, s.store_revenue,
       n.page_view_days as page_view_day_count, s.page_view_count, n.search_ads_days as search_ads_day_count,
       s.search_ads_spend, s.search_ads_currency, s.search_ads_install_count,
       (s.requested_rank_days = 0 or s.rank_days = s.period_day_count)
       and (n.review_days = s.period_day_count or n.review_days = 0 and s.review_count is null and not n.are_reviews_waiting)
       and (n.estimate_days = s.period_day_count or n.estimate_days = 0 and s.estimated_download_count is null and not n.are_estimates_waiting)
       and (n.store_days = s.period_day_count or n.store_days = 0 and s.store_download_count is null and not n.are_downloads_waiting)
       and (n.revenue_days = s.period_day_count or n.revenue_days = 0 and s.store_revenue is null and not n.is_revenue_waiting)
       and (n.page_view_days = s.period_day_count or n.page_view_days = 0 and s.page_view_count is null and not n.are_page_views_waiting)
       and (s.store <> 'ios' or n.search_ads_days = s.period_day_count
            or n.search_ads_days = 0 and s.search_ads_spend is null and not n.are_reports_waiting) as is_complete, s.app_groups
from   summed as s
left   join answered        as a on a.store = s.store and a.track_id = s.track_id and a.country_code = s.country_code
-- an answer that names no country is about all of them
left   join answered        as e on e.store = s.store and e.track_id = s.track_id and e.country_code is null
left   join ops.review_days as q on q.store = s.store and q.track_id = s.track_id and q.country_code = s.country_code
cross  join waiting         as r
cross  join reported        as p
cross  join lateral (
  select coalesce(a.unestimated_days, '{}') * s.span as unestimated_days,
         (coalesce(a.unreported_days, '{}') + coalesce(e.unreported_days, '{}')) * s.span as unreported_days,
         (coalesce(a.unanswered_revenue_days, '{}') + coalesce(e.unanswered_revenue_days, '{}')) * s.span as unanswered_revenue_days,
         (coalesce(a.unanswered_page_view_days, '{}') + coalesce(e.unanswered_page_view_days, '{}')) * s.span as unanswered_page_view_days) as w
cross  join lateral (
  select ops.day_count(q.days * s.span) as review_days,
         ops.day_count((coalesce(a.estimated_days, '{}') + coalesce(e.estimated_days, '{}')) * s.span - w.unestimated_days) as estimate_days,
         ops.day_count((coalesce(a.reported_days, '{}') + coalesce(e.reported_days, '{}')) * s.span - w.unreported_days) as store_days,
         ops.day_count((coalesce(a.revenue_days, '{}') + coalesce(e.revenue_days, '{}')) * s.span - w.unanswered_revenue_days) as revenue_days,
         ops.day_count((coalesce(a.page_view_days, '{}') + coalesce(e.page_view_days, '{}')) * s.span - w.unanswered_page_view_days) as page_view_days,
         coalesce(q.unanswered_days && s.span, false) as are_reviews_waiting, r.report_days && s.span as are_reports_waiting,
         not isempty(w.unestimated_days) as are_estimates_waiting, not isempty(w.unreported_days) as are_downloads_waiting,
         not isempty(w.unanswered_revenue_days) as is_revenue_waiting, not isempty(w.unanswered_page_view_days) as are_page_views_waiting,
         case when s.store = 'ios' then ops.day_count(p.days * s.span) else 0 end as search_ads_days) as n;
comment on view   mart.app_overview_by_period                      is 'One row per portfolio app, country and week or month with any row in app_overview_daily: its sums, and how many days they cover. Choose one period_kind and name the app or the period, since all of it takes long. Then counts, revenue and spend may be added up across apps, countries and periods (never ALL with countries). A sum is incomplete if is_complete is false for any of its rows. The store''s figures added up over countries may be less than their total over all countries, which is in core.fact_sales_metric (is_total). How did the downloads of a region change from week to week? Which weeks lack days?';
comment on column mart.app_overview_by_period.country_code         is 'Country, ISO 3166-1 alpha-2; ALL for figures over all countries together, such as ratings and reviews on Android.';
comment on column mart.app_overview_by_period.region               is 'Continent-sized region of the country, by UN M49.';
comment on column mart.app_overview_by_period.period_kind          is 'week: Monday to Sunday; month: a calendar month.';
comment on column mart.app_overview_by_period.period_start         is 'First day of the period.';
comment on column mart.app_overview_by_period.period_day_count     is 'Number of days in the period.';
comment on column mart.app_overview_by_period.rank_day_count       is 'Days for which all requested keywords have an answer. Ranks and shares are rolled up from the sums of organic_share_of_voice_daily.';
comment on column mart.app_overview_by_period.review_day_count     is 'Days for which there is an answer for all reviews.';
comment on column mart.app_overview_by_period.estimate_day_count   is 'Days for which the estimates were requested and each requested device has an answer.';
comment on column mart.app_overview_by_period.store_day_count      is 'Days for which the downloads reported by the store were requested and each requested device has an answer.';
comment on column mart.app_overview_by_period.store_revenue_day_count is 'Days for which the revenue reported by the store was requested and each requested device has an answer.';
comment on column mart.app_overview_by_period.page_view_day_count  is 'Days for which page views were requested and each requested device has an answer.';
comment on column mart.app_overview_by_period.search_ads_day_count is 'Days for which search-ads reports were requested and each organisation has an answer.';
comment on column mart.app_overview_by_period.is_complete          is 'True when everything that was requested on any day of the period has an answer on all of its days. False for a period that is not over, that began before the first request, or that lacks an answer: its sums then cover only the counted days and parts of other days. What counts as an answer is said at the columns of app_overview_daily: a newest day that is only late has one until it is requested again.';
select ops.comment_columns('mart.app_overview_by_period', 'mart.app_overview_daily');
