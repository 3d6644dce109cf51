select a.store as store, a.track_id as track_id, a.app_name as app_name, c.country_code as country_code, c.country_name as country_name,
       f.category_code as category_code, f.date_day as date_day, f.card_number as card_number, f.card_type as card_type, f.label as label,
       f.title as title, f.card_name as card_name,
       f.position as card_rank, f.listed_count as listed_app_count, f.link_url as link_url, f.image_url as image_url
from   core.fact_featuring as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
