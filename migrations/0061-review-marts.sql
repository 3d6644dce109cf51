-- Marts about reviews. Each list of a store has ids of its own, so that a review of both would count twice: of a day of an app and country of
-- which both lists have reviews, those of one list count.

create view ops.review_days as
with listed as (
  -- once for each list and its countries: slices are many, and countries of each of them
  select s.scope ->> 'store' as store, s.scope ->> 'app' as track_id, s.scope ->> 'source' as source, s.scope ->> 'replied' as replied, s.batch_id,
         coalesce(range_agg(w.days) filter (where w.is_answered), '{}') as days,
         coalesce(range_agg(w.days * daterange(null, s.as_of + 1 - t.settle_days - t.lookback_days)) filter (where w.is_answered), '{}') as final_days,
         coalesce(range_agg(w.days) filter (where s.state not in ('loaded', 'empty')), '{}') as waiting_days
  from   ops.slice as s
  left   join ops.dataset_timing as t on t.dataset = s.dataset and t.is_default
  cross  join lateral (
    select daterange(s.window_start, s.window_end) as days,
           -- some languages are a part of the reviews of ALL
           s.state in ('loaded', 'empty') and not (s.scope ->> 'store' = 'android' and s.batch_id is not null) as is_answered) as w
  where  s.dataset = 'review' and s.state in ('loaded', 'empty', 'pending', 'running', 'deferred', 'failed')
  group  by 1, 2, 3, 4, 5
), answered as (
  select l.store, l.track_id, coalesce(i.item, o.country_code, 'ALL') as country_code,
         coalesce(range_agg(l.days) filter (where l.source = 'plain'), '{}') as plain_days,
         coalesce(range_agg(l.final_days) filter (where l.source = 'plain'), '{}') as final_plain_days,
         -- of reviews that are requested by whether they have a reply, both kinds
         coalesce(range_agg(l.days) filter (where l.source = 'v2' and l.replied is null), '{}')
         + coalesce(range_agg(l.days) filter (where l.source = 'v2' and l.replied = 'yes'), '{}')
           * coalesce(range_agg(l.days) filter (where l.source = 'v2' and l.replied = 'no'), '{}') as v2_days,
         coalesce(range_agg(l.final_days) filter (where l.source = 'v2' and l.replied is null), '{}')
         + coalesce(range_agg(l.final_days) filter (where l.source = 'v2' and l.replied = 'yes'), '{}')
           * coalesce(range_agg(l.final_days) filter (where l.source = 'v2' and l.replied = 'no'), '{}') as final_v2_days,
         range_agg(l.waiting_days) as waiting_days
  from   listed as l
  -- on Android reviews have no country
  left   join ops.batch as b on b.batch_id = l.batch_id and l.store = 'ios'
  left   join lateral unnest(b.items) as i (item) on true
  -- a list without countries is about all of them
  left   join lateral (
    select distinct c.country_code
    from   core.dim_app     as a
    join   core.review      as r on r.app_key = a.app_key
    join   core.dim_country as c on c.country_key = r.country_key
    where  l.store = 'ios' and l.batch_id is null and a.store = l.store and a.track_id = l.track_id) as o on true
  group  by 1, 2, 3
)
select q.store, q.track_id, q.country_code, q.v2_days + q.plain_days as days, q.waiting_days - q.v2_days - q.plain_days as unanswered_days,
       -- of two answers, one of which was received while the service still restated the day, the other one
       q.plain_days - q.v2_days + (q.final_plain_days - q.final_v2_days) as plain_first_days
from   answered as q
where  not isempty(q.v2_days + q.plain_days + q.waiting_days);
comment on view   ops.review_days              is 'One row per app and country whose reviews were requested: the days for which there is an answer. On which days were there no reviews, and for which days is that unknown? How far back do reviews go?';
comment on column ops.review_days.country_code is 'Country; ALL on Android, and if all countries were requested and no review is known.';
comment on column ops.review_days.days         is 'Days with an answer, with or without reviews. A day does not count if the answers cover only reviews with a reply, only reviews without one, or only some languages.';
comment on column ops.review_days.unanswered_days is 'Requested days without an answer yet: they are pending, running, deferred or failed.';
comment on column ops.review_days.plain_first_days is 'Days whose reviews are taken from the plain list if it has any. On these days v2 has no answer about all reviews, or it has one received while the service still restated the day and the plain list has a final one. On other days v2 comes first.';
select ops.comment_columns('ops.review_days');

create view ops.plain_review_day as
with recursive plain (app_key) as (
  -- one step through an index from app to app
  select min(r.app_key) from core.review as r where r.source = 'plain'
  union  all
  select (select min(r.app_key) from core.review as r where r.source = 'plain' and r.app_key > p.app_key) from plain as p where p.app_key is not null
)
-- barriers all the way (min, offset 0): joined otherwise, all reviews and slices would be read for those of a few apps
select a.app_key, c.country_key, d.date_day
from   plain as p
join   core.dim_app as a on a.app_key = p.app_key
cross  join lateral (select min(r.country_key) as country_key from core.review as r where r.app_key = p.app_key and r.source = 'v2') as o
cross  join lateral (
  select q.country_code, q.plain_first_days
  from   ops.review_days as q
  where  o.country_key is not null and q.store = a.store and q.track_id = a.track_id and not isempty(q.plain_first_days)
  offset 0) as q
join   core.dim_country as c on c.country_code = q.country_code
cross  join lateral (
  select v.date_day
  from   (select distinct r.reviewed_at::date as date_day
          from   core.review as r
          where  r.app_key = p.app_key and r.country_key = c.country_key and r.source = 'v2' and q.plain_first_days @> r.reviewed_at::date) as v
  where  exists (
    select from core.review as r
    where  r.app_key = p.app_key and r.country_key = c.country_key and r.source = 'plain' and r.reviewed_at >= v.date_day and r.reviewed_at < v.date_day + 1)
  offset 0) as d;
comment on view   ops.plain_review_day          is 'One row per app, country and day for which both lists of the store have reviews and those of the plain list count (ops.review_days.plain_first_days). On which days does v2 have only a part of the reviews?';
comment on column ops.plain_review_day.date_day is 'Day on which the reviews were written or last edited.';
select ops.comment_columns('ops.plain_review_day');

create view ops.counted_review as
select r.*
from   core.review as r
where  case when (r.app_key, r.country_key, r.reviewed_at::date) in (select d.app_key, d.country_key, d.date_day from ops.plain_review_day as d)
            then r.source = 'plain'
            else r.source = 'v2' or not exists (
              select from core.review as o
              where  o.app_key = r.app_key and o.country_key = r.country_key and o.source = 'v2'
              and    o.reviewed_at >= date_trunc('day', r.reviewed_at) and o.reviewed_at < date_trunc('day', r.reviewed_at) + interval '1 day') end;
comment on view   ops.counted_review is 'One row per review of core.review, each counted once: for an app, country and day, the reviews of one list only. How many reviews are there? Which of the two lists counts?';
select ops.comment_columns('ops.counted_review', 'core.review');

create view mart.review_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, r.language_code, r.date_day, r.review_source,
       r.review_count, r.rated_review_count, coalesce(r.rating_sum, 0) as rating_sum, round(r.rating_sum::numeric / nullif(r.rated_review_count, 0), 4) as average_rating,
       r.one_star_count, r.two_star_count, r.three_star_count, r.four_star_count, r.five_star_count, r.replied_review_count, r.reply_known_review_count,
       round(r.replied_review_count::numeric / nullif(r.reply_known_review_count, 0), 6) as replied_share,
       coalesce(q.days @> r.date_day, false) as is_answered
from   ops.reviewed_app as p
join   core.dim_app     as a on a.app_key = p.app_key
-- added up before names and answered days are looked up: those of a day are the same for all of its reviews
cross  join lateral (
  select n.country_key, n.language_code, n.reviewed_at::date as date_day, n.source as review_source,
         count(*) as review_count, count(n.rating) as rated_review_count, sum(n.rating) as rating_sum,
         count(*) filter (where n.rating = 1) as one_star_count,
         count(*) filter (where n.rating = 2) as two_star_count,
         count(*) filter (where n.rating = 3) as three_star_count,
         count(*) filter (where n.rating = 4) as four_star_count,
         count(*) filter (where n.rating = 5) as five_star_count,
         count(*) filter (where n.is_replied) as replied_review_count, count(n.is_replied) as reply_known_review_count
  from   ops.counted_review as n
  where  n.app_key = p.app_key
  group  by 1, 2, 3, 4) as r
join   core.dim_country as c on c.country_key = r.country_key
left   join ops.review_days as q on q.store = a.store and q.track_id = a.track_id and q.country_code = c.country_code
union  all
-- days that were requested and have no review
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, '', d.date_day, null, 0, 0, 0, null, 0, 0, 0, 0, 0, 0, 0, null, true
from   ops.review_days  as q
join   core.dim_app     as a on a.store = q.store and a.track_id = q.track_id
join   core.dim_country as c on c.country_code = q.country_code
-- taken off all at once: searched day by day, the reviews of an app would be read for each of its days
cross  join lateral (
  select q.days - coalesce(range_agg(daterange(r.date_day, r.date_day + 1)), '{}') as days
  from   (
    select n.reviewed_at::date as date_day from core.review as n where n.app_key = a.app_key and n.country_key = c.country_key and n.source = 'v2'
    union
    select n.reviewed_at::date from core.review as n where n.app_key = a.app_key and n.country_key = c.country_key and n.source = 'plain') as r
  offset 0) as w
cross  join lateral unnest(w.days) as u (span)
cross  join lateral (select n::date as date_day from generate_series(lower(u.span)::timestamp, upper(u.span) - 1, interval '1 day') as n) as d;
comment on view   mart.review_daily                          is 'One row per app, country, language and day with reviews, and one per app, country and requested day without any: the number of reviews and their stars. Counts and rating_sum may be added up across everything, as long as is_answered is true for every row. Compute averages and shares from those sums. Did the last release lead to bad reviews? In which country are users least satisfied?';
comment on column mart.review_daily.country_code             is 'Country of the store (iOS), ISO 3166-1 alpha-2; ALL on Android, whose reviews have a language instead, and if the service reports none.';
comment on column mart.review_daily.language_code            is 'Android: the language that the service reports in place of a country, in lower case (en, pt_br); empty on iOS, whose reviews have a country, on days without a review, and if the service reports none. It is no property of the text.';
comment on column mart.review_daily.date_day                 is 'Day on which the reviews were written or last edited.';
comment on column mart.review_daily.review_source            is 'List that the reviews come from: v2 (paged), or plain on days for which v2 has no review of the app and country, or only a part while plain has all; null on days without a review.';
comment on column mart.review_daily.review_count             is 'Number of reviews, including those that the service listed once and does not list any more; 0 on a day that was requested and has none. A day that was not requested has no row.';
comment on column mart.review_daily.rated_review_count       is 'Reviews with stars.';
comment on column mart.review_daily.rating_sum               is 'Sum of their stars.';
comment on column mart.review_daily.average_rating           is 'Average of the stars, 1 to 5. For several rows: sum(rating_sum) / nullif(sum(rated_review_count), 0).';
comment on column mart.review_daily.one_star_count           is 'Reviews with one star.';
comment on column mart.review_daily.two_star_count           is 'Reviews with two stars.';
comment on column mart.review_daily.three_star_count         is 'Reviews with three stars.';
comment on column mart.review_daily.four_star_count          is 'Reviews with four stars.';
comment on column mart.review_daily.five_star_count          is 'Reviews with five stars.';
comment on column mart.review_daily.replied_review_count     is 'Reviews that the developer has answered.';
comment on column mart.review_daily.reply_known_review_count is 'Reviews for which the reply status is known; 0 if answered reviews are not requested separately (option replied).';
comment on column mart.review_daily.replied_share            is 'Answered reviews as a share of reply_known_review_count, 0 to 1.';
comment on column mart.review_daily.is_answered              is 'False if the row may lack some reviews of the day: an answer is missing, only reviews with a reply, only reviews without one or only some languages were requested, or the reviews do not come from requests.';
select ops.comment_columns('mart.review_daily');

create view mart.review_by_version as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, r.language_code, r.version, r.is_version_inferred, r.inferred_review_count,
       r.released_at, r.first_review_day, r.last_review_day, r.review_count, r.rated_review_count, r.rating_sum,
       round(r.rating_sum::numeric / nullif(r.rated_review_count, 0), 4) as average_rating,
       r.one_star_count, r.two_star_count, r.three_star_count, r.four_star_count, r.five_star_count
from   ops.reviewed_app as p
join   core.dim_app     as a on a.app_key = p.app_key
-- app by app, as in mart.review_daily
cross  join lateral (
  with release as materialized (
    select v.version, min(v.version_at) as released_at
    from   core.app_version as v
    where  v.app_key = p.app_key and v.version <> ''
    group  by 1
  ), span as materialized (
    select n.*, coalesce(lead(n.released_at) over (order by n.released_at, n.version), 'infinity') as replaced_at
    from   release as n
  ), placed as (
    select n.*, coalesce(nullif(n.version, ''), l.version, '') as on_version, nullif(n.version, '') is null and l.version is not null as is_inferred
    from   ops.counted_review as n
    left   join span as l on l.released_at <= n.reviewed_at and n.reviewed_at < l.replaced_at and nullif(n.version, '') is null
    where  n.app_key = p.app_key
  )
  select n.country_key, n.language_code, n.on_version as version, bool_or(n.is_inferred) as is_version_inferred,
         count(*) filter (where n.is_inferred) as inferred_review_count,
         max(l.released_at) as released_at, min(n.reviewed_at)::date as first_review_day, max(n.reviewed_at)::date as last_review_day,
         count(*) as review_count, count(n.rating) as rated_review_count, sum(n.rating) as rating_sum,
         count(*) filter (where n.rating = 1) as one_star_count,
         count(*) filter (where n.rating = 2) as two_star_count,
         count(*) filter (where n.rating = 3) as three_star_count,
         count(*) filter (where n.rating = 4) as four_star_count,
         count(*) filter (where n.rating = 5) as five_star_count
  from   placed as n
  left   join release as l on l.version = n.on_version
  group  by 1, 2, 3) as r
join   core.dim_country as c on c.country_key = r.country_key;
comment on view   mart.review_by_version                     is 'One row per app, country, language and version: the number of reviews and their stars. Reviews of the paged Android list may name their version. For all others it is inferred (is_version_inferred): the newest version that was out when the review was written. Counts and rating_sum may be added up across everything. Compute averages from those sums. How was the last release received? Which version did users like best?';
comment on column mart.review_by_version.country_code        is 'Country of the store (iOS), ISO 3166-1 alpha-2; ALL on Android, and if the service reports none.';
comment on column mart.review_by_version.language_code       is 'Android: the language that the service reports in place of a country, in lower case (en, pt_br); empty on iOS, whose reviews have a country, and if the service reports none. It is no property of the text.';
comment on column mart.review_by_version.version             is 'Version number; empty if the review names none and none can be inferred.';
comment on column mart.review_by_version.is_version_inferred is 'True if the version of some of the reviews is inferred: they name none, so the newest release at that time is assumed. Users may have written about an older version.';
comment on column mart.review_by_version.inferred_review_count is 'Reviews whose version is inferred.';
comment on column mart.review_by_version.released_at         is 'When the version was released, from the list of releases, without time zone; null if it is not in the list.';
comment on column mart.review_by_version.first_review_day    is 'Day of the first review.';
comment on column mart.review_by_version.last_review_day     is 'Day of the last review.';
comment on column mart.review_by_version.review_count        is 'Reviews.';
comment on column mart.review_by_version.rated_review_count  is 'Reviews with stars.';
comment on column mart.review_by_version.rating_sum          is 'Sum of their stars.';
comment on column mart.review_by_version.average_rating      is 'Average of the stars, 1 to 5. For several rows: sum(rating_sum) / nullif(sum(rated_review_count), 0).';
comment on column mart.review_by_version.one_star_count      is 'Reviews with one star.';
comment on column mart.review_by_version.two_star_count      is 'Reviews with two stars.';
comment on column mart.review_by_version.three_star_count    is 'Reviews with three stars.';
comment on column mart.review_by_version.four_star_count     is 'Reviews with four stars.';
comment on column mart.review_by_version.five_star_count     is 'Reviews with five stars.';
select ops.comment_columns('mart.review_by_version');

create view mart.review_text as
select a.store, a.track_id, coalesce(a.app_name, a.track_id) as app_name, c.country_code, c.country_name, r.language_code, r.reviewed_at::date as date_day,
       r.reviewed_at, r.rating, r.title, r.content, r.reviewer as reviewer_name, nullif(r.version, '') as version, r.is_replied, r.source as review_source, r.review_id
from   ops.counted_review as r
left   join core.dim_app     as a on a.app_key = r.app_key
left   join core.dim_country as c on c.country_key = r.country_key;
comment on view   mart.review_text               is 'One row per review in its latest form, for reading: stars, title and text with the names of the app and the country. A review that the service does not list any more stays. A review that is in both lists of a store has one row. Rows may be counted and stars averaged. What do users complain about? Which reviews wait for a reply?';
comment on column mart.review_text.country_code  is 'Country of the store (iOS), ISO 3166-1 alpha-2; ALL on Android, and if the service reports none.';
comment on column mart.review_text.language_code is 'Android: the language that the service reports in place of a country, in lower case (en, pt_br); empty on iOS, whose reviews have a country, and if the service reports none. It is no property of the text.';
comment on column mart.review_text.date_day      is 'Day on which it was written or last edited.';
comment on column mart.review_text.reviewed_at   is 'When it was written or last edited, as the service reports it, without time zone.';
comment on column mart.review_text.rating        is 'Stars, 1 to 5.';
comment on column mart.review_text.title         is 'Title; null if the review has none.';
comment on column mart.review_text.content       is 'Text in any language and script.';
comment on column mart.review_text.reviewer_name is 'Name of the reviewer.';
comment on column mart.review_text.version       is 'Reviewed version of the app, if the service reports it (Android, list v2).';
comment on column mart.review_text.is_replied    is 'True when the developer has answered it; null if answered reviews are not requested separately (option replied of the dataset review).';
comment on column mart.review_text.review_source is 'List that the review comes from: v2 (paged), or plain on days for which v2 has no review of the app and country, or only a part while plain has all.';
comment on column mart.review_text.review_id     is 'Id of the review in its list.';
select ops.comment_columns('mart.review_text');
