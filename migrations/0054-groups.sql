-- Groups of apps and of keywords, as the configuration has them: a dimension of every mart that has keywords.

create table core.grouped_app (
  group_name text not null,
  store      text not null check (store in ('ios', 'android')),
  track_id   text not null,
  primary key (group_name, store, track_id)
);
comment on table  core.grouped_app            is 'Apps of the groups under portfolio.groups in the configuration, as of the last planning. An app may be in several groups.';
comment on column core.grouped_app.group_name is 'Name of the group.';
select ops.comment_columns('core.grouped_app');

create table core.grouped_keyword (
  group_name text not null,
  keyword    text not null,
  primary key (group_name, keyword)
);
create index grouped_keyword_however_written on core.grouped_keyword (lower(keyword));
comment on table  core.grouped_keyword            is 'Keywords of the groups under portfolio.groups in the configuration, as of the last planning. A keyword may be in several groups.';
comment on column core.grouped_keyword.group_name is 'Name of the group.';
select ops.comment_columns('core.grouped_keyword');

create view mart.app_group as
select g.group_name, g.store, g.track_id, coalesce(a.app_name, g.track_id) as app_name
from   core.grouped_app as g
left   join core.dim_app as a on a.store = g.store and a.track_id = g.track_id;
comment on view   mart.app_group            is 'One row per group and app, from portfolio.groups.apps of the configuration. Join it to any mart by store and track_id: figures are then added up by group, and an app in several groups counts once in each. Which apps are in a group? How does each group of apps perform?';
comment on column mart.app_group.group_name is 'Name of the group.';
comment on column mart.app_group.app_name   is 'Name of the app, or its track id if no name is known.';
select ops.comment_columns('mart.app_group');

create view mart.keyword_group as
select distinct g.group_name, coalesce(k.keyword, g.keyword) as keyword
from   core.grouped_keyword as g
left   join core.dim_keyword as k on lower(k.keyword) = lower(g.keyword);
comment on view   mart.keyword_group            is 'One row per group and keyword, from portfolio.groups.keywords of the configuration, written as in other marts (the configuration may differ in upper and lower case). Join it to any mart by keyword: figures are then added up by group, and a keyword in several groups counts once in each. Which keywords are in a group? Where do we rank for the keywords of our brand?';
comment on column mart.keyword_group.group_name is 'Name of the group.';
select ops.comment_columns('mart.keyword_group');

-- one row a keyword or app. Marts find the groups of a keyword by an index, where a join with this view would make all of them for each row
create view ops.keyword_groups as
select g.keyword, string_agg(g.group_name, ', ' order by g.group_name) as keyword_groups
from   mart.keyword_group as g
group  by g.keyword;
comment on view   ops.keyword_groups                is 'One row per keyword that is in a group: the names of its groups in one text. In which groups is a keyword?';
select ops.comment_columns('ops.keyword_groups');

create view ops.app_groups as
select g.store, g.track_id, string_agg(g.group_name, ', ' order by g.group_name) as app_groups
from   core.grouped_app as g
group  by g.store, g.track_id;
comment on view   ops.app_groups                    is 'One row per app that is in a group: the names of its groups in one text. In which groups is an app?';
select ops.comment_columns('ops.app_groups');
