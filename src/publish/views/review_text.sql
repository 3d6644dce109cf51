select a.store as store, a.track_id as track_id, coalesce(a.app_name, a.track_id) as app_name, c.country_code as country_code,
       c.country_name as country_name, r.language_code as language_code, toDate32(r.reviewed_at) as date_day,
       r.reviewed_at as reviewed_at, r.rating as rating, r.title as title, r.content as content, r.reviewer as reviewer_name, nullif(r.version, '') as version, r.is_replied as is_replied, r.source as review_source, r.review_id as review_id
from   (
  select o.*, countIf(o.source = 'v2') over (partition by o.app_key, o.country_key, toDate32(o.reviewed_at)) as paged_count,
         (o.app_key, o.country_key, toDate32(o.reviewed_at)) in (
           select assumeNotNull(p.app_key), assumeNotNull(p.country_key), assumeNotNull(p.date_day) from ops.plain_review_day as p) as is_of_plain
  from   core.review as o) as r
join   core.dim_app     as a on a.app_key = r.app_key
join   core.dim_country as c on c.country_key = r.country_key
where  if(r.is_of_plain, r.source = 'plain', r.source = 'v2' or r.paged_count = 0)
