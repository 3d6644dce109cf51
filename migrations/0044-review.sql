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
create index review_in_time on core.review (app_key, reviewed_at);
-- small where v2 is not loaded, and then asked for each review of the plain list
create index review_of_v2 on core.review (app_key, country_key, reviewed_at) where source = 'v2';
comment on table  core.review               is 'Reviews of apps, one row a review as it was last told: one that was edited keeps its row. What do users complain about? Where both lists of a store are switched on, choose one source.';
comment on column core.review.review_id     is 'Id of the review in the list that told it.';
comment on column core.review.source        is 'Which list told it: v2 (paged) or plain. Each has ids of its own, so that a review of both is two rows.';
comment on column core.review.reviewed_at   is 'When it was written, or last edited, as the service tells it, without zone.';
comment on column core.review.country_key   is 'Country of the store (iOS); 0 (ALL) on Android, whose reviews have a language, and where none was told and several were asked for.';
comment on column core.review.language_code is 'Language of the review (Android) in lower case (en, pt_br); '''' on iOS, and where none was told.';
comment on column core.review.rating        is 'Stars, 1 to 5.';
comment on column core.review.title         is 'Title; null where the review has none.';
comment on column core.review.content       is 'Text in any language and script; U+0000 is left out, half a character is replaced.';
comment on column core.review.reviewer      is 'Name that the reviewer goes by.';
comment on column core.review.version       is 'Version of the app that was reviewed, where it is told (Android, v2).';
comment on column core.review.is_replied    is 'True when the developer has answered it; null where answered ones were not asked for apart (option replied).';
select ops.add_foreign_keys('core.review');
select ops.comment_columns('core.review');
