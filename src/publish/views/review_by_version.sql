with release as (
  select v.app_key, v.version, min(v.version_at) as released_at
  from   core.app_version as v
  where  v.version <> ''
  group  by v.app_key, v.version
), span as (
  select n.app_key, n.version, n.released_at
  from   release as n
  -- of several of one moment the last by number
  order  by n.app_key, n.released_at, n.version desc
  limit  1 by n.app_key, n.released_at
), counted as (
  select r.*
  from   (
    select o.*, countIf(o.source = 'v2') over (partition by o.app_key, o.country_key, toDate32(o.reviewed_at)) as paged_count,
           (o.app_key, o.country_key, toDate32(o.reviewed_at)) in (
             select assumeNotNull(p.app_key), assumeNotNull(p.country_key), assumeNotNull(p.date_day) from ops.plain_review_day as p) as is_of_plain
    from   core.review as o) as r
  where  if(r.is_of_plain, r.source = 'plain', r.source = 'v2' or r.paged_count = 0)
), placed as (
  select r.*, coalesce(nullif(r.version, ''), l.version, '') as on_version, nullif(r.version, '') is null and l.version is not null as is_inferred
  from   counted as r
  asof   left join span as l on l.app_key = r.app_key and l.released_at <= r.reviewed_at
)
select a.store as store, a.track_id as track_id, a.app_name as app_name, c.country_code as country_code, c.country_name as country_name,
       r.language_code as language_code, r.on_version as version, max(r.is_inferred) as is_version_inferred,
       countIf(r.is_inferred) as inferred_review_count,
       max(n.released_at) as released_at, min(toDate32(r.reviewed_at)) as first_review_day, max(toDate32(r.reviewed_at)) as last_review_day,
       count() as review_count, count(r.rating) as rated_review_count, sum(r.rating) as rating_sum,
       round(toDecimal256(sum(r.rating), 18) / nullif(count(r.rating), 0), 4) as average_rating,
       countIf(r.rating = 1) as one_star_count, countIf(r.rating = 2) as two_star_count, countIf(r.rating = 3) as three_star_count,
       countIf(r.rating = 4) as four_star_count, countIf(r.rating = 5) as five_star_count
from   placed as r
join   core.dim_app     as a on a.app_key = r.app_key
join   core.dim_country as c on c.country_key = r.country_key
left   join release as n on n.app_key = r.app_key and n.version = r.on_version
group  by r.app_key, r.country_key, a.store, a.track_id, a.app_name, c.country_code, c.country_name, r.language_code, r.on_version
