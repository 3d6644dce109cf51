-- Advertisements for apps.

create table core.ad_creative (
  app_key            integer     not null,
  period_start       date        not null,
  period_end         date        not null,
  country_key        smallint    not null,
  network            text        not null,
  media_type         text        not null,
  creative_key       text        not null,
  media_id           text,
  hashed_media_id    text,
  media_kind         numeric,
  media_url          text,
  media_original_url text,
  preview_url        text,
  resource_media     numeric,
  resource_media_url text,
  size_text          text,
  width              numeric,
  height             numeric,
  duration           numeric,
  title              text,
  subtitle           text,
  action_text        text,
  tag_types          text,
  country_codes      jsonb,
  networks           jsonb,
  media_formats      jsonb,
  impression_count   numeric,
  first_seen_at      timestamptz,
  last_seen_at       timestamptz,
  first_seen_code    text,
  last_seen_code     text,
  platform_id        numeric,
  service_app_id     text,
  app_name           text,
  icon_url           text,
  category_id        text,
  category_name      text,
  extra              jsonb,
  slice_id           bigint      not null,
  fetched_at         timestamptz not null,
  primary key (app_key, period_start, period_end, country_key, network, media_type, creative_key)
);
comment on table  core.ad_creative                    is 'Advertisements for apps over periods of 30 days, as far as pages were requested. An advertisement has one row for each period, and for each country, network and kind of media that was requested separately.';
comment on column core.ad_creative.period_start       is 'First day of the 30 days of the answer.';
comment on column core.ad_creative.period_end         is 'Last day of the period, inclusive.';
comment on column core.ad_creative.country_key        is 'Requested country; 0 (ALL) for all countries together.';
comment on column core.ad_creative.network            is 'Requested network; '''' for all networks together.';
comment on column core.ad_creative.media_type         is 'Id of the requested kind of media; '''' for all kinds together.';
comment on column core.ad_creative.creative_key       is 'Key of the advertisement within one answer: a digest of the media and the texts shown with it.';
comment on column core.ad_creative.media_id           is 'Id of the media.';
comment on column core.ad_creative.hashed_media_id    is 'Another id of the media.';
comment on column core.ad_creative.media_kind         is 'Kind of media, by the service''s own numbering.';
comment on column core.ad_creative.media_url          is 'Address of the media.';
comment on column core.ad_creative.media_original_url is 'Address of the media as the network served it.';
comment on column core.ad_creative.preview_url        is 'Address of a preview picture.';
comment on column core.ad_creative.resource_media     is 'Field resourceMedia of the answer; the service does not document its meaning.';
comment on column core.ad_creative.resource_media_url is 'Address of resource_media.';
comment on column core.ad_creative.size_text          is 'Size as the service writes it, for instance 320x50.';
comment on column core.ad_creative.width              is 'Width in pixels.';
comment on column core.ad_creative.height             is 'Height in pixels.';
comment on column core.ad_creative.duration           is 'Length of a video; the service documents no unit.';
comment on column core.ad_creative.title              is 'Title of the advertisement.';
comment on column core.ad_creative.subtitle           is 'Line under the title.';
comment on column core.ad_creative.action_text        is 'Text of the button.';
comment on column core.ad_creative.tag_types          is 'Codes of tags, separated by commas; the service does not document their meaning.';
comment on column core.ad_creative.country_codes      is 'Countries in which it was seen, as a list of codes.';
comment on column core.ad_creative.networks           is 'Networks on which it was seen: a list of title, id, class.';
comment on column core.ad_creative.media_formats      is 'Codes of formats, as a list; the service does not document their meaning.';
comment on column core.ad_creative.impression_count   is 'Impressions, as estimated for the requested days.';
comment on column core.ad_creative.first_seen_at      is 'When it was first seen.';
comment on column core.ad_creative.last_seen_at       is 'When it was last seen.';
comment on column core.ad_creative.first_seen_code    is 'Code that comes with first_seen_at; the service does not document its meaning.';
comment on column core.ad_creative.last_seen_code     is 'Code that comes with last_seen_at; the service does not document its meaning.';
comment on column core.ad_creative.platform_id        is '1 for the Android store, 2 for the iOS store.';
comment on column core.ad_creative.service_app_id     is 'The service''s own number of the app.';
comment on column core.ad_creative.icon_url           is 'Address of the app''s icon.';
comment on column core.ad_creative.category_id        is 'Category id in its store; 0 is a real category.';
select ops.add_foreign_keys('core.ad_creative');
select ops.comment_columns('core.ad_creative');
