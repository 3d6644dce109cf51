-- Reviews of apps.

create table core.review (
  app_key       integer     not null,
  review_id     text        not null,
  source        text        not null,
  reviewed_at   timestamp   not null,
  country_key   smallint    not null,
  language_code text        not null,
  rating        integer,
  title         text,
  content       text,
  reviewer      text,
  version       text,
  is_replied    boolean,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, review_id, source)
);
-- by day, as marts filter
create index review_by_day on core.review (app_key, (reviewed_at::date));
-- for marts, which search one list for reviews of the other; each is empty where its list is not loaded
create index review_of_v2    on core.review (app_key, country_key, reviewed_at) where source = 'v2';
create index review_of_plain on core.review (app_key, country_key, reviewed_at) where source = 'plain';
comment on table  core.review               is 'Reviews of apps, one row per review in its latest form. If both lists of a store are switched on, choose one source. What do users complain about?';
comment on column core.review.review_id     is 'Id of the review in its list.';
comment on column core.review.source        is 'List that the review comes from: v2 (paged) or plain. Each list has its own ids, so a review in both lists has two rows.';
comment on column core.review.reviewed_at   is 'When it was written or last edited, as the service reports it, without time zone.';
comment on column core.review.country_key   is 'Country of the store (iOS); 0 (ALL) on Android, whose reviews have a language instead, and if several countries were requested and the answer names none.';
comment on column core.review.language_code is 'Android: the language that the service reports in place of a country, in lower case (en, pt_br); '''' on iOS, whose reviews have a country, and if the service reports none. It is no property of the text.';
comment on column core.review.rating        is 'Stars, 1 to 5.';
comment on column core.review.title         is 'Title; null if the review has none.';
comment on column core.review.content       is 'Text in any language and script; U+0000 is removed, and lone surrogates are replaced.';
comment on column core.review.reviewer      is 'Name of the reviewer.';
comment on column core.review.version       is 'Reviewed version of the app; null if the service reports none. Only list v2 of Android reports it.';
comment on column core.review.is_replied    is 'True when the developer has answered it; null if answered reviews were not requested separately (option replied).';
select ops.add_foreign_keys('core.review');
select ops.comment_columns('core.review');
