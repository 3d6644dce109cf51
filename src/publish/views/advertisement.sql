with arraySort(arrayFilter(t -> t is not null, arrayMap(n -> JSONExtract(n, 'title', 'Nullable(String)'), JSONExtractArrayRaw(ifNull(f.networks, ''))))) as titles
select a.store as store, a.track_id as track_id, coalesce(a.app_name, f.app_name, a.track_id) as app_name, c.country_code as country_code,
       c.country_name as country_name, f.period_start as period_start, f.period_end as period_end, f.network as network,
       f.media_type as media_type, f.creative_key as creative_id, f.title as title, f.subtitle as subtitle, f.action_text as action_text,
       if(empty(titles), null, arrayStringConcat(titles, ', ')) as network_names, f.media_url as media_url, f.preview_url as preview_url, f.size_text as size_text,
       f.first_seen_at as first_seen_at, f.last_seen_at as last_seen_at, f.impression_count as impression_count,
       f.app_key in (select t.competitor_app_key from core.tracked_competitor as t where t.valid_to is null) as is_competitor
from   core.ad_creative as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
