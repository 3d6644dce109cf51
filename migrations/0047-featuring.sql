-- Featuring in the stores.

create table core.fact_featuring (
  app_key       integer     not null,
  date_day      date        not null,
  country_key   smallint    not null,
  category_code text        not null,
  card_number   integer     not null,
  card_type     text,
  label         text,
  title         text,
  card_name     text,
  short_name    text,
  link_url      text,
  image_url     text,
  position      integer,
  listed_count  integer,
  track_ids     jsonb,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, date_day, country_key, category_code, card_number)
) partition by range (date_day);
comment on table  core.fact_featuring               is 'Cards of a category''s page of the iOS store on which an app was shown, by day and country. When were we featured, and next to whom?';
comment on column core.fact_featuring.app_key       is 'Requested app.';
comment on column core.fact_featuring.date_day      is 'Day on which it was shown.';
comment on column core.fact_featuring.country_key   is 'Country of the store; 0 (ALL) if the answer names none.';
comment on column core.fact_featuring.category_code is 'Id of the category whose page showed the app (36 is overall).';
comment on column core.fact_featuring.card_number   is 'Number of the card within the day, country and category, from 1, in the order of the answer; a card that the answer repeats has one number.';
comment on column core.fact_featuring.card_type     is 'Kind of card as the service names it (FullImage, AppList, Grid ...).';
comment on column core.fact_featuring.label         is 'Label above the title.';
comment on column core.fact_featuring.title         is 'Title of the card.';
comment on column core.fact_featuring.card_name     is 'Name of what the card presents.';
comment on column core.fact_featuring.short_name    is 'Short form of that name.';
comment on column core.fact_featuring.link_url      is 'Address that the card links to.';
comment on column core.fact_featuring.image_url     is 'Address of its picture.';
comment on column core.fact_featuring.position      is 'Place of the app among those on the card, 1 is the first; null if the card does not list it.';
comment on column core.fact_featuring.listed_count  is 'Number of apps on the card; null if the answer has no list of them.';
comment on column core.fact_featuring.track_ids     is 'Track ids of the apps on the card as text, in the order shown.';
select ops.add_foreign_keys('core.fact_featuring');
select ops.comment_columns('core.fact_featuring');
