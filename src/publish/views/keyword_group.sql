select distinct g.group_name as group_name, coalesce(k.keyword, g.keyword) as keyword
from   core.grouped_keyword as g
left   join (select d.keyword, lowerUTF8(d.keyword) as folded from core.dim_keyword as d) as k on k.folded = lowerUTF8(g.keyword)
