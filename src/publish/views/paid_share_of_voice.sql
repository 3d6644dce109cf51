with reported as (
  select 'market' as share_source, p.app_key, p.keyword_key, p.country_key, p.period_start, p.period_end, p.share, 1 as preference
  from   core.fact_paying_app as p
  union  all
  select 'market', p.app_key, p.keyword_key, p.country_key, p.period_start, p.period_end, p.app_share, 2
  from   core.fact_paid_keyword as p
  union  all
  select 'own keywords', t.app_key, assumeNotNull(t.keyword_key), t.country_key, t.period_start, t.period_end, t.share, 1
  from   core.fact_search_ads_top_app as t
  where  t.keyword_key is not null
), cell as (
  select t.share_source, t.app_key, t.keyword_key, t.country_key, t.period_start, t.period_end,
         coalesce(maxOrNullIf(t.share, t.preference = 1), max(t.share)) as share
  from   reported as t
  group  by t.share_source, t.app_key, t.keyword_key, t.country_key, t.period_start, t.period_end
), placed as (
  select l.*, count() over payers as payer_count, rank() over (payers order by l.share desc nulls last) as place, sum(l.share) over payers as share_sum
  from   cell as l
  window payers as (partition by l.share_source, l.keyword_key, l.country_key, l.period_start, l.period_end)
), volume as (
  select n.keyword_key, n.country_key, n.store, argMax(n.search_volume, n.date_day) as search_volume
  from   core.fact_keyword_metadata as n
  where  n.search_volume is not null
  group  by n.keyword_key, n.country_key, n.store
), tracked as (
  -- as last seen: of those that track it now the largest
  select t.country_key, t.keyword_key, o.store, argMax(t.search_volume, (coalesce(t.valid_to, toDate32('2299-12-31')), t.search_volume)) as search_volume
  from   core.tracked_keyword as t
  join   core.dim_app as o on o.app_key = t.app_key
  where  t.search_volume is not null
  group  by t.country_key, t.keyword_key, o.store
)
select a.store as store, a.track_id as track_id, a.app_name as app_name, c.country_code as country_code, c.country_name as country_name,
       k.keyword as keyword, p.period_start as period_start, p.period_end as period_end, p.share_source as share_source,
       p.share as paid_impression_share, if(p.share is null, null, p.place) as paid_rank, p.payer_count as payer_count,
       p.share_sum as reported_share_sum,
       p.app_key in (select t.app_key from core.tracked_app as t where t.valid_to is null) as is_tracked_app,
       coalesce(m.search_volume, t.search_volume) as search_volume,
       round(toDecimal256(p.share, 18) * toDecimal256(coalesce(m.search_volume, t.search_volume), 18), 6) as paid_voice_sum,
       w.requested_keyword_count as requested_keyword_count, w.answered_keyword_count as answered_keyword_count,
       coalesce(w.answered_keyword_count = w.requested_keyword_count, true) and coalesce(w.unanswered_app_count = 0, true) as is_complete, kg.keyword_groups as keyword_groups,
       ag.app_groups as app_groups
from   placed as p
join   core.dim_app     as a on a.app_key = p.app_key
join   core.dim_country as c on c.country_key = p.country_key
join   core.dim_keyword as k on k.keyword_key = p.keyword_key
left   join volume  as m on m.keyword_key = p.keyword_key and m.country_key = p.country_key and m.store = a.store
left   join tracked as t on t.keyword_key = p.keyword_key and t.country_key = p.country_key and t.store = a.store
left   join ops.paid_voice_answer as w on w.share_source = p.share_source and w.country_code = c.country_code and w.period_start = p.period_start
                                      and w.period_end = p.period_end
left   join ops.keyword_groups as kg on kg.keyword = k.keyword
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id
