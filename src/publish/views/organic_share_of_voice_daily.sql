select assumeNotNull(s.store) as store, assumeNotNull(s.track_id) as track_id, s.app_name as app_name, assumeNotNull(s.country_code) as country_code, s.country_name as country_name,
       assumeNotNull(s.device_code) as device_code, assumeNotNull(s.date_day) as date_day,
       s.requested_keyword_count as requested_keyword_count, s.answered_keyword_count as answered_keyword_count, s.is_complete as is_complete,
       s.ranked_keyword_count as ranked_keyword_count, s.top_1_keyword_count as top_1_keyword_count, s.top_3_keyword_count as top_3_keyword_count,
       s.top_10_keyword_count as top_10_keyword_count, s.top_50_keyword_count as top_50_keyword_count, s.rank_sum as rank_sum,
       round(toDecimal256(s.rank_sum, 18) / nullif(s.ranked_keyword_count, 0), 2) as average_rank,
       s.voice_sum as voice_sum, round(toDecimal256(s.voice_sum, 18) / nullif(s.answered_keyword_count, 0), 6) as voice_share,
       if(s.is_complete and u.date_day is null, round(toDecimal256(s.voice_sum, 18) / nullif(toDecimal256(t.voice_billionths, 18) / 1000000000, 0), 6), null) as portfolio_voice_share,
       ag.app_groups as app_groups
from   ops.requested_keyword_day as s
left   join (select distinct n.store, n.country_code, toNullable(n.date_day) as date_day from ops.unanswered_keyword_daily as n) as u
       on u.store = s.store and u.country_code = s.country_code and u.date_day = s.date_day
left   join (select n.date_day, n.country_key, n.device_key, sum(n.voice_billionths) as voice_billionths
             from   core.fact_keyword_rank_summary as n group by n.date_day, n.country_key, n.device_key) as t
       on t.date_day = s.date_day and t.country_key = s.country_key and t.device_key = s.device_key
left   join ops.app_groups as ag on ag.store = s.store and ag.track_id = s.track_id
