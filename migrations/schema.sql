-- The catalogue that the migrations make on Postgres 18, to read and to compare: `npm run docs` writes it from an empty warehouse.
-- The migrator runs numbered files alone. Behind a column stands its comment.

create schema archive; -- Monthly partitions that retention detached from the facts instead of dropping them. They are yours to keep, move or drop.

create schema core; -- Normalised dimensions (dim_*) and facts (fact_*).

create schema mart; -- Views for BI users: wide, with names instead of keys.

create schema ops; -- Slices, runs, credits and coverage: what was requested, what the result was and what it cost.

create schema parts; -- Monthly partitions of the large facts. Query the tables in core instead.

create schema raw; -- Answers of the API, compressed and unchanged. Everything else can be rebuilt from them.

-- Whether apps advertise and show advertisements, by day of observation.
create table core.ad_badge (
  app_key integer not null, -- The app.
  date_day date not null, -- Day on which this was seen.
  is_advertiser boolean, -- True when the app advertises.
  is_publisher boolean, -- True when the app shows advertisements for others.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint ad_badge_pkey PRIMARY KEY (app_key, date_day),
  constraint ad_badge_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint ad_badge_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day)
);

-- Advertisements for apps over periods of 30 days, as far as pages were requested. An advertisement has one row for each period, and for each country, network and kind of media that was requested separately.
create table core.ad_creative (
  app_key integer not null, -- The app.
  period_start date not null, -- First day of the 30 days of the answer.
  period_end date not null, -- Last day of the period, inclusive.
  country_key smallint not null, -- Requested country; 0 (ALL) for all countries together.
  network text not null, -- Requested network; '' for all networks together.
  media_type text not null, -- Id of the requested kind of media; '' for all kinds together.
  creative_key text not null, -- Key of the advertisement within one answer: a digest of the media and the texts shown with it.
  media_id text, -- Id of the media.
  hashed_media_id text, -- Another id of the media.
  media_kind numeric, -- Kind of media, by the service's own numbering.
  media_url text, -- Address of the media.
  media_original_url text, -- Address of the media as the network served it.
  preview_url text, -- Address of a preview picture.
  resource_media numeric, -- Field resourceMedia of the answer; the service does not document its meaning.
  resource_media_url text, -- Address of resource_media.
  size_text text, -- Size as the service writes it, for instance 320x50.
  width numeric, -- Width in pixels.
  height numeric, -- Height in pixels.
  duration numeric, -- Length of a video; the service documents no unit.
  title text, -- Title of the advertisement.
  subtitle text, -- Line under the title.
  action_text text, -- Text of the button.
  tag_types text, -- Codes of tags, separated by commas; the service does not document their meaning.
  country_codes jsonb, -- Countries in which it was seen, as a list of codes.
  networks jsonb, -- Networks on which it was seen: a list of title, id, class.
  media_formats jsonb, -- Codes of formats, as a list; the service does not document their meaning.
  impression_count numeric, -- Impressions, as estimated for the requested days.
  first_seen_at timestamp with time zone, -- When it was first seen.
  last_seen_at timestamp with time zone, -- When it was last seen.
  first_seen_code text, -- Code that comes with first_seen_at; the service does not document its meaning.
  last_seen_code text, -- Code that comes with last_seen_at; the service does not document its meaning.
  platform_id numeric, -- 1 for the Android store, 2 for the iOS store.
  service_app_id text, -- The service's own number of the app.
  app_name text, -- Name of the app.
  icon_url text, -- Address of the app's icon.
  category_id text, -- Category id in its store; 0 is a real category.
  category_name text, -- Name of the category.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint ad_creative_pkey PRIMARY KEY (app_key, period_start, period_end, country_key, network, media_type, creative_key),
  constraint ad_creative_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint ad_creative_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key),
  constraint ad_creative_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day),
  constraint ad_creative_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day)
);

-- Changes of each release of an app, one row per changed property. What did a competitor change, and when?
create table core.app_change (
  app_key integer not null, -- The app.
  country_key smallint not null, -- Country of the store page; 0 (ALL) on Android, whose pages differ by language.
  language_code text not null, -- Language of the store page in the format of the answers (en, pt_br); '' on iOS, whose pages differ by country.
  version_at timestamp without time zone not null, -- When the version was released, without time zone.
  version text not null, -- Number of the new version; '' if the service reports none.
  property text not null, -- What changed, with the names of app_version.differences (DESCRIPTION, ICON, FILE_SIZE ...).
  old_value jsonb, -- Former value; null if the service reports none.
  new_value jsonb, -- New value; null if the service reports none.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint app_change_pkey PRIMARY KEY (app_key, country_key, language_code, version_at, version, property),
  constraint app_change_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint app_change_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key)
);

-- The page of an app in the store; one row per period without a change. What did the page show on a given day?
create table core.app_history (
  app_key integer not null, -- The app.
  country_key smallint not null, -- Country of the store page; 0 (ALL) on Android, whose pages differ by language.
  language_code text not null, -- Language of the store page in the format of the answers (en, pt_br); '' on iOS, whose pages differ by country.
  valid_from date not null, -- First day on which these values were seen.
  valid_to date, -- First day on which other values were seen; null while these are current.
  is_current boolean, -- True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.
  app_name text, -- Name of the app.
  developer_id text, -- Id of the developer in the store.
  developer_name text, -- Name of the developer.
  price_text text, -- Price as the store writes it (0.00, Free ...), not a number.
  icon_url text, -- Address of the icon.
  category_id text, -- Category id; each store has its own numbering, and 0 is a real category.
  category_name text, -- Name of the category.
  version text, -- Version number (Android).
  updated_at timestamp without time zone, -- When the app was last updated (Android), without time zone.
  description text, -- Description in the language of the page.
  screenshots jsonb, -- Addresses of the screenshots, in order.
  whats_new jsonb, -- What is new (Android), as the service reports it.
  has_in_app_purchases boolean, -- True when the app offers in-app purchases.
  in_app_products text, -- Prices of the in-app products (Android), as the store writes them.
  is_removed boolean, -- True when the store has removed the app.
  released_at timestamp without time zone, -- When the app was first released (iOS), without time zone.
  available_countries jsonb, -- Country codes of the stores that offer the app (iOS), sorted.
  file_size text, -- Size as the store writes it (Android).
  install_range text, -- Range of installs as the store writes it (Android).
  has_top_developer_badge boolean, -- True when the developer has the badge (Android).
  support_url text, -- Address of support (Android).
  store_url text, -- Address of the page inside the store (Android).
  owner_email text, -- Contact of the owner (Android).
  video_url text, -- Address of the video (Android).
  video_frame_url text, -- Address of the picture of the video (Android).
  last_modified_at timestamp without time zone, -- When the service last saw the page change, without time zone.
  similar_apps jsonb, -- Ids of similar apps (Android), as last seen; a change here does not start a new period.
  rating numeric, -- Average rating, 1 to 5, as last seen.
  rating_count bigint, -- Number of ratings, as last seen.
  ratings_by_star jsonb, -- Number of ratings with one to five stars (Android), as last seen.
  extra jsonb, -- Fields of the answer without a column of their own, as last seen; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint app_history_pkey PRIMARY KEY (app_key, country_key, language_code, valid_from),
  constraint app_history_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint app_history_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key)
);

-- Pairs of an iOS app and an Android app that are the same app. Ids are those of core.dim_app.track_id.
create table core.app_match (
  ios_track_id text not null, -- Track id in the iOS store.
  android_track_id text not null, -- Track id in the Android store.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint app_match_pkey PRIMARY KEY (ios_track_id, android_track_id)
);

-- Releases of apps, one row per release and store page. A version that changed later, for instance in its price, has another row with the time of the change. When was an app last released?
create table core.app_version (
  app_key integer not null, -- The app.
  country_key smallint not null, -- Country of the store page; 0 (ALL) on Android, whose pages differ by language.
  language_code text not null, -- Language of the store page in the format of the answers (en, pt_br); '' on iOS, whose pages differ by country.
  version_at timestamp without time zone not null, -- When the version was released, as the service reports it, without time zone.
  version text not null, -- Version number; '' if the service reports none.
  release_notes text, -- Release notes in the language of the page.
  differences jsonb, -- Names of the changed properties, in the format of the service.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint app_version_pkey PRIMARY KEY (app_key, country_key, language_code, version_at, version),
  constraint app_version_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint app_version_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key)
);

-- Apps in portfolio.apps of the configuration, with their countries and keywords, as of each planning; one row per period in which the member was listed. If portfolio.source is account, there are none.
create table core.configured_portfolio (
  store text not null, -- ios or android.
  track_id text not null, -- Track id of the app in its store.
  part text not null, -- What is listed: the app itself, a country of it, or a keyword of it.
  member text not null, -- The country or the keyword; empty for the app itself. A keyword applies to all countries listed with it in the configuration.
  valid_from date not null, -- First day on which a planning found it listed.
  valid_to date, -- First day on which a planning no longer found it listed; null while it is listed.
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  constraint configured_portfolio_pkey PRIMARY KEY (store, track_id, part, member, account, valid_from),
  constraint configured_portfolio_part_check CHECK ((part = ANY (ARRAY['app'::text, 'country'::text, 'keyword'::text]))),
  constraint configured_portfolio_store_check CHECK ((store = ANY (ARRAY['ios'::text, 'android'::text])))
);

-- Apps of the developers of the apps in the portfolio; one row per period in which an app was listed with the same name and price. What did they launch, and what did they remove?
create table core.developer_app (
  store text not null, -- ios or android.
  developer_code text not null, -- Requested developer: the id on iOS, the name on Android.
  country_key smallint not null, -- Country of the store page; 0 (ALL) on Android, whose pages differ by language.
  language_code text not null, -- Language of the store page in the format of the answers (en, pt_br); '' on iOS, whose pages differ by country.
  app_key integer not null, -- The app.
  valid_from date not null, -- First day on which these values were seen.
  valid_to date, -- First day on which other values, or none, were seen; null while these are current.
  is_current boolean, -- True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.
  app_name text, -- Name of the app.
  price_text text, -- Price as the store writes it, not a number.
  icon_url text, -- Address of the icon, as last seen.
  category_id text, -- Category id in its store, as last seen; 0 is a real category.
  category_name text, -- Name of the category, as last seen.
  developer_id text, -- Id of the developer in the store, as last seen.
  developer_name text, -- Name of the developer, as last seen.
  updated_at timestamp without time zone, -- When the app was last updated, as last seen, without time zone.
  extra jsonb, -- Fields of the answer without a column of their own, as last seen; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint developer_app_pkey PRIMARY KEY (store, developer_code, country_key, language_code, app_key, valid_from),
  constraint developer_app_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint developer_app_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key)
);

-- Apps, one row per store and track id, with their newest details.
create table core.dim_app (
  app_key integer not null generated always as identity, -- Key of the app inside this warehouse.
  store text not null, -- ios or android.
  track_id text not null, -- Track id as text: a number on iOS, a package name on Android.
  app_name text, -- Name of the app as last seen.
  category_id text, -- Category id; each store has its own numbering, and 0 is a real category.
  category_name text, -- Name of the category.
  icon_url text, -- Address of the icon.
  price_text text, -- Price as the store writes it (0.00, Free ...), not a number.
  developer_id text, -- Id of the developer in the store.
  developer_name text, -- Name of the developer.
  rating numeric, -- Average rating, 1 to 5.
  rating_count bigint, -- Number of ratings.
  described_by text, -- Source of the details, all of which come from the best source that names the app, in this order: app_history (iOS page in the store), tracked_app (the list of the account), android_app_history (Android page, which does not name the developer), tracked_competitor (competitors in that list). Null until one was read.
  slice_id bigint, -- Slice that loaded the details; null until they were read.
  fetched_at timestamp with time zone, -- When the details were received; null until they were read.
  constraint dim_app_pkey PRIMARY KEY (app_key),
  constraint dim_app_store_track_id_key UNIQUE (store, track_id),
  constraint dim_app_store_check CHECK ((store = ANY (ARRAY['ios'::text, 'android'::text])))
);

-- Countries by ISO 3166-1. Key 0 (ALL) is the total over all countries.
create table core.dim_country (
  country_key smallint not null, -- ISO 3166-1 numeric code; 1000 and above for two-letter codes that ISO has not numbered.
  country_code text not null, -- ISO 3166-1 alpha-2, upper case, as the API writes it; ALL for the total.
  alpha3_code text not null, -- ISO 3166-1 alpha-3.
  country_name text not null, -- Common English name.
  region text not null, -- Continent-sized region, by UN M49.
  subregion text not null, -- Subregion, by UN M49.
  constraint dim_country_pkey PRIMARY KEY (country_key),
  constraint dim_country_country_code_key UNIQUE (country_code)
);

-- Calendar days from 2008 (when the stores opened) to 2049.
create table core.dim_date (
  date_day date not null, -- The day.
  year smallint not null, -- Calendar year.
  quarter smallint not null, -- Quarter of the calendar year, 1 to 4.
  month smallint not null, -- Month, 1 to 12.
  month_start date not null, -- First day of the month.
  iso_year smallint not null, -- Year that the ISO week belongs to.
  iso_week smallint not null, -- ISO week, 1 to 53.
  week_start date not null, -- Monday of the ISO week.
  day_of_week smallint not null, -- ISO day of the week, 1 (Monday) to 7.
  is_weekend boolean not null, -- True on Saturday and Sunday.
  constraint dim_date_pkey PRIMARY KEY (date_day)
);

-- Devices that the stores distinguish.
create table core.dim_device (
  device_key smallint not null, -- Fixed number of the device; 0 if the store does not distinguish devices.
  device_code text not null, -- Code of the API (IPHONE, IPAD); ALL if the store does not distinguish devices.
  device_name text not null, -- Display name.
  constraint dim_device_pkey PRIMARY KEY (device_key),
  constraint dim_device_device_code_key UNIQUE (device_code)
);

-- Keywords, spelled exactly as they are requested.
create table core.dim_keyword (
  keyword_key integer not null generated always as identity, -- Key of the keyword inside this warehouse.
  keyword text not null, -- The keyword.
  constraint dim_keyword_pkey PRIMARY KEY (keyword_key),
  constraint dim_keyword_keyword_key UNIQUE (keyword)
);
CREATE INDEX dim_keyword_in_small_letters ON core.dim_keyword USING btree (lower(keyword));

-- How the advertising of apps is distributed, for periods of 30 days. Always choose one kind, media_type, network and country_key. The parts of one member_group make up a whole; percentages of different periods cannot be averaged.
create table core.fact_ad_distribution (
  app_key integer not null, -- The app.
  period_start date not null, -- First day of the 30 days of the answer.
  period_end date not null, -- Last day of the period, inclusive.
  country_key smallint not null, -- Requested country; 0 (ALL) for all countries together.
  kind text not null, -- What the parts are: country, dimension, type, language, network, or publisher_dimension (sizes of the advertisements for others that the app shows).
  media_type text not null, -- Unit of the share: creatives or impressions; '' if the service does not report it (language, publisher_dimension).
  network text not null, -- Requested network; '' for all networks together.
  member_group text not null, -- The whole to which the part belongs, if the kind has several: image, video, html (dimension), the media type (publisher_dimension); '' if it has only one.
  member text not null, -- The part: country code (alpha-2), size, type, language or network.
  member_name text, -- Name of the part; null if the member is its only name.
  percent_share numeric, -- Share of the whole in percent, 0 to 100.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_ad_distribution_pkey PRIMARY KEY (app_key, period_start, period_end, country_key, kind, media_type, network, member_group, member),
  constraint fact_ad_distribution_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_ad_distribution_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_ad_distribution_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_ad_distribution_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (period_start);

-- Ratings of apps by day of observation. How do ratings grow?
create table core.fact_app_rating (
  app_key integer not null, -- The app.
  date_day date not null, -- Day on which this was seen.
  country_key smallint not null, -- Country of the store page; 0 (ALL) on Android, whose pages differ by language.
  language_code text not null, -- Language of the store page in the format of the answers (en, pt_br); '' on iOS, whose pages differ by country.
  rating numeric, -- Average rating, 1 to 5.
  rating_count bigint, -- Number of ratings.
  app_name text, -- Name of the app.
  price_text text, -- Price as the store writes it, not a number.
  icon_url text, -- Address of the icon.
  category_id text, -- Category id in its store; 0 is a real category.
  category_name text, -- Name of the category.
  developer_id text, -- Id of the developer in the store.
  developer_name text, -- Name of the developer (iOS).
  updated_at timestamp without time zone, -- When the app was last updated, without time zone.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_app_rating_pkey PRIMARY KEY (app_key, date_day, country_key, language_code),
  constraint fact_app_rating_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_app_rating_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_app_rating_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (date_day);

-- Every change of a bid. Which bid changed, when, by how much, and was it manual or by a rule?
create table core.fact_bid_change (
  org_id text not null, -- Search-ads organisation.
  date_day date not null, -- Day of the change.
  entity_level text not null, -- Level of the bid: KEYWORD, AD_GROUP, CAMPAIGN; '' if the log does not report it.
  entity_id text not null, -- Id of the keyword, ad group or campaign.
  changed_at timestamp without time zone not null, -- When it was changed, without time zone.
  ordinal integer not null, -- Number of the change among those of this bid at this time, 1 for the first. The log has no ids; identical entries are different changes.
  currency text, -- Currency of the two values.
  old_value numeric, -- Bid before.
  new_value numeric, -- Bid after.
  source text, -- DASHBOARD (manual) or RULE.
  rule_name text, -- Rule that changed it; null if no rule did.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_bid_change_pkey PRIMARY KEY (org_id, date_day, entity_level, entity_id, changed_at, ordinal),
  constraint fact_bid_change_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (date_day);

-- Ranks of apps in the charts of their categories. Always choose one resolution and one chart_version: the same chart may have rows as a daily average, as hourly ranks and as the latest rank.
create table core.fact_category_rank (
  app_key integer not null, -- The app.
  date_day date not null, -- Day of the rank.
  country_key smallint not null, -- The country.
  device_key smallint not null, -- The device; 0 on Android.
  category_code text not null, -- Category: its id on iOS (36 is overall), its name on Android (OVERALL).
  chart text not null, -- FREE, PAID or GROSSING.
  resolution text not null, -- daily: average of the day (Android: its rank); hourly: one of several ranks of the day; last_day: rank on the newest day, from a request for all countries at once.
  chart_version text not null, -- v1 or v2 of the iOS charts; '' if there is only one version.
  ranked_at timestamp without time zone not null, -- When the rank was seen, without time zone; midnight for a rank of a day.
  category_name text, -- Name of the category.
  rank numeric, -- Position, 1 is the top; an average may have decimals. Null if the service reports the time without a rank.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_category_rank_pkey PRIMARY KEY (app_key, date_day, country_key, device_key, category_code, chart, resolution, chart_version, ranked_at),
  constraint fact_category_rank_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_category_rank_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_category_rank_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_category_rank_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED
) partition by range (date_day);

-- Categories of the apps that have a keyword in their metadata, each with its share, as seen on a day. A newer answer on that day replaces the whole list.
create table core.fact_category_share (
  keyword_key integer not null, -- The keyword.
  date_day date not null, -- Day of observation.
  country_key smallint not null, -- The country.
  store text not null, -- ios or android.
  device_key smallint not null, -- The device; 0 on Android.
  share_day date not null, -- Day of the share, or the day of observation if the service reports none.
  category_code text not null, -- Category: its id on iOS (36 is overall), its name on Android. Each store has its own numbering.
  category_name text, -- Name of the category.
  category_share numeric, -- Share of the category, on the service's own scale.
  answer_day date, -- Day stated for the answer as a whole; null if there is none.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_category_share_pkey PRIMARY KEY (keyword_key, date_day, country_key, store, device_key, share_day, category_code),
  constraint fact_category_share_store_check CHECK ((store = ANY (ARRAY['ios'::text, 'android'::text]))),
  constraint fact_category_share_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_category_share_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_category_share_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED,
  constraint fact_category_share_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED
) partition by range (date_day);

-- Estimated downloads and revenue of iOS apps by country, device and day. Never add the rows of all devices to those of single devices.
create table core.fact_download_revenue (
  app_key integer not null, -- The app.
  date_day date not null, -- The day.
  country_key smallint not null, -- The country.
  device_key smallint not null, -- Requested device; 0 (ALL) if the request named none.
  is_total boolean not null, -- True if the request named no device: the figures are for all devices together.
  download_count numeric, -- Estimated downloads.
  revenue numeric, -- Estimated revenue; the service reports no currency.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_download_revenue_pkey PRIMARY KEY (app_key, date_day, country_key, device_key),
  constraint fact_download_revenue_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_download_revenue_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_download_revenue_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_download_revenue_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED
) partition by range (date_day);

-- Cards of a category's page of the iOS store on which an app was shown, by day and country. When were we featured, and next to whom?
create table core.fact_featuring (
  app_key integer not null, -- Requested app.
  date_day date not null, -- Day on which it was shown.
  country_key smallint not null, -- Country of the store; 0 (ALL) if the answer names none.
  category_code text not null, -- Id of the category whose page showed the app (36 is overall).
  card_number integer not null, -- Number of the card within the day, country and category, from 1, in the order of the answer; a card that the answer repeats has one number.
  card_type text, -- Kind of card as the service names it (FullImage, AppList, Grid ...).
  label text, -- Label above the title.
  title text, -- Title of the card.
  card_name text, -- Name of what the card presents.
  short_name text, -- Short form of that name.
  link_url text, -- Address that the card links to.
  image_url text, -- Address of its picture.
  position integer, -- Place of the app among those on the card, 1 is the first; null if the card does not list it.
  listed_count integer, -- Number of apps on the card; null if the answer has no list of them.
  track_ids jsonb, -- Track ids of the apps on the card as text, in the order shown.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_featuring_pkey PRIMARY KEY (app_key, date_day, country_key, category_code, card_number),
  constraint fact_featuring_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_featuring_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_featuring_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (date_day);

-- Each app's share of the impressions of a keyword, without advertisements, as seen on a day. A newer answer on that day replaces the whole list. The reported shares may add up to less than the whole.
create table core.fact_impression_share (
  keyword_key integer not null, -- The keyword.
  date_day date not null, -- Day of observation.
  country_key smallint not null, -- The country.
  store text not null, -- ios or android.
  device_key smallint not null, -- The device; 0 on Android.
  share_day date not null, -- Day of the share, or the day of observation if the service reports none.
  app_key integer not null, -- The app.
  impression_share numeric, -- Share of the impressions, on the service's own scale.
  answer_day date, -- Day stated for the answer as a whole; null if there is none.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_impression_share_pkey PRIMARY KEY (keyword_key, date_day, country_key, store, device_key, share_day, app_key),
  constraint fact_impression_share_store_check CHECK ((store = ANY (ARRAY['ios'::text, 'android'::text]))),
  constraint fact_impression_share_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_impression_share_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_impression_share_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_impression_share_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED,
  constraint fact_impression_share_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED
) partition by range (date_day);

-- Apps that a search for a keyword shows, in their order, as seen on a day. A newer answer on that day replaces the whole list. Who ranks above us?
create table core.fact_keyword_app (
  keyword_key integer not null, -- The keyword.
  date_day date not null, -- Day of observation.
  country_key smallint not null, -- The country.
  store text not null, -- ios or android.
  device_key smallint not null, -- The device; 0 on Android.
  position integer not null, -- Place in the list of results, 1 is the top.
  app_key integer, -- The app at this place.
  updated_at timestamp without time zone, -- When the service last crawled the search, without time zone.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_keyword_app_pkey PRIMARY KEY (keyword_key, date_day, country_key, store, device_key, "position"),
  constraint fact_keyword_app_store_check CHECK ((store = ANY (ARRAY['ios'::text, 'android'::text]))),
  constraint fact_keyword_app_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_keyword_app_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_keyword_app_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_keyword_app_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED,
  constraint fact_keyword_app_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED
) partition by range (date_day);

-- How many people a keyword could reach, and how many of them would install an app, by country and day. Always choose one kind. A row without figures means that they were requested and the service reported none.
create table core.fact_keyword_estimate (
  app_key integer not null, -- The app.
  date_day date not null, -- Day of the estimate, or the day of observation for the kind now.
  country_key smallint not null, -- The country.
  keyword_key integer not null, -- The keyword.
  kind text not null, -- now: the estimate on the day of observation; history: the estimate for the day, as the service keeps it.
  conversion_rate numeric, -- Share of the reached people who would install; 0.0023 means 0.23 percent.
  max_reach_count numeric, -- Estimated unique impressions of the keyword in the country.
  install_count numeric, -- Installs to expect from reach and conversion.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_keyword_estimate_pkey PRIMARY KEY (app_key, date_day, country_key, keyword_key, kind),
  constraint fact_keyword_estimate_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_keyword_estimate_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_keyword_estimate_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_keyword_estimate_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED
) partition by range (date_day);

-- Search volume, competition and chance of a keyword by store and country, as reported on the day of observation.
create table core.fact_keyword_metadata (
  store text not null, -- ios or android.
  keyword_key integer not null, -- The keyword.
  date_day date not null, -- Day of observation. The service reports the figures of its latest day.
  country_key smallint not null, -- The country.
  language_code text, -- Language that the service detects in the keyword.
  search_volume numeric, -- Search volume score.
  popularity numeric, -- Search-ads popularity score (iOS); null if the service reports none.
  app_count bigint, -- Number of apps that the search returns (Android).
  iphone_app_count bigint, -- Number of apps that the search returns on iPhone.
  ipad_app_count bigint, -- Number of apps that the search returns on iPad.
  chance numeric, -- Chance to rank, as the service scores it (Android).
  iphone_chance numeric, -- Chance to rank on iPhone, as the service scores it.
  ipad_chance numeric, -- Chance to rank on iPad, as the service scores it.
  brand_track_id text, -- Track id of the app whose brand the keyword is; null if it is no brand.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_keyword_metadata_pkey PRIMARY KEY (keyword_key, date_day, country_key, store),
  constraint fact_keyword_metadata_store_check CHECK ((store = ANY (ARRAY['ios'::text, 'android'::text]))),
  constraint fact_keyword_metadata_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_keyword_metadata_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_keyword_metadata_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED
) partition by range (date_day);

-- Rank of an app for a keyword by country, device and day. A keyword that was requested but not ranked has a row with a null rank. A keyword that was not requested has no row; ops.coverage_daily shows why.
create table core.fact_keyword_rank (
  app_key integer not null, -- The app.
  date_day date not null, -- Calendar day on which the service crawled the store.
  country_key smallint not null, -- The country.
  keyword_key integer not null, -- The keyword.
  device_key smallint not null, -- The device; 0 on Android.
  rank integer, -- Position in the search results, 1 is the top. The last crawl of a day counts. Null when the keyword was requested but the app does not rank for it.
  observed_at timestamp without time zone, -- When the service crawled the store, by its own clock, without time zone; epoch milliseconds are read as UTC. Null when the answer omits the keyword.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_keyword_rank_pkey PRIMARY KEY (app_key, date_day, country_key, keyword_key, device_key),
  constraint fact_keyword_rank_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_keyword_rank_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_keyword_rank_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_keyword_rank_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED,
  constraint fact_keyword_rank_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED
) partition by range (date_day);

-- Sums over core.fact_keyword_rank by app, country, device and day. Each load of ranks updates them in its own transaction. They can be added up across apps and countries, but not across devices.
create table core.fact_keyword_rank_summary (
  app_key integer not null, -- The app.
  date_day date not null, -- Calendar day on which the service crawled the store.
  country_key smallint not null, -- The country.
  device_key smallint not null, -- The device; 0 on Android.
  answered_keyword_count bigint not null, -- Requested keywords with an answer, ranked or not.
  ranked_keyword_count bigint not null, -- Requested keywords for which the app ranks.
  top_1_keyword_count bigint not null, -- Keywords for which the app is the first result.
  top_3_keyword_count bigint not null, -- Keywords for which the app is among the first 3 results.
  top_10_keyword_count bigint not null, -- Keywords for which the app is among the first 10 results.
  top_50_keyword_count bigint not null, -- Keywords for which the app is among the first 50 results.
  rank_sum bigint not null, -- Sum of the ranks; divided by ranked_keyword_count it is the average rank.
  voice_billionths bigint not null, -- Sum of 1 / rank in billionths, each rounded down: rank 1 counts 1,000,000,000, rank 2 counts 500,000,000, and no rank counts 0.
  has_rows boolean not null default true, -- False if retention removed the ranks. The sums stay until a rank of the same app, country, device and day is loaded again: then they start from scratch.
  constraint fact_keyword_rank_summary_pkey PRIMARY KEY (app_key, date_day, country_key, device_key),
  constraint fact_keyword_rank_summary_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_keyword_rank_summary_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_keyword_rank_summary_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_keyword_rank_summary_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED
);
CREATE INDEX fact_keyword_rank_summary_by_day ON core.fact_keyword_rank_summary USING btree (date_day, country_key);

-- Estimated downloads and revenue of iOS apps in the previous month, as estimated on the day of observation. The rows of each day cover the whole month: choose one day per month, such as the newest. Never add the row of ALL to the rows of countries.
create table core.fact_monthly_estimate (
  app_key integer not null, -- The app.
  date_day date not null, -- Day on which the estimate was seen.
  country_key smallint not null, -- Country; 0 (ALL) for the total.
  is_total boolean not null, -- True for the total over all countries, which the service reports as a separate figure.
  period_start date not null, -- First day of the calendar month before the day of observation; the answer itself states no month.
  period_end date not null, -- Last day of that month.
  download_count numeric, -- Estimated downloads.
  revenue numeric, -- Estimated revenue; the service reports no currency.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_monthly_estimate_pkey PRIMARY KEY (app_key, date_day, country_key),
  constraint fact_monthly_estimate_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_monthly_estimate_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_monthly_estimate_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_monthly_estimate_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_monthly_estimate_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (date_day);

-- Every keyword for which an app ranks, by country, device and day. A newer answer replaces the whole list.
create table core.fact_organic_keyword (
  app_key integer not null, -- The app.
  date_day date not null, -- Requested day.
  country_key smallint not null, -- The country.
  device_key smallint not null, -- The device; 0 on Android.
  keyword_key integer not null, -- The keyword.
  rank integer, -- Position of the app in the search results, 1 is the top.
  observed_at timestamp without time zone, -- Time stated in the answer, without time zone; midnight if it states only a day.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_organic_keyword_pkey PRIMARY KEY (app_key, date_day, country_key, device_key, keyword_key),
  constraint fact_organic_keyword_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_organic_keyword_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_organic_keyword_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_organic_keyword_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED,
  constraint fact_organic_keyword_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED
) partition by range (date_day);

-- Keywords that iOS apps pay for, over periods of 14 days.
create table core.fact_paid_keyword (
  app_key integer not null, -- The app.
  period_start date not null, -- First day of the 14 days of the answer.
  period_end date not null, -- Last day of the period, inclusive.
  country_key smallint not null, -- The country.
  keyword_key integer not null, -- The keyword.
  app_share numeric, -- The app's share of all impressions of the keyword's advertisements.
  slot_shares jsonb, -- The app's share of the impressions of each slot, by slot. The shares of different slots cannot be added up.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_paid_keyword_pkey PRIMARY KEY (app_key, period_start, period_end, country_key, keyword_key),
  constraint fact_paid_keyword_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_paid_keyword_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_paid_keyword_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED,
  constraint fact_paid_keyword_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_paid_keyword_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (period_start);

-- iOS apps that pay for keywords, over periods of 14 days.
create table core.fact_paying_app (
  keyword_key integer not null, -- The keyword.
  period_start date not null, -- First day of the 14 days of the answer.
  period_end date not null, -- Last day of the period, inclusive.
  country_key smallint not null, -- The country.
  app_key integer not null, -- The app that pays.
  share numeric, -- The app's share of all impressions of the keyword's advertisements.
  slot_shares jsonb, -- The app's share of the impressions of each slot, by slot. The shares of different slots cannot be added up.
  default_product_page_count numeric, -- Number of default product pages that are advertised.
  custom_product_page_count numeric, -- Number of custom product pages that are advertised.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_paying_app_pkey PRIMARY KEY (keyword_key, period_start, period_end, country_key, app_key),
  constraint fact_paying_app_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_paying_app_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_paying_app_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED,
  constraint fact_paying_app_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_paying_app_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (period_start);

-- Visits to the pages of the account's own apps in the store by country and day. Never add the row of ALL countries to those of single countries, nor rows of all devices to those of single devices.
create table core.fact_retention (
  app_key integer not null, -- The app.
  date_day date not null, -- The day.
  country_key smallint not null, -- Country of the visitors; 0 (ALL) for the total.
  device_key smallint not null, -- Requested device; 0 (ALL) if the request named none.
  is_total boolean not null, -- True for the total over all countries, which the service reports as a separate figure.
  is_device_total boolean not null, -- True if the request for an iOS app named all devices together.
  android_store_visit_count numeric, -- Visits to the page in the Android store.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_retention_pkey PRIMARY KEY (app_key, date_day, country_key, device_key),
  constraint fact_retention_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_retention_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_retention_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_retention_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED
) partition by range (date_day);

-- Words of the reviews of an app over a period: one row for the word (kind word), one for each rating of its reviews (sentiment) and one for each date (trend). Always choose one kind: the row of the word already includes the others.
create table core.fact_review_word (
  app_key integer not null, -- The app.
  period_start date not null, -- First day of the period.
  period_end date not null, -- Last requested day of the period. The service does not document whether it is inclusive; rows of kind trend show it.
  country_key smallint not null, -- Country of the reviews (iOS); 0 (ALL) for all together, and on Android.
  language_code text not null, -- Language of the reviews (Android) in lower case; '' for all together, and on iOS.
  word text not null, -- The word, in the format of the service.
  kind text not null, -- word: the whole period; sentiment: the reviews with one rating; trend: the reviews of one date.
  facet text not null, -- Rating (sentiment) or date (trend) in the format of the service; '' for the whole period.
  occurrence_count bigint, -- How often the word occurs; only for the whole period.
  review_count bigint, -- Reviews with the word; only for the whole period.
  average_rating numeric, -- Average rating of the reviews with the word; only for the whole period.
  facet_count numeric, -- Number for this rating or date; null for the whole period.
  rating integer, -- Stars, 1 to 5, of a row of kind sentiment; null if the rating is in another format.
  trend_day date, -- Day of a row of kind trend; null if the date is in another format.
  extra jsonb, -- Fields of the answer without a column of their own, on the word's own row; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_review_word_pkey PRIMARY KEY (app_key, period_start, period_end, country_key, language_code, word, kind, facet),
  constraint fact_review_word_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_review_word_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_review_word_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_review_word_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (period_start);

-- Downloads, revenue and page views of the account's own apps by day, as their store reported them. Choose one context. Never add the row of ALL countries to those of single countries, nor rows of all devices to those of single devices.
create table core.fact_sales_metric (
  app_key integer not null, -- The app.
  date_day date not null, -- The day.
  country_key smallint not null, -- Country of the store; 0 (ALL) for the total.
  device_key smallint not null, -- Requested device; 0 (ALL) if the request named none.
  context text not null, -- DOWNLOAD, REVENUE_TOTAL or PAGE_VIEW.
  requested_country_key smallint not null, -- Requested country; 0 (ALL) if the request named none. What such a request reports for a country replaces what a request for that country alone reports.
  is_total boolean not null, -- True for the total over all countries, which the service reports as a separate figure.
  is_device_total boolean not null, -- True if the request for an iOS app named all devices together.
  units numeric, -- Downloads, revenue or views, depending on the context. For revenue the service reports no currency.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_sales_metric_pkey PRIMARY KEY (app_key, date_day, country_key, device_key, context),
  constraint fact_sales_metric_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_sales_metric_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_sales_metric_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_sales_metric_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED,
  constraint fact_sales_metric_requested_country_key_fkey FOREIGN KEY (requested_country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED
) partition by range (date_day);

-- Spend, taps, installs and goals of search ads. One row per entity of its level and day or longer period. Levels, grains, currencies, attributions and goals repeat the same figures: choose one of each before you add up rows, and leave out totals. See mart.search_ads_daily. Former values are in ops.restated_value.
create table core.fact_search_ads_report (
  org_id text not null, -- Search-ads organisation.
  report_level text not null, -- Level of the row: ACCOUNT, APP, CAMPAIGN, AD_GROUP, AD, CPP, KEYWORD, NEGATIVE, SEARCH_TERM.
  grain text not null, -- Period of the row: day, week or month; week_summary or month_summary for a row of a SUMMARY over a week or month; window for a row of a DAILY report without a day, which covers all requested days.
  currency text not null, -- Requested currency of the money.
  attribution text not null, -- How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.
  goal_id text not null, -- Requested goal; '' for none. Without a goal the goal columns have no meaning.
  period_start date not null, -- First day of the period of the figures.
  period_end date not null, -- Last day of the period, inclusive; the same day if grain is day.
  is_total boolean not null, -- True for a row that is the sum of other rows of its report. Never add it to them.
  app_id text not null, -- Advertised app; '' for none.
  campaign_id text not null, -- Campaign; '' for none.
  ad_group_id text not null, -- Ad group; '' for none. Ad group and day are not unique: country and the four segments belong to the key.
  keyword_id text not null, -- Keyword, or negative keyword; '' for none.
  ad_id text not null, -- Ad; '' for none.
  product_page text not null, -- Custom product page: its id, or its name if it has no id; '' for none.
  search_term text not null, -- What people searched for; '' for none.
  match_type text not null, -- How the keyword must match; '' for none.
  country_key smallint not null, -- Country; 0 (ALL) if the row is not about a single country.
  gender text not null, -- Segment; '' for none.
  age text not null, -- Segment; '' for none.
  device_class text not null, -- Segment; '' for none.
  customer_type text not null, -- Segment; '' for none.
  segment text not null, -- Further fields of the key, as JSON, if rows have the same values in all columns above; '' if they are not needed.
  report_type text, -- Type of the report: DAILY, REPORT, SUMMARY. A day has one row, from the newest report of any type.
  date_day date, -- The day if grain is day; null for longer periods, which are never spread over their days.
  app_key integer, -- The advertised app.
  keyword_key integer, -- The keyword.
  org_name text, -- Name of the organisation.
  app_name text, -- Name of the app.
  campaign_name text, -- Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.
  ad_group_name text, -- Name of the ad group as reported with the row. A renamed ad group has several names, so group by its id.
  ad_name text, -- Name of the ad.
  product_page_name text, -- Name of the product page.
  spend numeric, -- Money spent, in currency.
  impression_count numeric, -- Impressions.
  tap_count numeric, -- Taps.
  install_count numeric, -- Installs, new downloads and redownloads together.
  new_download_count numeric, -- Installs by new users.
  redownload_count numeric, -- Installs by earlier users.
  lat_on_install_count numeric, -- Installs by users who limit ad tracking.
  lat_off_install_count numeric, -- Installs by users who do not limit ad tracking.
  cpa numeric, -- Spend per install, in currency.
  cpt numeric, -- Spend per tap, in currency.
  cpm numeric, -- Spend per thousand impressions, in currency.
  ttr numeric, -- Taps per impression.
  cr numeric, -- Installs per tap.
  attributed_install_count numeric, -- Installs that the measurement partner attributes.
  attributed_install_rate numeric, -- Installs that the measurement partner attributes, per tap.
  cpi numeric, -- Spend per install that the measurement partner attributes, in currency.
  goal_count numeric, -- Number of times the goal was reached.
  goal_count_1d numeric, -- Number of times the goal was reached within 1 day of the install.
  goal_count_3d numeric, -- Number of times the goal was reached within 3 days of the install.
  goal_count_7d numeric, -- Number of times the goal was reached within 7 days of the install.
  goal_count_14d numeric, -- Number of times the goal was reached within 14 days of the install.
  goal_count_30d numeric, -- Number of times the goal was reached within 30 days of the install.
  goal_rate numeric, -- Goals per install.
  cost_per_goal numeric, -- Spend per goal, in currency.
  cpa_goal numeric, -- Target spend per install (CPA goal), in currency.
  goal_revenue numeric, -- Revenue of the goal, in currency.
  goal_revenue_1d numeric, -- Revenue of the goal within 1 day of the install, in currency.
  goal_revenue_3d numeric, -- Revenue of the goal within 3 days of the install, in currency.
  goal_revenue_7d numeric, -- Revenue of the goal within 7 days of the install, in currency.
  goal_revenue_14d numeric, -- Revenue of the goal within 14 days of the install, in currency.
  goal_revenue_30d numeric, -- Revenue of the goal within 30 days of the install, in currency.
  goal_roas numeric, -- Revenue of the goal per unit of spend.
  goal_roas_1d numeric, -- Revenue of the goal within 1 day of the install per unit of spend.
  goal_roas_3d numeric, -- Revenue of the goal within 3 days of the install per unit of spend.
  goal_roas_7d numeric, -- Revenue of the goal within 7 days of the install per unit of spend.
  goal_roas_14d numeric, -- Revenue of the goal within 14 days of the install per unit of spend.
  goal_roas_30d numeric, -- Revenue of the goal within 30 days of the install per unit of spend.
  revenue_per_goal numeric, -- Revenue per goal, in currency.
  arpu numeric, -- Revenue per install, in currency.
  default_bid numeric, -- Default bid of the ad group, in currency.
  daily_budget numeric, -- Daily budget, in currency.
  started_at timestamp without time zone, -- When the campaign, ad group or keyword of the row started, without time zone.
  ad_channel_type text, -- SEARCH or DISPLAY.
  billing_event text, -- What is paid for: TAPS.
  pricing_model text, -- How it is priced.
  campaign_status text, -- ENABLED or PAUSED.
  ad_group_status text, -- ENABLED or PAUSED.
  display_status text, -- RUNNING or PAUSED.
  serving_status_reasons text, -- Why it does not run, PAUSED_BY_USER for instance.
  search_match text, -- Whether the service matches searches automatically, in the format of the service.
  countries jsonb, -- Countries of the campaign: a list.
  country_statuses jsonb, -- Country mapped to the status of the campaign in it.
  supply_sources jsonb, -- Placements: a list of names.
  original jsonb, -- The money in the organisation's own currency, as the service reports it.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_search_ads_report_pkey PRIMARY KEY (org_id, report_level, grain, currency, attribution, goal_id, period_start, period_end, is_total, app_id, campaign_id, ad_group_id, keyword_id, ad_id, product_page, search_term, match_type, country_key, gender, age, device_class, customer_type, segment),
  constraint fact_search_ads_report_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_search_ads_report_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_search_ads_report_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_search_ads_report_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED,
  constraint fact_search_ads_report_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_search_ads_report_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (period_start);
CREATE INDEX fact_search_ads_report_by_app ON ONLY core.fact_search_ads_report USING btree (app_key, period_start) WHERE ((report_level = 'CAMPAIGN'::text) AND (grain = 'day'::text) AND (goal_id = ''::text) AND (NOT is_total));

-- The apps with the most impressions for keywords that the account bids on, by calendar month.
create table core.fact_search_ads_top_app (
  org_id text not null, -- Search-ads organisation.
  period_start date not null, -- First day of the period of the answer.
  period_end date not null, -- Last day of the period, inclusive.
  country_key smallint not null, -- Country.
  keyword_id text not null, -- Id of the keyword in reports.
  app_key integer not null, -- App with impressions.
  keyword_key integer, -- The keyword.
  share numeric, -- Share of the impressions, on the service's own scale.
  app_name text, -- Name of the app.
  icon_url text, -- Address of the app's icon.
  is_removed boolean, -- True when the app is no longer in the store.
  keyword_app_count numeric, -- Number of apps that the search for the keyword returns.
  competitors jsonb, -- Field competitors of the answer: true, false or a list.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_search_ads_top_app_pkey PRIMARY KEY (org_id, period_start, period_end, country_key, keyword_id, app_key),
  constraint fact_search_ads_top_app_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_search_ads_top_app_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_search_ads_top_app_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED,
  constraint fact_search_ads_top_app_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_search_ads_top_app_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (period_start);

-- The apps that advertise most, by store, country, category, network and period of 30 days, as far as pages were requested.
create table core.fact_top_advertiser (
  store text not null, -- ios or android.
  country_key smallint not null, -- Requested country; 0 (ALL) for all countries together.
  category text not null, -- Requested category, in the words of the service; '' for all categories together.
  network text not null, -- Requested network; '' for all networks together.
  period_start date not null, -- First day of the 30 days of the answer.
  period_end date not null, -- Last day of the period, inclusive.
  rank integer not null, -- Place in the list, 1 is the top, in the order of the answer. If a place is missing, its item was invalid (ops.reject).
  app_key integer, -- The app.
  app_name text, -- Name of the app.
  developer_id text, -- Id of the developer.
  developer_name text, -- Name of the developer.
  category_id text, -- Category id of the app in its store; 0 is a real category.
  category_name text, -- Name of that category.
  is_advertiser boolean, -- True when the app advertises.
  is_publisher boolean, -- True when the app shows advertisements for others.
  ad_count numeric, -- Number of advertisements.
  creative_count numeric, -- Number of different advertisements.
  network_count numeric, -- Number of networks.
  networks jsonb, -- The networks: a list of title, class.
  countries jsonb, -- The countries: a list of title, countryCode.
  icon_url text, -- Address of the app's icon.
  service_app_id text, -- The service's own number of the app.
  platform_id integer, -- Platform, by the service's own numbering: 1 for Android, 2 for iOS.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_top_advertiser_pkey PRIMARY KEY (store, country_key, category, network, period_start, period_end, rank),
  constraint fact_top_advertiser_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_top_advertiser_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_top_advertiser_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_top_advertiser_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (period_start);

-- All apps of a chart on a day. Always choose one device and chart_version. Who is in the chart, and who is new?
create table core.fact_top_chart (
  app_key integer not null, -- The app.
  date_day date not null, -- Day of the chart.
  country_key smallint not null, -- The country.
  device_key smallint not null, -- The device; 0 on Android.
  category_code text not null, -- Category: its id on iOS (36 is overall), its name on Android (OVERALL). Ids of the two stores overlap, but these codes do not.
  chart text not null, -- FREE, PAID or GROSSING.
  chart_version text not null, -- v1 or v2 of the iOS charts; '' on Android.
  rank integer not null, -- Position, 1 is the top.
  category_id integer, -- Id of the category in its store; 0 is a real category on Android.
  category_name text, -- Name of the category.
  charted_at timestamp without time zone, -- When the chart was seen, as the service reports it, without time zone; null if it reports none.
  extra jsonb, -- Fields of the app's entry without a column of their own (Android); null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_top_chart_pkey PRIMARY KEY (app_key, date_day, country_key, device_key, category_code, chart, chart_version),
  constraint fact_top_chart_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_top_chart_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_top_chart_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_top_chart_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED
) partition by range (date_day);
CREATE INDEX fact_top_chart_by_chart ON ONLY core.fact_top_chart USING btree (category_code, country_key, chart, date_day);

-- Keywords with the most search traffic for an app, by country, device and day. A newer answer replaces the whole list.
create table core.fact_top_keyword (
  app_key integer not null, -- The app.
  date_day date not null, -- Requested day.
  country_key smallint not null, -- The country.
  device_key smallint not null, -- The device; 0 on Android.
  keyword_key integer not null, -- The keyword.
  rank integer, -- Position of the app in the search results, 1 is the top.
  search_volume numeric, -- Search volume score of the keyword.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_top_keyword_pkey PRIMARY KEY (app_key, date_day, country_key, device_key, keyword_key),
  constraint fact_top_keyword_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_top_keyword_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_top_keyword_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED,
  constraint fact_top_keyword_device_key_fkey FOREIGN KEY (device_key) REFERENCES core.dim_device(device_key) NOT ENFORCED,
  constraint fact_top_keyword_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key) NOT ENFORCED
) partition by range (date_day);

-- Visibility scores of apps in the searches of their store, by country and day.
create table core.fact_visibility (
  app_key integer not null, -- The app.
  date_day date not null, -- Day of the score; the day of observation for kind now.
  country_key smallint not null, -- The country.
  kind text not null, -- history: the score of the day as the service keeps it; now: the score seen on the day of observation.
  score numeric, -- Visibility score; null if the service reports none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint fact_visibility_pkey PRIMARY KEY (app_key, date_day, country_key, kind),
  constraint fact_visibility_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key) NOT ENFORCED,
  constraint fact_visibility_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key) NOT ENFORCED,
  constraint fact_visibility_date_day_fkey FOREIGN KEY (date_day) REFERENCES core.dim_date(date_day) NOT ENFORCED
) partition by range (date_day);

-- Apps of the groups under portfolio.groups in the configuration, as of the last planning. An app may be in several groups.
create table core.grouped_app (
  group_name text not null, -- Name of the group.
  store text not null, -- ios or android.
  track_id text not null, -- Track id of the app in its store.
  constraint grouped_app_pkey PRIMARY KEY (group_name, store, track_id),
  constraint grouped_app_store_check CHECK ((store = ANY (ARRAY['ios'::text, 'android'::text])))
);

-- Keywords of the groups under portfolio.groups in the configuration, as of the last planning. A keyword may be in several groups.
create table core.grouped_keyword (
  group_name text not null, -- Name of the group.
  keyword text not null, -- The keyword.
  constraint grouped_keyword_pkey PRIMARY KEY (group_name, keyword)
);
CREATE INDEX grouped_keyword_however_written ON core.grouped_keyword USING btree (lower(keyword));

-- The hidden keyword field of iOS apps by locale; one row per period without a change.
create table core.keyword_spot (
  app_key integer not null, -- The app.
  country_key smallint not null, -- Requested country.
  locale text not null, -- Locale of the field, in the format of the service.
  valid_from date not null, -- First day on which these values were seen.
  valid_to date, -- First day on which other values were seen; null while these are current.
  is_current boolean, -- True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.
  keywords text, -- The field, unchanged, its words separated by commas.
  keyword_count integer, -- Number of different words in it.
  updated_at timestamp without time zone, -- When the service last saw the field change, as last reported, without time zone.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint keyword_spot_pkey PRIMARY KEY (app_key, country_key, locale, valid_from),
  constraint keyword_spot_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint keyword_spot_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key)
);

-- Words of the hidden keyword field of iOS apps; one row per period in which the field had the word. Which of our words never rank?
create table core.keyword_spot_word (
  app_key integer not null, -- The app.
  country_key smallint not null, -- Requested country.
  locale text not null, -- Locale of the field, in the format of the service.
  keyword_key integer not null, -- The word.
  valid_from date not null, -- First day on which these values were seen.
  valid_to date, -- First day on which other values were seen; null while these are current.
  is_current boolean, -- True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.
  position integer, -- Place in the field, from 1, as last seen.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint keyword_spot_word_pkey PRIMARY KEY (app_key, country_key, locale, keyword_key, valid_from),
  constraint keyword_spot_word_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint keyword_spot_word_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key),
  constraint keyword_spot_word_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key)
);

-- Measurement partners that the account's apps report to; one row per period without a change.
create table core.mmp_integration (
  app_key integer not null, -- The app.
  tracker_type text not null, -- Name of the partner, upper case; '' for an app without any.
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  valid_from date not null, -- First day on which these values were seen.
  valid_to date, -- First day on which other values were seen; null while these are current.
  is_current boolean, -- True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.
  state text, -- State: NO_RECENT_EVENT, SUCCESSFULLY_INTEGRATED, PENDING_FIRST_EVENT, CREATE_FIRST_GOAL.
  app_name text, -- Name of the app.
  developer_name text, -- Name of its developer.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  icon_url text, -- Address of the app's icon.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint mmp_integration_pkey PRIMARY KEY (app_key, tracker_type, account, valid_from),
  constraint mmp_integration_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key)
);

-- The reporting currency: one row at most, written by the user; empty until then.
create table core.reporting_currency (
  currency text not null, -- The reporting currency, three letters.
  is_only boolean not null default true, -- Always true: this prevents a second row.
  constraint reporting_currency_pkey PRIMARY KEY (currency),
  constraint reporting_currency_is_only_key UNIQUE (is_only),
  constraint reporting_currency_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint reporting_currency_is_only_check CHECK (is_only)
);

-- Exchange rates into the reporting currency, loaded by the user; empty until then. A rate into any currency other than that of core.reporting_currency is refused.
create table core.reporting_rate (
  currency text not null, -- Currency, three letters.
  date_day date not null, -- First day of the rate. It applies until the next one, for 31 days at most.
  reporting_currency text not null, -- The currency of core.reporting_currency.
  rate numeric not null, -- Units of reporting_currency for one unit of currency.
  constraint reporting_rate_pkey PRIMARY KEY (currency, date_day),
  constraint reporting_rate_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint reporting_rate_rate_check CHECK ((rate > (0)::numeric)),
  constraint reporting_rate_reporting_currency_fkey FOREIGN KEY (reporting_currency) REFERENCES core.reporting_currency(currency)
);

-- Reviews of apps, one row per review in its latest form. If both lists of a store are switched on, choose one source. What do users complain about?
create table core.review (
  app_key integer not null, -- The app.
  review_id text not null, -- Id of the review in its list.
  source text not null, -- List that the review comes from: v2 (paged) or plain. Each list has its own ids, so a review in both lists has two rows.
  reviewed_at timestamp without time zone not null, -- When it was written or last edited, as the service reports it, without time zone.
  country_key smallint not null, -- Country of the store (iOS); 0 (ALL) on Android, whose reviews have a language instead, and if several countries were requested and the answer names none.
  language_code text not null, -- Android: the language that the service reports in place of a country, in lower case (en, pt_br); '' on iOS, whose reviews have a country, and if the service reports none. It is no property of the text.
  rating integer, -- Stars, 1 to 5.
  title text, -- Title; null if the review has none.
  content text, -- Text in any language and script; U+0000 is removed, and lone surrogates are replaced.
  reviewer text, -- Name of the reviewer.
  version text, -- Reviewed version of the app; null if the service reports none. Only list v2 of Android reports it.
  is_replied boolean, -- True when the developer has answered it; null if answered reviews were not requested separately (option replied).
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint review_pkey PRIMARY KEY (app_key, review_id, source),
  constraint review_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint review_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key)
);
CREATE INDEX review_by_day ON core.review USING btree (app_key, ((reviewed_at)::date));
CREATE INDEX review_of_plain ON core.review USING btree (app_key, country_key, reviewed_at) WHERE (source = 'plain'::text);
CREATE INDEX review_of_v2 ON core.review USING btree (app_key, country_key, reviewed_at) WHERE (source = 'v2'::text);

-- Apps that the account advertises; one row per period without a change other than in ratings.
create table core.search_ads_app (
  app_key integer not null, -- The app.
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  valid_from date not null, -- First day on which these values were seen.
  valid_to date, -- First day on which other values were seen; null while these are current.
  is_current boolean, -- True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.
  app_name text, -- Name of the app.
  category_id text, -- Category id in its store; 0 is a real category.
  category_name text, -- Name of the category.
  subcategories jsonb, -- Its further categories: a list of names.
  price_text text, -- Price as the store writes it, not a number.
  developer_id text, -- Id of the developer in the store.
  developer_name text, -- Name of the developer.
  released_at timestamp without time zone, -- When it was released, without time zone.
  icon_url text, -- Address of the icon.
  rating numeric, -- Average rating as last seen, 1 to 5.
  rating_count bigint, -- Number of ratings as last seen.
  updated_at timestamp without time zone, -- When it was last updated, without time zone.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint search_ads_app_pkey PRIMARY KEY (app_key, account, valid_from),
  constraint search_ads_app_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key)
);

-- Goals with which the account measures its search ads; one row per period without a change.
create table core.search_ads_goal (
  goal_id text not null, -- Id of the goal; reports can be fetched for it (options.goals).
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  valid_from date not null, -- First day on which these values were seen.
  valid_to date, -- First day on which other values were seen; null while these are current.
  is_current boolean, -- True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.
  app_key integer, -- App of the goal.
  account_number text, -- The service's number of the account.
  tracker_type text, -- Measurement partner that reports its events.
  goal_name text, -- Name of the goal.
  category text, -- PURCHASE, SUBSCRIPTION ...
  currency text, -- Currency of its revenue.
  created_at timestamp without time zone, -- When it was created, without time zone.
  updated_at timestamp without time zone, -- When it was last changed, without time zone.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint search_ads_goal_pkey PRIMARY KEY (goal_id, account, valid_from),
  constraint search_ads_goal_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key)
);

-- Events that count towards a goal; one row per period without a change.
create table core.search_ads_goal_event (
  goal_id text not null, -- The goal.
  event_id text not null, -- Id of the event.
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  valid_from date not null, -- First day on which these values were seen.
  valid_to date, -- First day on which other values were seen; null while these are current.
  is_current boolean, -- True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.
  event_name text, -- Name of the event.
  revenue_policy text, -- IN_APP_VALUE (as the app reports it) or FIXED_VALUE.
  custom_revenue numeric, -- Fixed revenue of one event, in the currency of the goal.
  custom_usd_revenue numeric, -- The same in US dollars.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint search_ads_goal_event_pkey PRIMARY KEY (goal_id, event_id, account, valid_from)
);

-- Search-ads organisations that the account is connected to; one row per period without a change. No row means that the account is not connected; it may still have spent money. Which organisations are connected?
create table core.search_ads_integration (
  org_id text not null, -- Id of the organisation.
  integration_id text not null, -- Id of the connection.
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  valid_from date not null, -- First day on which these values were seen.
  valid_to date, -- First day on which other values were seen; null while these are current.
  is_current boolean, -- True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.
  organisation_name text, -- Name of the organisation.
  integration_code text, -- The connection's own code, of no fixed length or alphabet.
  currency text, -- The organisation's own currency, which is the currency of the amounts under original in reports.
  time_zone text, -- Its time zone.
  payment_model text, -- How it pays.
  is_valid boolean, -- False when the connection does not work. Its reports are then not requested.
  has_fetched boolean, -- True when the service has fetched its data.
  role_names jsonb, -- What the connection may do: a list of names.
  created_at timestamp without time zone, -- When it was connected, without time zone.
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint search_ads_integration_pkey PRIMARY KEY (org_id, integration_id, account, valid_from)
);

-- Apps that the account tracks; one row per period in which the account tracked the app.
create table core.tracked_app (
  app_key integer not null, -- The app.
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  valid_from date not null, -- First day on which the account was seen to track it.
  valid_to date, -- First day on which the account was seen to no longer track it; null while it does.
  is_current boolean, -- True while the account tracks the app; null if the newest list had invalid items and did not name it: it then stays in the portfolio.
  is_store_account_connected boolean, -- True when the account has connected its own store account for the app.
  available_countries jsonb, -- Countries in which the app is available, sorted, as last seen.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint tracked_app_pkey PRIMARY KEY (app_key, account, valid_from),
  constraint tracked_app_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key)
);

-- Competitors that the account names for an app that it tracks; one row per period in which the account named the competitor.
create table core.tracked_competitor (
  app_key integer not null, -- App that the account tracks.
  competitor_app_key integer not null, -- Its competitor, which need not be in the portfolio.
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  valid_from date not null, -- First day on which the account was seen to name the competitor.
  valid_to date, -- First day on which the account was seen to no longer name the competitor; null while it does.
  is_current boolean, -- True while the competitor is named; null if the newest list had invalid items and did not name it.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint tracked_competitor_pkey PRIMARY KEY (app_key, competitor_app_key, account, valid_from),
  constraint tracked_competitor_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint tracked_competitor_competitor_app_key_fkey FOREIGN KEY (competitor_app_key) REFERENCES core.dim_app(app_key)
);
CREATE INDEX tracked_competitor_by_competitor ON core.tracked_competitor USING btree (competitor_app_key);

-- Number of keywords that the account tracks for an app, by country; one row per period with the same number.
create table core.tracked_country (
  app_key integer not null, -- The app.
  country_key smallint not null, -- The country.
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  valid_from date not null, -- First day with this number.
  valid_to date, -- First day with another number, or none; null while the number is current, and if the app left before (core.tracked_app): its numbers are then no longer read.
  is_current boolean, -- True while the number is current; null if the newest answer had invalid items and did not name the country.
  keyword_count integer not null, -- Number of tracked keywords.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint tracked_country_pkey PRIMARY KEY (app_key, country_key, account, valid_from),
  constraint tracked_country_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint tracked_country_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key)
);

-- Keywords that the account tracks for an app and country; one row per period in which the account tracked the keyword.
create table core.tracked_keyword (
  app_key integer not null, -- The app.
  country_key smallint not null, -- The country.
  keyword_key integer not null, -- The keyword.
  account text not null default ''::text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  valid_from date not null, -- First day on which the account was seen to track it.
  valid_to date, -- First day on which the account was seen to no longer track it; null while it does, and if its country or the app left before it (core.tracked_country, core.tracked_app): the list is then no longer read.
  is_current boolean, -- True if the newest list names the keyword; null if that list had invalid items and did not name it: it then stays in the portfolio.
  search_volume numeric, -- Search volume score as last seen.
  chance numeric, -- Chance to rank, as the service scores it, as last seen.
  app_count bigint, -- Number of apps that the search for the keyword returns, as last seen.
  brand_track_id text, -- Track id of the app whose brand the keyword is; null if it is no brand.
  rank_change integer, -- Change of the rank in one day on the device of the list (iPhone on iOS), as last seen.
  ranking_history jsonb, -- Ranks of the last days according to the list, on the same device; core.fact_keyword_rank holds the days that were fetched.
  created_at timestamp without time zone, -- When the account began to track it, as the service reports it, without a time zone.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint tracked_keyword_pkey PRIMARY KEY (app_key, country_key, keyword_key, account, valid_from),
  constraint tracked_keyword_app_key_fkey FOREIGN KEY (app_key) REFERENCES core.dim_app(app_key),
  constraint tracked_keyword_country_key_fkey FOREIGN KEY (country_key) REFERENCES core.dim_country(country_key),
  constraint tracked_keyword_keyword_key_fkey FOREIGN KEY (keyword_key) REFERENCES core.dim_keyword(keyword_key)
);
CREATE INDEX tracked_keyword_now ON core.tracked_keyword USING btree (account, app_key, country_key, keyword_key) WHERE (valid_to IS NULL);

-- One row per app, period of 30 days, requested country, network and kind of media, and advertisement seen. Needs the dataset ad_creative. Choose one network and one media_type (empty for all together), and either ALL or countries; then impressions may be added up across advertisements, apps and periods. Which advertisements does an app run? Which have the most impressions?
create view mart.advertisement (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Requested country, ISO 3166-1 alpha-2; ALL for all countries together.
  country_name text, -- Name of the country.
  period_start date, -- First day of the 30 days.
  period_end date, -- Last day of the period, inclusive.
  network text, -- Requested network; empty for all networks together.
  media_type text, -- Id of the requested kind of media; empty for all kinds together.
  creative_id text, -- Key of the advertisement within one answer: a digest of the media and the texts shown with it.
  title text, -- Title of the advertisement.
  subtitle text, -- Line under the title.
  action_text text, -- Text of the button.
  network_names text, -- Networks on which it was seen, separated by commas.
  media_url text, -- Address of the media.
  preview_url text, -- Address of a preview picture.
  size_text text, -- Size as the service writes it, for instance 320x50.
  first_seen_at timestamp with time zone, -- When it was first seen.
  last_seen_at timestamp with time zone, -- When it was last seen.
  impression_count numeric, -- Impressions, as estimated for the period.
  is_competitor boolean -- True for an app that the account names as a competitor now.
) as
 SELECT a.store,
    a.track_id,
    COALESCE(a.app_name, f.app_name, a.track_id) AS app_name,
    c.country_code,
    c.country_name,
    f.period_start,
    f.period_end,
    f.network,
    f.media_type,
    f.creative_key AS creative_id,
    f.title,
    f.subtitle,
    f.action_text,
    n.network_names,
    f.media_url,
    f.preview_url,
    f.size_text,
    f.first_seen_at,
    f.last_seen_at,
    f.impression_count,
    (EXISTS ( SELECT
           FROM core.tracked_competitor t
          WHERE t.competitor_app_key = f.app_key AND t.valid_to IS NULL)) AS is_competitor
   FROM core.ad_creative f
     JOIN core.dim_app a ON a.app_key = f.app_key
     JOIN core.dim_country c ON c.country_key = f.country_key
     LEFT JOIN LATERAL ( SELECT string_agg(e.value ->> 'title'::text, ', '::text ORDER BY (e.value ->> 'title'::text)) AS network_names
           FROM jsonb_array_elements(
                CASE
                    WHEN jsonb_typeof(f.networks) = 'array'::text THEN f.networks
                    ELSE NULL::jsonb
                END) e(value)) n ON true;

-- One row per group and app, from portfolio.groups.apps of the configuration. Join it to any mart by store and track_id: figures are then added up by group, and an app in several groups counts once in each. Which apps are in a group? How does each group of apps perform?
create view mart.app_group (
  group_name text, -- Name of the group.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text -- Name of the app, or its track id if no name is known.
) as
 SELECT g.group_name,
    g.store,
    g.track_id,
    COALESCE(a.app_name, g.track_id) AS app_name
   FROM core.grouped_app g
     LEFT JOIN core.dim_app a ON a.store = g.store AND a.track_id = g.track_id;

-- One row per portfolio app, country and week or month with any row in app_overview_daily: its sums, and how many days they cover. Choose one period_kind and name the app or the period, since all of it takes long. Then counts, revenue and spend may be added up across apps, countries and periods (never ALL with countries). A sum is incomplete if is_complete is false for any of its rows. The store's figures added up over countries may be less than their total over all countries, which is in core.fact_sales_metric (is_total). How did the downloads of a region change from week to week? Which weeks lack days?
create view mart.app_overview_by_period (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL for figures over all countries together, such as ratings and reviews on Android.
  country_name text, -- Name of the country.
  region text, -- Continent-sized region of the country, by UN M49.
  period_kind text, -- week: Monday to Sunday; month: a calendar month.
  period_start date, -- First day of the period.
  period_day_count integer, -- Number of days in the period.
  rank_day_count bigint, -- Days for which all requested keywords have an answer. Ranks and shares are rolled up from the sums of organic_share_of_voice_daily.
  review_day_count bigint, -- Days for which there is an answer for all reviews.
  review_count numeric, -- Reviews written on that day: 0 if they were requested and there are none, null if they were not requested; only a part of them while is_review_answered is false.
  estimate_day_count bigint, -- Days for which the estimates were requested and each requested device has an answer.
  estimated_download_count numeric, -- Downloads as the service estimates them (iOS): for all devices together, else the sum over the devices with a figure for the day.
  estimated_revenue numeric, -- Revenue as the service estimates it (iOS), without a currency.
  store_day_count bigint, -- Days for which the downloads reported by the store were requested and each requested device has an answer.
  store_download_count numeric, -- Downloads as the store reported them to the account (its own apps): for all devices together, else the sum over the devices with a figure for the day.
  store_revenue_day_count bigint, -- Days for which the revenue reported by the store was requested and each requested device has an answer.
  store_revenue numeric, -- Revenue as the store reported it to the account, without a currency.
  page_view_day_count bigint, -- Days for which page views were requested and each requested device has an answer.
  page_view_count numeric, -- Views of the page in the store, as the store reported them to the account.
  search_ads_day_count bigint, -- Days for which search-ads reports were requested and each organisation has an answer.
  search_ads_spend numeric, -- Money spent on search ads in the country (level CAMPAIGN), in search_ads_currency.
  search_ads_currency text, -- Currency of search_ads_spend: that of ops.search_ads_default.
  search_ads_install_count numeric, -- Installs from search ads, with the attribution of ops.search_ads_default.
  is_complete boolean, -- True when everything that was requested on any day of the period has an answer on all of its days. False for a period that is not over, that began before the first request, or that lacks an answer: its sums then cover only the counted days and parts of other days. What counts as an answer is said at the columns of app_overview_daily: a newest day that is only late has one until it is requested again.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 WITH answered AS MATERIALIZED (
         SELECT n_1.store,
            n_1.track_id,
            n_1.country_code,
            n_1.estimated_days,
            n_1.unestimated_days,
            n_1.reported_days,
            n_1.unreported_days,
            n_1.revenue_days,
            n_1.unanswered_revenue_days,
            n_1.page_view_days,
            n_1.unanswered_page_view_days
           FROM ops.download_days n_1
        ), waiting AS MATERIALIZED (
         SELECT COALESCE(range_agg(daterange(n_1.window_start, n_1.window_end)), '{}'::datemultirange) AS report_days
           FROM ops.slice n_1
          WHERE n_1.dataset = 'search_ads_report'::text AND (n_1.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text, 'failed'::text])) AND (n_1.scope ->> 'report_level'::text) = 'CAMPAIGN'::text AND (n_1.scope ->> 'grain'::text) = 'day'::text AND (n_1.scope ->> 'goal_id'::text) IS NULL AND NOT (EXISTS ( SELECT
                   FROM ops.search_ads_default d
                  WHERE (n_1.scope ->> 'currency'::text) <> d.currency OR (n_1.scope ->> 'attribution'::text) <> d.attribution))
        ), reported AS MATERIALIZED (
         SELECT COALESCE(range_agg(daterange(n_1.date_day, n_1.date_day + 1)), '{}'::datemultirange) AS days
           FROM ops.search_ads_answered_day n_1
        ), summed AS (
         SELECT o.store,
            o.track_id,
            o.app_name,
            o.country_code,
            o.country_name,
            c.region,
            o.period_kind,
            o.period_start,
            o.period_end - o.period_start AS period_day_count,
            datemultirange(daterange(o.period_start, o.period_end)) AS span,
            count(o.is_complete) AS requested_rank_days,
            count(*) FILTER (WHERE o.is_complete) AS rank_days,
            sum(o.review_count) AS review_count,
            sum(o.estimated_download_count) AS estimated_download_count,
            sum(o.estimated_revenue) AS estimated_revenue,
            sum(o.store_download_count) AS store_download_count,
            sum(o.store_revenue) AS store_revenue,
            sum(o.page_view_count) AS page_view_count,
            sum(o.search_ads_spend) AS search_ads_spend,
            max(o.search_ads_currency) AS search_ads_currency,
            sum(o.search_ads_install_count) AS search_ads_install_count,
            o.app_groups
           FROM ( SELECT 'week'::text AS period_kind,
                    date_trunc('week'::text, d.date_day::timestamp without time zone)::date AS period_start,
                    date_trunc('week'::text, d.date_day::timestamp without time zone)::date + 7 AS period_end,
                    d.store,
                    d.track_id,
                    d.app_name,
                    d.country_code,
                    d.country_name,
                    d.date_day,
                    d.requested_keyword_count,
                    d.answered_keyword_count,
                    d.is_complete,
                    d.ranked_keyword_count,
                    d.top_1_keyword_count,
                    d.top_3_keyword_count,
                    d.top_10_keyword_count,
                    d.average_rank,
                    d.voice_share,
                    d.visibility_score,
                    d.best_category_rank,
                    d.rating,
                    d.rating_count,
                    d.review_count,
                    d.average_review_rating,
                    d.estimated_download_count,
                    d.estimated_revenue,
                    d.store_download_count,
                    d.store_revenue,
                    d.page_view_count,
                    d.search_ads_spend,
                    d.search_ads_currency,
                    d.search_ads_install_count,
                    d.search_ads_reporting_spend,
                    d.reporting_currency,
                    d.is_category_rank_answered,
                    d.is_estimate_answered,
                    d.is_store_answered,
                    d.is_review_answered,
                    d.is_rating_answered,
                    d.is_search_ads_answered,
                    d.app_groups
                   FROM mart.app_overview_daily d
                UNION ALL
                 SELECT 'month'::text,
                    date_trunc('month'::text, d.date_day::timestamp without time zone)::date AS date_trunc,
                    (date_trunc('month'::text, d.date_day::timestamp without time zone) + '1 mon'::interval)::date AS date,
                    d.store,
                    d.track_id,
                    d.app_name,
                    d.country_code,
                    d.country_name,
                    d.date_day,
                    d.requested_keyword_count,
                    d.answered_keyword_count,
                    d.is_complete,
                    d.ranked_keyword_count,
                    d.top_1_keyword_count,
                    d.top_3_keyword_count,
                    d.top_10_keyword_count,
                    d.average_rank,
                    d.voice_share,
                    d.visibility_score,
                    d.best_category_rank,
                    d.rating,
                    d.rating_count,
                    d.review_count,
                    d.average_review_rating,
                    d.estimated_download_count,
                    d.estimated_revenue,
                    d.store_download_count,
                    d.store_revenue,
                    d.page_view_count,
                    d.search_ads_spend,
                    d.search_ads_currency,
                    d.search_ads_install_count,
                    d.search_ads_reporting_spend,
                    d.reporting_currency,
                    d.is_category_rank_answered,
                    d.is_estimate_answered,
                    d.is_store_answered,
                    d.is_review_answered,
                    d.is_rating_answered,
                    d.is_search_ads_answered,
                    d.app_groups
                   FROM mart.app_overview_daily d) o
             JOIN core.dim_country c ON c.country_code = o.country_code
          GROUP BY o.store, o.track_id, o.app_name, o.country_code, o.country_name, c.region, o.period_kind, o.period_start, o.period_end, o.app_groups
        )
 SELECT s.store,
    s.track_id,
    s.app_name,
    s.country_code,
    s.country_name,
    s.region,
    s.period_kind,
    s.period_start,
    s.period_day_count,
    s.rank_days AS rank_day_count,
    n.review_days AS review_day_count,
    s.review_count,
    n.estimate_days AS estimate_day_count,
    s.estimated_download_count,
    s.estimated_revenue,
    n.store_days AS store_day_count,
    s.store_download_count,
    n.revenue_days AS store_revenue_day_count,
    s.store_revenue,
    n.page_view_days AS page_view_day_count,
    s.page_view_count,
    n.search_ads_days AS search_ads_day_count,
    s.search_ads_spend,
    s.search_ads_currency,
    s.search_ads_install_count,
    (s.requested_rank_days = 0 OR s.rank_days = s.period_day_count) AND (n.review_days = s.period_day_count OR n.review_days = 0 AND s.review_count IS NULL AND NOT n.are_reviews_waiting) AND (n.estimate_days = s.period_day_count OR n.estimate_days = 0 AND s.estimated_download_count IS NULL AND NOT n.are_estimates_waiting) AND (n.store_days = s.period_day_count OR n.store_days = 0 AND s.store_download_count IS NULL AND NOT n.are_downloads_waiting) AND (n.revenue_days = s.period_day_count OR n.revenue_days = 0 AND s.store_revenue IS NULL AND NOT n.is_revenue_waiting) AND (n.page_view_days = s.period_day_count OR n.page_view_days = 0 AND s.page_view_count IS NULL AND NOT n.are_page_views_waiting) AND (s.store <> 'ios'::text OR n.search_ads_days = s.period_day_count OR n.search_ads_days = 0 AND s.search_ads_spend IS NULL AND NOT n.are_reports_waiting) AS is_complete,
    s.app_groups
   FROM summed s
     LEFT JOIN answered a ON a.store = s.store AND a.track_id = s.track_id AND a.country_code = s.country_code
     LEFT JOIN answered e ON e.store = s.store AND e.track_id = s.track_id AND e.country_code IS NULL
     LEFT JOIN ops.review_days q ON q.store = s.store AND q.track_id = s.track_id AND q.country_code = s.country_code
     CROSS JOIN waiting r
     CROSS JOIN reported p
     CROSS JOIN LATERAL ( SELECT COALESCE(a.unestimated_days, '{}'::datemultirange) * s.span AS unestimated_days,
            (COALESCE(a.unreported_days, '{}'::datemultirange) + COALESCE(e.unreported_days, '{}'::datemultirange)) * s.span AS unreported_days,
            (COALESCE(a.unanswered_revenue_days, '{}'::datemultirange) + COALESCE(e.unanswered_revenue_days, '{}'::datemultirange)) * s.span AS unanswered_revenue_days,
            (COALESCE(a.unanswered_page_view_days, '{}'::datemultirange) + COALESCE(e.unanswered_page_view_days, '{}'::datemultirange)) * s.span AS unanswered_page_view_days) w
     CROSS JOIN LATERAL ( SELECT ops.day_count(q.days * s.span) AS review_days,
            ops.day_count((COALESCE(a.estimated_days, '{}'::datemultirange) + COALESCE(e.estimated_days, '{}'::datemultirange)) * s.span - w.unestimated_days) AS estimate_days,
            ops.day_count((COALESCE(a.reported_days, '{}'::datemultirange) + COALESCE(e.reported_days, '{}'::datemultirange)) * s.span - w.unreported_days) AS store_days,
            ops.day_count((COALESCE(a.revenue_days, '{}'::datemultirange) + COALESCE(e.revenue_days, '{}'::datemultirange)) * s.span - w.unanswered_revenue_days) AS revenue_days,
            ops.day_count((COALESCE(a.page_view_days, '{}'::datemultirange) + COALESCE(e.page_view_days, '{}'::datemultirange)) * s.span - w.unanswered_page_view_days) AS page_view_days,
            COALESCE(q.unanswered_days && s.span, false) AS are_reviews_waiting,
            r.report_days && s.span AS are_reports_waiting,
            NOT isempty(w.unestimated_days) AS are_estimates_waiting,
            NOT isempty(w.unreported_days) AS are_downloads_waiting,
            NOT isempty(w.unanswered_revenue_days) AS is_revenue_waiting,
            NOT isempty(w.unanswered_page_view_days) AS are_page_views_waiting,
                CASE
                    WHEN s.store = 'ios'::text THEN ops.day_count(p.days * s.span)
                    ELSE 0::bigint
                END AS search_ads_days) n;

-- One row per portfolio app, country and day with any figure or with requested ranks: searches, charts, ratings, reviews, downloads and search ads side by side. A figure that was not requested is null. Counts, revenue and spend may be added up across apps, countries and days, except rating_count over days. Never add up ALL with countries, and never shares, ranks or scores. The store's figures added up over countries may be less than their total over all countries, which is in core.fact_sales_metric (is_total). How did the app do yesterday? What else changed on the day when downloads fell?
create view mart.app_overview_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL for figures over all countries together, such as ratings and reviews on Android.
  country_name text, -- Name of the country.
  date_day date, -- The day.
  requested_keyword_count numeric, -- Requested keywords (iPhone on iOS), whether they have an answer or not yet; without those whose rank was rejected (ops.reject), which mart.keyword_not_requested_daily names.
  answered_keyword_count numeric, -- Requested keywords with an answer, ranked or not.
  is_complete boolean, -- True when all requested keywords have an answer; if false, ranks and voice_share cover only some of them; null if no ranks were requested.
  ranked_keyword_count numeric, -- Requested keywords for which the app ranks.
  top_1_keyword_count numeric, -- Keywords for which the app is the first result.
  top_3_keyword_count numeric, -- Keywords for which the app is among the first 3 results.
  top_10_keyword_count numeric, -- Keywords for which the app is among the first 10 results.
  average_rank numeric, -- Average rank over the keywords for which the app ranks.
  voice_share numeric, -- Share of voice: the average of 1 / rank over the answered keywords, 0 to 1.
  visibility_score numeric, -- Visibility score in the searches of the store.
  best_category_rank numeric, -- Best place in any chart of any category on that day (iPhone on iOS), 1 is the top: the best best_category_rank of mart.category_rank_daily. Where only hourly ranks were requested, it is the rank of the best hour.
  rating numeric, -- Average rating as seen on that day on the page of the country, 1 to 5; on Android it is in the row for ALL.
  rating_count numeric, -- Number of ratings as seen on that day.
  review_count numeric, -- Reviews written on that day: 0 if they were requested and there are none, null if they were not requested; only a part of them while is_review_answered is false.
  average_review_rating numeric, -- Average stars of these reviews.
  estimated_download_count numeric, -- Downloads as the service estimates them (iOS): for all devices together, else the sum over the devices with a figure for the day.
  estimated_revenue numeric, -- Revenue as the service estimates it (iOS), without a currency.
  store_download_count numeric, -- Downloads as the store reported them to the account (its own apps): for all devices together, else the sum over the devices with a figure for the day.
  store_revenue numeric, -- Revenue as the store reported it to the account, without a currency.
  page_view_count numeric, -- Views of the page in the store, as the store reported them to the account.
  search_ads_spend numeric, -- Money spent on search ads in the country (level CAMPAIGN), in search_ads_currency.
  search_ads_currency text, -- Currency of search_ads_spend: that of ops.search_ads_default.
  search_ads_install_count numeric, -- Installs from search ads, with the attribution of ops.search_ads_default.
  search_ads_reporting_spend numeric, -- The same spend in reporting_currency, by the rates that the user loads, converted from each organisation's own currency if the service reports it; null if there is no rate for a part of it.
  reporting_currency text, -- The reporting currency, from core.reporting_currency; null until there is one, and without spend.
  is_category_rank_answered boolean, -- True if places in charts were requested for the day and each requested chart version has an answer; a null best_category_rank then means that the app was in no chart. False if they were not requested, or while a chart version has no answer yet: best_category_rank then covers only the others. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.
  is_estimate_answered boolean, -- True if the estimates of the day were requested and each requested device has an answer; a null estimated_download_count then means that the service has no estimate. False if they were not requested, or while a device has no answer yet: estimated_download_count then covers only the other devices. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.
  is_store_answered boolean, -- True if the downloads reported by the store were requested for the day and each requested device has an answer; a null store_download_count then means that the store reports none for the country, though it may report a total for all countries. False if they were not requested, or while a device has no answer yet: store_download_count then covers only the other devices. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.
  is_review_answered boolean, -- True if the reviews of the day were requested and there is an answer for all of them (is_answered in mart.review_daily).
  is_rating_answered boolean, -- True if the page of the app was requested on the day and has an answer; a null rating then means that the page shows none. False if it was not requested or has no answer: a past day cannot be requested later.
  is_search_ads_answered boolean, -- True if search-ads reports were requested for the day and each organisation has an answer; a null search_ads_spend then means that the reports have nothing about the app in the country. False if they were not requested, while an organisation has no answer yet, and on Android.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    o.date_day,
    o.answered + o.unanswered AS requested_keyword_count,
    o.answered AS answered_keyword_count,
    o.unanswered = 0::numeric AS is_complete,
    o.ranked AS ranked_keyword_count,
    o.top_1 AS top_1_keyword_count,
    o.top_3 AS top_3_keyword_count,
    o.top_10 AS top_10_keyword_count,
    round(o.rank_sum / NULLIF(o.ranked, 0::numeric), 2) AS average_rank,
    round(o.voice_sum / NULLIF(o.answered, 0::numeric), 6) AS voice_share,
    o.visibility AS visibility_score,
    o.category_rank AS best_category_rank,
    o.rating,
    o.rating_count,
    COALESCE(o.reviews,
        CASE
            WHEN q.days @> o.date_day THEN 0
            ELSE NULL::integer
        END::numeric) AS review_count,
    round(o.review_sum / NULLIF(o.rated, 0::numeric), 4) AS average_review_rating,
    o.downloads AS estimated_download_count,
    o.revenue AS estimated_revenue,
    o.store_downloads AS store_download_count,
    o.store_revenue,
    o.views AS page_view_count,
    o.spend AS search_ads_spend,
        CASE
            WHEN o.spend IS NOT NULL THEN m.currency
            ELSE NULL::text
        END AS search_ads_currency,
    o.installs AS search_ads_install_count,
        CASE
            WHEN o.unconverted = 0 THEN o.reporting_spend
            ELSE NULL::numeric
        END AS search_ads_reporting_spend,
        CASE
            WHEN o.spend IS NOT NULL THEN y.currency
            ELSE NULL::text
        END AS reporting_currency,
    (o.category_rank IS NOT NULL OR COALESCE(k.answered_days @> o.date_day, false)) AND NOT COALESCE(k.unanswered_days @> o.date_day, false) AS is_category_rank_answered,
    (COALESCE(e.estimated_days @> o.date_day, false) OR COALESCE(t.estimated_days @> o.date_day, false)) AND NOT COALESCE(e.unestimated_days @> o.date_day, false) AS is_estimate_answered,
    (COALESCE(e.reported_days @> o.date_day, false) OR COALESCE(t.reported_days @> o.date_day, false)) AND NOT COALESCE(e.unreported_days @> o.date_day, false) AND NOT COALESCE(t.unreported_days @> o.date_day, false) AS is_store_answered,
    COALESCE(q.days @> o.date_day, false) AS is_review_answered,
    o.rating_answers > 0 AS is_rating_answered,
    a.store = 'ios'::text AND (o.date_day IN ( SELECT n.date_day
           FROM ops.search_ads_answered_day n)) AS is_search_ads_answered,
    ag.app_groups
   FROM ops.portfolio_app a
     CROSS JOIN LATERAL ( SELECT u.country_key,
            u.date_day,
            sum(u.answered) AS answered,
            sum(u.unanswered) AS unanswered,
            max(u.ranked) AS ranked,
            max(u.top_1) AS top_1,
            max(u.top_3) AS top_3,
            max(u.top_10) AS top_10,
            max(u.rank_sum) AS rank_sum,
            max(u.voice_sum) AS voice_sum,
            max(u.visibility) AS visibility,
            min(u.category_rank) AS category_rank,
            max(u.rating) AS rating,
            max(u.rating_count) AS rating_count,
            max(u.reviews) AS reviews,
            max(u.review_sum) AS review_sum,
            max(u.rated) AS rated,
            max(u.downloads) AS downloads,
            max(u.revenue) AS revenue,
            max(u.store_downloads) AS store_downloads,
            max(u.store_revenue) AS store_revenue,
            max(u.views) AS views,
            max(u.spend) AS spend,
            max(u.installs) AS installs,
            max(u.reporting_spend) AS reporting_spend,
            max(u.unconverted) AS unconverted,
            count(u.rating_answer) AS rating_answers
           FROM ( SELECT f.country_key,
                    f.date_day,
                    f.answered_keyword_count::numeric AS answered,
                    0::numeric AS unanswered,
                    f.ranked_keyword_count::numeric AS ranked,
                    f.top_1_keyword_count::numeric AS top_1,
                    f.top_3_keyword_count::numeric AS top_3,
                    f.top_10_keyword_count::numeric AS top_10,
                    f.rank_sum::numeric AS rank_sum,
                    f.voice_billionths::numeric / 1000000000.0 AS voice_sum,
                    NULL::numeric AS visibility,
                    NULL::numeric AS category_rank,
                    NULL::numeric AS rating,
                    NULL::numeric AS rating_count,
                    NULL::numeric AS reviews,
                    NULL::numeric AS review_sum,
                    NULL::numeric AS rated,
                    NULL::numeric AS downloads,
                    NULL::numeric AS revenue,
                    NULL::numeric AS store_downloads,
                    NULL::numeric AS store_revenue,
                    NULL::numeric AS views,
                    NULL::numeric AS spend,
                    NULL::numeric AS installs,
                    NULL::numeric AS reporting_spend,
                    NULL::bigint AS unconverted,
                    NULL::integer AS rating_answer
                   FROM core.fact_keyword_rank_summary f
                  WHERE f.app_key = a.app_key AND (f.device_key = ANY (ARRAY[0, 1]))
                UNION ALL
                 SELECT c_1.country_key,
                    n.date_day,
                    0,
                    n.keyword_count,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::bigint,
                    NULL::integer
                   FROM ops.unanswered_keyword_daily n
                     JOIN core.dim_country c_1 ON c_1.country_code = n.country_code
                  WHERE n.store = a.store AND n.track_id = a.track_id
                UNION ALL
                 SELECT f.country_key,
                    f.date_day,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    COALESCE(max(f.score) FILTER (WHERE f.kind = 'history'::text), max(f.score)) AS "coalesce",
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::bigint,
                    NULL::integer
                   FROM core.fact_visibility f
                  WHERE f.app_key = a.app_key
                  GROUP BY f.country_key, f.date_day
                UNION ALL
                 SELECT f.country_key,
                    f.date_day,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    min(f.rank) AS min,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::bigint,
                    NULL::integer
                   FROM ops.counted_category_rank f
                  WHERE f.app_key = a.app_key AND (f.device_key = ANY (ARRAY[0, 1]))
                  GROUP BY f.country_key, f.date_day
                UNION ALL
                 SELECT f.country_key,
                    f.date_day,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    (array_agg(f.rating ORDER BY f.rating_count DESC NULLS LAST))[1] AS array_agg,
                    max(f.rating_count) AS max,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::bigint,
                    1
                   FROM core.fact_app_rating f
                  WHERE f.app_key = a.app_key
                  GROUP BY f.country_key, f.date_day
                UNION ALL
                 SELECT f.country_key,
                    f.reviewed_at::date AS reviewed_at,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    count(*) AS count,
                    sum(f.rating) AS sum,
                    count(f.rating) AS count,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::bigint,
                    NULL::integer
                   FROM ops.counted_review f
                  WHERE f.app_key = a.app_key
                  GROUP BY f.country_key, (f.reviewed_at::date)
                UNION ALL
                 SELECT f.country_key,
                    f.date_day,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    COALESCE(max(f.download_count) FILTER (WHERE f.is_total), sum(f.download_count) FILTER (WHERE NOT f.is_total)) AS "coalesce",
                    COALESCE(max(f.revenue) FILTER (WHERE f.is_total), sum(f.revenue) FILTER (WHERE NOT f.is_total)) AS "coalesce",
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::bigint,
                    NULL::integer
                   FROM core.fact_download_revenue f
                  WHERE f.app_key = a.app_key
                  GROUP BY f.country_key, f.date_day
                UNION ALL
                 SELECT f.country_key,
                    f.date_day,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    COALESCE(max(f.units) FILTER (WHERE f.context = 'DOWNLOAD'::text AND f.device_key = 0), sum(f.units) FILTER (WHERE f.context = 'DOWNLOAD'::text AND f.device_key <> 0)) AS "coalesce",
                    COALESCE(max(f.units) FILTER (WHERE f.context = 'REVENUE_TOTAL'::text AND f.device_key = 0), sum(f.units) FILTER (WHERE f.context = 'REVENUE_TOTAL'::text AND f.device_key <> 0)) AS "coalesce",
                    COALESCE(max(f.units) FILTER (WHERE f.context = 'PAGE_VIEW'::text AND f.device_key = 0), sum(f.units) FILTER (WHERE f.context = 'PAGE_VIEW'::text AND f.device_key <> 0)) AS "coalesce",
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::bigint,
                    NULL::integer
                   FROM core.fact_sales_metric f
                  WHERE f.app_key = a.app_key AND NOT f.is_total
                  GROUP BY f.country_key, f.date_day
                UNION ALL
                 SELECT f.country_key,
                    f.period_start,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    sum(f.spend) AS sum,
                    sum(f.install_count) AS sum,
                    sum(v.spend) AS sum,
                    count(*) FILTER (WHERE f.spend IS NOT NULL AND v.spend IS NULL) AS count,
                    NULL::integer
                   FROM core.fact_search_ads_report f
                     LEFT JOIN ops.search_ads_own_currency i ON i.org_id = f.org_id
                     CROSS JOIN LATERAL ( SELECT
                                CASE
                                    WHEN (f.original ->> 'spend'::text) ~ '^-?[0-9]+([.][0-9]+)?$'::text THEN (f.original ->> 'spend'::text)::numeric
                                    ELSE NULL::numeric
                                END AS spend) w
                     CROSS JOIN LATERAL ( SELECT round(
                                CASE
                                    WHEN w.spend IS NULL OR i.currency IS NULL THEN core.in_reporting_currency(f.spend, f.currency, f.period_start)
                                    ELSE core.in_reporting_currency(w.spend, i.currency, f.period_start)
                                END, 4) AS spend) v
                  WHERE f.app_key = a.app_key AND f.report_level = 'CAMPAIGN'::text AND f.grain = 'day'::text AND f.goal_id = ''::text AND NOT f.is_total AND f.currency = (( SELECT n.currency
                           FROM ops.search_ads_default n)) AND f.attribution = (( SELECT n.attribution
                           FROM ops.search_ads_default n))
                  GROUP BY f.country_key, f.period_start) u
          GROUP BY u.country_key, u.date_day) o
     JOIN core.dim_country c ON c.country_key = o.country_key
     LEFT JOIN ops.review_days q ON q.store = a.store AND q.track_id = a.track_id AND q.country_code = c.country_code
     LEFT JOIN ( SELECT v.store,
            v.track_id,
            v.country_code,
            range_agg(v.answered_days) AS answered_days,
            range_agg(v.unanswered_days) AS unanswered_days
           FROM ( SELECT n.store,
                    n.track_id,
                    n.country_code,
                    range_agg(n.answered_days) AS answered_days,
                    range_agg(n.unanswered_days) - COALESCE(range_agg(n.answered_days) FILTER (WHERE (n.scope ->> 'resolution'::text) = 'daily'::text), '{}'::datemultirange) AS unanswered_days
                   FROM ops.partition_days n
                  WHERE n.dataset = 'category_rank'::text
                  GROUP BY n.store, n.track_id, n.country_code, (n.scope ->> 'chart_version'::text)) v
          GROUP BY v.store, v.track_id, v.country_code) k ON k.store = a.store AND k.track_id = a.track_id AND k.country_code = c.country_code
     LEFT JOIN ops.download_days e ON e.store = a.store AND e.track_id = a.track_id AND e.country_code = c.country_code
     LEFT JOIN ops.download_days t ON t.store = a.store AND t.track_id = a.track_id AND t.country_code IS NULL
     LEFT JOIN ops.search_ads_default m ON true
     LEFT JOIN core.reporting_currency y ON true
     LEFT JOIN ops.app_groups ag ON ag.store = a.store AND ag.track_id = a.track_id;

-- One row per change of an app's page in the store, by country, language, day, source and property: title, subtitle, description, screenshots, price, version ... It covers the apps in the portfolio: list a competitor in portfolio.apps to see its changes. The subtitle needs the dataset app_change. Rows with is_main_source may be counted. What did a competitor change this month? What changed on the page before downloads rose?
create view mart.app_page_change (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  is_competitor boolean, -- True for an app that the account names as a competitor now.
  country_code text, -- Country of the page, ISO 3166-1 alpha-2; ALL on Android, where pages differ by language.
  country_name text, -- Name of the country.
  language_code text, -- Language of the page (Android); empty on iOS.
  date_day date, -- Day on which the change was first seen (source page), or day of the release.
  change_source text, -- page: two visits to the page differ; release: a new version; release detail: a change that the service reports with a release (dataset app_change). One change may have a row for each source, on different days: is_main_source picks one.
  property text, -- title, description, screenshots, price, icon, video, category, developer, in-app products, removed, version, and others that release details name, such as subtitle.
  change_number bigint, -- Number of the change among those of this property on this day by this source, 1 for the first: an app may have several releases on one day.
  old_value text, -- Value before; null if there was none or the service does not report it.
  new_value text, -- Value after; null if there is none.
  is_main_source boolean -- True for the source from which a change of this property counts once: release for version, page for what the page shows, else release detail.
) as
 WITH change AS (
         SELECT h.app_key,
            h.country_key,
            h.language_code,
            h.valid_from AS date_day,
            'page'::text AS change_source,
            v.property,
            1::bigint AS change_number,
            v.old_value,
            v.new_value
           FROM core.app_history h
             JOIN LATERAL ( SELECT p_1.app_key,
                    p_1.country_key,
                    p_1.language_code,
                    p_1.valid_from,
                    p_1.valid_to,
                    p_1.is_current,
                    p_1.app_name,
                    p_1.developer_id,
                    p_1.developer_name,
                    p_1.price_text,
                    p_1.icon_url,
                    p_1.category_id,
                    p_1.category_name,
                    p_1.version,
                    p_1.updated_at,
                    p_1.description,
                    p_1.screenshots,
                    p_1.whats_new,
                    p_1.has_in_app_purchases,
                    p_1.in_app_products,
                    p_1.is_removed,
                    p_1.released_at,
                    p_1.available_countries,
                    p_1.file_size,
                    p_1.install_range,
                    p_1.has_top_developer_badge,
                    p_1.support_url,
                    p_1.store_url,
                    p_1.owner_email,
                    p_1.video_url,
                    p_1.video_frame_url,
                    p_1.last_modified_at,
                    p_1.similar_apps,
                    p_1.rating,
                    p_1.rating_count,
                    p_1.ratings_by_star,
                    p_1.extra,
                    p_1.slice_id,
                    p_1.fetched_at
                   FROM core.app_history p_1
                  WHERE p_1.app_key = h.app_key AND p_1.country_key = h.country_key AND p_1.language_code = h.language_code AND p_1.valid_from < h.valid_from
                  ORDER BY p_1.valid_from DESC
                 LIMIT 1) p ON true
             CROSS JOIN LATERAL ( VALUES ('title'::text,p.app_name,h.app_name), ('description'::text,p.description,h.description), ('screenshots'::text,p.screenshots::text,h.screenshots::text), ('price'::text,p.price_text,h.price_text), ('icon'::text,p.icon_url,h.icon_url), ('video'::text,p.video_url,h.video_url), ('category'::text,p.category_name,h.category_name), ('developer'::text,p.developer_name,h.developer_name), ('in-app products'::text,p.in_app_products,h.in_app_products), ('removed'::text,p.is_removed::text,h.is_removed::text)) v(property, old_value, new_value)
          WHERE v.old_value IS DISTINCT FROM v.new_value
        UNION ALL
         SELECT r.app_key,
            r.country_key,
            r.language_code,
            r.version_at::date AS version_at,
            'release'::text,
            'version'::text,
            row_number() OVER (PARTITION BY r.app_key, r.country_key, r.language_code, (r.version_at::date) ORDER BY r.version_at, r.version) AS row_number,
            NULLIF(r.before_version, ''::text) AS "nullif",
            NULLIF(r.version, ''::text) AS "nullif"
           FROM ( SELECT v.app_key,
                    v.country_key,
                    v.language_code,
                    v.version_at,
                    v.version,
                    v.release_notes,
                    v.differences,
                    v.extra,
                    v.slice_id,
                    v.fetched_at,
                    lag(v.version) OVER (PARTITION BY v.app_key, v.country_key, v.language_code ORDER BY v.version_at, v.version) AS before_version
                   FROM core.app_version v) r
          WHERE r.version = ''::text OR r.version IS DISTINCT FROM r.before_version
        UNION ALL
         SELECT g_1.app_key,
            g_1.country_key,
            g_1.language_code,
            g_1.version_at::date AS version_at,
            'release detail'::text,
                CASE g_1.property
                    WHEN 'SUB_TITLE'::text THEN 'subtitle'::text
                    ELSE lower(replace(g_1.property, '_'::text, ' '::text))
                END AS lower,
            row_number() OVER (PARTITION BY g_1.app_key, g_1.country_key, g_1.language_code, (g_1.version_at::date), g_1.property ORDER BY g_1.version_at, g_1.version) AS row_number,
            g_1.old_value #>> '{}'::text[],
            g_1.new_value #>> '{}'::text[]
           FROM core.app_change g_1
        )
 SELECT a.store,
    a.track_id,
    a.app_name,
    (EXISTS ( SELECT
           FROM core.tracked_competitor t
          WHERE t.competitor_app_key = g.app_key AND t.valid_to IS NULL)) AS is_competitor,
    c.country_code,
    c.country_name,
    g.language_code,
    g.date_day,
    g.change_source,
    g.property,
    g.change_number,
    g.old_value,
    g.new_value,
    g.change_source <> 'release detail'::text OR (g.property <> ALL (ARRAY['title'::text, 'description'::text, 'screenshots'::text, 'price'::text, 'icon'::text, 'video'::text, 'category'::text, 'developer'::text, 'in-app products'::text, 'removed'::text, 'version'::text, 'name'::text])) AND NOT (a.store = 'android'::text AND (g.property = ANY (ARRAY['video previews'::text, 'inapp products'::text]))) AND NOT (a.store = 'ios'::text AND (g.property = ANY (ARRAY['developer name'::text, 'primary category id'::text]))) AS is_main_source
   FROM change g
     JOIN core.dim_app a ON a.app_key = g.app_key
     JOIN core.dim_country c ON c.country_key = g.country_key;

-- One row per change of a bid, currency and attribution of the reports: the figures of the 7 days before and of the 7 days after. Choose one currency (is_primary_currency) and attribution (is_default_attribution). Counts and money may be added up across changes with a nearby_change_count of 0. Nothing may be added up for the others, because the same days count for several changes. Did raising the bid lead to more installs? Which rules made taps more expensive?
create view mart.bid_change_impact (
  org_id text, -- Search-ads organisation.
  org_name text, -- Name of the organisation; null, like all columns from reports, if no report covers the bid.
  track_id text, -- Advertised app.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL if reports name several countries or none.
  campaign_name text, -- Name of the campaign.
  ad_group_name text, -- Name of the ad group.
  entity_level text, -- Level of the bid: KEYWORD, AD_GROUP, CAMPAIGN; empty if the log does not report it; the bid is then treated as one for a keyword.
  entity_id text, -- Id of the keyword, ad group or campaign.
  keyword text, -- The keyword in words; null if the bid is not for a keyword.
  date_day date, -- Day of the change.
  changed_at timestamp without time zone, -- When it was changed, without time zone.
  change_number integer, -- Number of the change among those of this bid at this time, 1 for the first.
  bid_currency text, -- Currency of the two bids.
  old_bid numeric, -- Bid before, in bid_currency.
  new_bid numeric, -- Bid after, in bid_currency.
  bid_change_share numeric, -- Relative change of the bid: 0.1 means up 10 percent.
  change_source text, -- DASHBOARD (manual) or RULE.
  rule_name text, -- Rule that changed it; null if no rule did.
  nearby_change_count bigint, -- Number of other changes of this bid in the 7 days before and after. If above 0, the effect has several causes.
  currency text, -- Currency of the money in reports.
  attribution text, -- How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.
  is_primary_currency boolean, -- True for the currency with the most days of reports (ops.search_ads_default).
  is_default_attribution boolean, -- True for the attribution with the most days of reports (ops.search_ads_default).
  before_day_count bigint, -- Days with reports among the 7 days before; fewer than 7 if no advertisement ran or no report was requested.
  after_day_count bigint, -- Days with reports among the 7 days after; fewer than 7 if no advertisement ran, no report was requested, or the 7 days are not over.
  before_spend numeric, -- Money spent, in currency, in the 7 days before, without the day of the change.
  after_spend numeric, -- Money spent, in currency, in the 7 days after, without the day of the change.
  before_impression_count numeric, -- Impressions in the 7 days before, without the day of the change.
  after_impression_count numeric, -- Impressions in the 7 days after, without the day of the change.
  before_tap_count numeric, -- Taps in the 7 days before, without the day of the change.
  after_tap_count numeric, -- Taps in the 7 days after, without the day of the change.
  before_install_count numeric, -- Installs in the 7 days before, without the day of the change.
  after_install_count numeric, -- Installs in the 7 days after, without the day of the change.
  before_tap_through_share numeric, -- Taps per impression, 0 to 1, in the 7 days before, without the day of the change.
  after_tap_through_share numeric, -- Taps per impression, 0 to 1, in the 7 days after, without the day of the change.
  before_cost_per_tap numeric, -- Spend per tap, in currency, in the 7 days before, without the day of the change.
  after_cost_per_tap numeric, -- Spend per tap, in currency, in the 7 days after, without the day of the change.
  before_cost_per_install numeric, -- Spend per install, in currency, in the 7 days before, without the day of the change.
  after_cost_per_install numeric, -- Spend per install, in currency, in the 7 days after, without the day of the change.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 WITH change AS (
         SELECT b_1.org_id,
            b_1.date_day,
            b_1.entity_level,
            b_1.entity_id,
            b_1.changed_at,
            b_1.ordinal,
            b_1.currency,
            b_1.old_value,
            b_1.new_value,
            b_1.source,
            b_1.rule_name,
            b_1.extra,
            b_1.slice_id,
            b_1.fetched_at,
                CASE b_1.entity_level
                    WHEN ''::text THEN 'KEYWORD'::text
                    ELSE b_1.entity_level
                END AS report_level,
            (( SELECT count(*) AS count
                   FROM core.fact_bid_change o
                  WHERE o.org_id = b_1.org_id AND o.entity_level = b_1.entity_level AND o.entity_id = b_1.entity_id AND o.date_day >= (b_1.date_day - 7) AND o.date_day <= (b_1.date_day + 7))) - 1 AS nearby_change_count
           FROM core.fact_bid_change b_1
        )
 SELECT b.org_id,
    m.org_name,
    m.track_id,
    m.app_name,
    m.country_code,
    m.campaign_name,
    m.ad_group_name,
    b.entity_level,
    b.entity_id,
    m.keyword,
    b.date_day,
    b.changed_at,
    b.ordinal AS change_number,
    b.currency AS bid_currency,
    b.old_value AS old_bid,
    b.new_value AS new_bid,
    round((b.new_value - b.old_value) / NULLIF(b.old_value, 0::numeric), 6) AS bid_change_share,
    b.source AS change_source,
    b.rule_name,
    b.nearby_change_count,
    m.currency,
    m.attribution,
    m.currency = (( SELECT s.currency
           FROM ops.search_ads_default s)) AS is_primary_currency,
    m.attribution = (( SELECT s.attribution
           FROM ops.search_ads_default s)) AS is_default_attribution,
    m.before_day_count,
    m.after_day_count,
    m.before_spend,
    m.after_spend,
    m.before_impression_count,
    m.after_impression_count,
    m.before_tap_count,
    m.after_tap_count,
    m.before_install_count,
    m.after_install_count,
    round(m.before_tap_count / NULLIF(m.before_impression_count, 0::numeric), 6) AS before_tap_through_share,
    round(m.after_tap_count / NULLIF(m.after_impression_count, 0::numeric), 6) AS after_tap_through_share,
    round(m.before_spend / NULLIF(m.before_tap_count, 0::numeric), 4) AS before_cost_per_tap,
    round(m.after_spend / NULLIF(m.after_tap_count, 0::numeric), 4) AS after_cost_per_tap,
    round(m.before_spend / NULLIF(m.before_install_count, 0::numeric), 4) AS before_cost_per_install,
    round(m.after_spend / NULLIF(m.after_install_count, 0::numeric), 4) AS after_cost_per_install,
    kg.keyword_groups,
    ag.app_groups
   FROM change b
     LEFT JOIN LATERAL ( SELECT f.currency,
            f.attribution,
            max(f.org_name) AS org_name,
            max(f.app_id) AS track_id,
            COALESCE(max(a.app_name), max(f.app_name)) AS app_name,
            max(f.campaign_name) AS campaign_name,
            max(f.ad_group_name) AS ad_group_name,
            max(k.keyword) AS keyword,
                CASE
                    WHEN min(f.country_key) = max(f.country_key) THEN max(c.country_code)
                    ELSE 'ALL'::text
                END AS country_code,
            count(DISTINCT f.period_start) FILTER (WHERE f.period_start < b.date_day) AS before_day_count,
            count(DISTINCT f.period_start) FILTER (WHERE f.period_start > b.date_day) AS after_day_count,
            sum(f.spend) FILTER (WHERE f.period_start < b.date_day) AS before_spend,
            sum(f.spend) FILTER (WHERE f.period_start > b.date_day) AS after_spend,
            sum(f.impression_count) FILTER (WHERE f.period_start < b.date_day) AS before_impression_count,
            sum(f.impression_count) FILTER (WHERE f.period_start > b.date_day) AS after_impression_count,
            sum(f.tap_count) FILTER (WHERE f.period_start < b.date_day) AS before_tap_count,
            sum(f.tap_count) FILTER (WHERE f.period_start > b.date_day) AS after_tap_count,
            sum(f.install_count) FILTER (WHERE f.period_start < b.date_day) AS before_install_count,
            sum(f.install_count) FILTER (WHERE f.period_start > b.date_day) AS after_install_count
           FROM core.fact_search_ads_report f
             JOIN core.dim_country c ON c.country_key = f.country_key
             LEFT JOIN core.dim_app a ON a.app_key = f.app_key
             LEFT JOIN core.dim_keyword k ON k.keyword_key = f.keyword_key
          WHERE f.org_id = b.org_id AND f.report_level = b.report_level AND f.grain = 'day'::text AND f.goal_id = ''::text AND NOT f.is_total AND f.period_start >= (b.date_day - 7) AND f.period_start <= (b.date_day + 7) AND b.entity_id =
                CASE b.report_level
                    WHEN 'KEYWORD'::text THEN f.keyword_id
                    WHEN 'AD_GROUP'::text THEN f.ad_group_id
                    WHEN 'CAMPAIGN'::text THEN f.campaign_id
                    ELSE NULL::text
                END
          GROUP BY f.currency, f.attribution) m ON true
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(m.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = 'ios'::text AND ag.track_id = m.track_id;

-- One row per app, country, device, category, chart, chart version and day: its place in the chart. Do not add up ranks: choose one device, category, chart and chart_version to average them. On a day without a row, the answer names no place or there is no answer: is_category_rank_answered in mart.app_overview_daily shows which. How do we rank in our category? In which countries are we in the top ten?
create view mart.category_rank_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  device_code text, -- IPHONE, IPAD, or ALL on Android.
  category_code text, -- Category: its id on iOS (36 is overall), its name on Android (OVERALL).
  category_name text, -- Name of the category.
  chart text, -- FREE, PAID or GROSSING.
  chart_version text, -- v1 or v2 of the iOS charts, which may both have a rank for the same chart; empty on Android, and on iOS if all countries were requested at once. Choose one.
  date_day date, -- Day of the rank.
  rank_resolution text, -- Source of the rank, the first available of: daily (the daily average that the service reports), hourly (the hourly ranks of the day), last_day (the newest day, from a request for all countries at once).
  category_rank numeric, -- Place in the chart, 1 is the top; an average over the day may have decimals. Null when the app was not in the chart.
  best_category_rank numeric, -- Best place of the day among the reported ranks.
  worst_category_rank numeric, -- Worst place of the day among the reported ranks.
  observation_count bigint -- Number of reported ranks of the day.
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    d.device_code,
    f.category_code,
    max(f.category_name) AS category_name,
    f.chart,
    f.chart_version,
    f.date_day,
    f.resolution AS rank_resolution,
    round(avg(f.rank), 2) AS category_rank,
    min(f.rank) AS best_category_rank,
    max(f.rank) AS worst_category_rank,
    count(f.rank) AS observation_count
   FROM ops.counted_category_rank f
     JOIN core.dim_app a ON a.app_key = f.app_key
     JOIN core.dim_country c ON c.country_key = f.country_key
     JOIN core.dim_device d ON d.device_key = f.device_key
  GROUP BY f.app_key, f.country_key, f.device_key, a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, f.category_code, f.chart, f.chart_version, f.date_day, f.resolution;

-- One row per app, country, device, category, chart, chart version and day: its place and the downloads of the app in that country on that day. The same downloads are repeated for each device, category and chart: choose one of each, and then downloads and revenue may be added up across apps, countries and days. How many downloads does a place in the top ten take? Do downloads lag the chart or lead it?
create view mart.category_rank_vs_downloads_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  device_code text, -- Device of the chart: IPHONE, IPAD, or ALL on Android. Downloads are for all devices.
  category_code text, -- Category: its id on iOS (36 is overall), its name on Android (OVERALL).
  category_name text, -- Name of the category.
  chart text, -- FREE, PAID or GROSSING.
  chart_version text, -- v1 or v2 of the iOS charts, which may both have a rank for the same chart; empty on Android, and on iOS if all countries were requested at once. Choose one.
  date_day date, -- The day.
  category_rank numeric, -- Place in the chart, 1 is the top; null when the app was not in the chart.
  estimated_download_count numeric, -- Downloads as the service estimates them (iOS): for all devices together, else the sum over the devices with a figure for the day; null if not requested.
  estimated_revenue numeric, -- Revenue as the service estimates it (iOS), without a currency: for all devices together, else the sum over the devices with a figure for the day.
  store_download_count numeric, -- Downloads as the store reported them to the account (its own apps): for all devices together, else the sum over the devices with a figure for the day; null if not requested.
  store_revenue numeric, -- Revenue as the store reported it to the account (its own apps), without a currency: for all devices together, else the sum over the devices with a figure for the day.
  is_estimate_answered boolean, -- True if the estimates of the day were requested and each requested device has an answer; a null estimated_download_count then means that the service has no estimate. False if they were not requested, or while a device has no answer yet: estimated_download_count then covers only the other devices. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.
  is_store_answered boolean -- True if the downloads reported by the store were requested for the day and each requested device has an answer; a null store_download_count then means that the store reports none for the country, though it may report a total for all countries. False if they were not requested, or while a device has no answer yet: store_download_count then covers only the other devices. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    r.country_code,
    r.country_name,
    d.device_code,
    r.category_code,
    r.category_name,
    r.chart,
    r.chart_version,
    r.date_day,
    r.category_rank,
    r.estimated_download_count,
    r.estimated_revenue,
    r.store_download_count,
    r.store_revenue,
    r.is_estimate_answered,
    r.is_store_answered
   FROM ops.charted_app p
     JOIN core.dim_app a ON a.app_key = p.app_key
     CROSS JOIN LATERAL ( SELECT c.country_code,
            c.country_name,
            u.device_key,
            u.category_code,
            u.category_name,
            u.chart,
            u.chart_version,
            u.date_day,
            u.category_rank,
            max(u.download_count) OVER of_day AS estimated_download_count,
            max(u.revenue) OVER of_day AS estimated_revenue,
            max(u.store_download_count) OVER of_day AS store_download_count,
            max(u.store_revenue) OVER of_day AS store_revenue,
            (COALESCE(q.estimated_days @> u.date_day, false) OR COALESCE(t.estimated_days @> u.date_day, false)) AND NOT COALESCE(q.unestimated_days @> u.date_day, false) AS is_estimate_answered,
            (COALESCE(q.reported_days @> u.date_day, false) OR COALESCE(t.reported_days @> u.date_day, false)) AND NOT COALESCE(q.unreported_days @> u.date_day, false) AND NOT COALESCE(t.unreported_days @> u.date_day, false) AS is_store_answered
           FROM ( SELECT f.country_key,
                    f.device_key,
                    f.category_code,
                    max(f.category_name) AS category_name,
                    f.chart,
                    f.chart_version,
                    f.date_day,
                    round(avg(f.rank), 2) AS category_rank,
                    NULL::numeric AS download_count,
                    NULL::numeric AS revenue,
                    NULL::numeric AS store_download_count,
                    NULL::numeric AS store_revenue
                   FROM ops.counted_category_rank f
                  WHERE f.app_key = p.app_key
                  GROUP BY f.country_key, f.date_day, f.device_key, f.category_code, f.chart, f.chart_version, f.resolution
                UNION ALL
                 SELECT f.country_key,
                    NULL::smallint,
                    NULL::text,
                    NULL::text,
                    NULL::text,
                    NULL::text,
                    f.date_day,
                    NULL::numeric,
                    COALESCE(max(f.download_count) FILTER (WHERE f.is_total), sum(f.download_count) FILTER (WHERE NOT f.is_total)) AS "coalesce",
                    COALESCE(max(f.revenue) FILTER (WHERE f.is_total), sum(f.revenue) FILTER (WHERE NOT f.is_total)) AS "coalesce",
                    NULL::numeric,
                    NULL::numeric
                   FROM core.fact_download_revenue f
                  WHERE f.app_key = p.app_key
                  GROUP BY f.country_key, f.date_day
                UNION ALL
                 SELECT f.country_key,
                    NULL::smallint,
                    NULL::text,
                    NULL::text,
                    NULL::text,
                    NULL::text,
                    f.date_day,
                    NULL::numeric,
                    NULL::numeric,
                    NULL::numeric,
                    COALESCE(max(f.units) FILTER (WHERE f.context = 'DOWNLOAD'::text AND f.device_key = 0), sum(f.units) FILTER (WHERE f.context = 'DOWNLOAD'::text AND f.device_key <> 0)) AS "coalesce",
                    COALESCE(max(f.units) FILTER (WHERE f.context = 'REVENUE_TOTAL'::text AND f.device_key = 0), sum(f.units) FILTER (WHERE f.context = 'REVENUE_TOTAL'::text AND f.device_key <> 0)) AS "coalesce"
                   FROM core.fact_sales_metric f
                  WHERE f.app_key = p.app_key AND NOT f.is_total
                  GROUP BY f.country_key, f.date_day) u
             JOIN core.dim_country c ON c.country_key = u.country_key
             LEFT JOIN ops.download_days q ON q.store = a.store AND q.track_id = a.track_id AND q.country_code = c.country_code
             LEFT JOIN ops.download_days t ON t.store = a.store AND t.track_id = a.track_id AND t.country_code IS NULL
          WINDOW of_day AS (PARTITION BY c.country_code, u.date_day)) r
     JOIN core.dim_device d ON d.device_key = r.device_key;

-- One row per chart (country, device, category, chart and chart_version), day and app that is in the chart or has left it since the previous list. Needs the dataset top_chart. Do not add up ranks: choose one chart to count rows by movement. Who entered the chart this week? Which competitor fell out of the top hundred?
create view mart.chart_movement_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app, or its track id if the name is missing.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  device_code text, -- IPHONE, IPAD, or ALL on Android.
  category_code text, -- Category: its id on iOS (36 is overall), its name on Android (OVERALL).
  category_name text, -- Name of the category.
  chart text, -- FREE, PAID or GROSSING.
  chart_version text, -- v1 or v2 of the iOS charts; empty on Android. Choose one.
  date_day date, -- Day of the chart.
  previous_day date, -- Day of the previous list: the day before, unless that has no answer; null for the first list. If a list is empty, all apps have left.
  chart_rank integer, -- Place in the chart, 1 is the top; null when the app has left.
  previous_chart_rank integer, -- Place in the previous list; null when the app was not in it.
  places_gained integer, -- Places gained since then, negative when lost; null if either place is null.
  movement text, -- entered, left, gained, lost or same; first list: there is no earlier list to compare with.
  is_portfolio_app boolean -- True for a portfolio app.
) as
 WITH RECURSIVE chart(category_code, country_key, chart) AS (
        ( SELECT f.category_code,
            f.country_key,
            f.chart
           FROM core.fact_top_chart f
          ORDER BY f.category_code, f.country_key, f.chart
         LIMIT 1)
        UNION ALL
         SELECT n_1.category_code,
            n_1.country_key,
            n_1.chart
           FROM chart p
             CROSS JOIN LATERAL ( SELECT f.category_code,
                    f.country_key,
                    f.chart
                   FROM core.fact_top_chart f
                  WHERE (ROW(f.category_code, f.country_key, f.chart) > ROW(p.category_code, p.country_key, p.chart))
                  ORDER BY f.category_code, f.country_key, f.chart
                 LIMIT 1) n_1
        ), empty_list AS MATERIALIZED (
         SELECT e_1.category_code,
            e_1.country_key,
            e_1.chart,
            e_1.device_key,
            e_1.chart_version,
            array_agg(e_1.date_day) AS days
           FROM ops.empty_chart e_1
          GROUP BY e_1.category_code, e_1.country_key, e_1.chart, e_1.device_key, e_1.chart_version
        )
 SELECT a.store,
    a.track_id,
    COALESCE(a.app_name, a.track_id) AS app_name,
    c.country_code,
    c.country_name,
    d.device_code,
    n.category_code,
    COALESCE(n.category_name, m.previous_category_name) AS category_name,
    n.chart,
    n.chart_version,
    n.date_day,
    l.previous_day,
    m.chart_rank,
    m.previous_chart_rank,
    m.previous_chart_rank - m.chart_rank AS places_gained,
        CASE
            WHEN l.previous_day IS NULL THEN 'first list'::text
            WHEN m.previous_chart_rank IS NULL THEN 'entered'::text
            WHEN m.chart_rank IS NULL THEN 'left'::text
            WHEN m.chart_rank < m.previous_chart_rank THEN 'gained'::text
            WHEN m.chart_rank > m.previous_chart_rank THEN 'lost'::text
            ELSE 'same'::text
        END AS movement,
    (EXISTS ( SELECT
           FROM ops.portfolio_app p
          WHERE p.app_key = m.app_key)) AS is_portfolio_app
   FROM chart h
     CROSS JOIN LATERAL ( SELECT h.category_code,
            h.country_key,
            h.chart,
            f.device_key,
            f.chart_version,
            f.date_day,
            max(f.category_name) AS category_name
           FROM ( SELECT o.device_key,
                    o.chart_version,
                    o.date_day,
                    o.category_name
                   FROM core.fact_top_chart o
                  WHERE o.category_code = h.category_code AND o.country_key = h.country_key AND o.chart = h.chart
                UNION ALL
                 SELECT e_1.device_key,
                    e_1.chart_version,
                    g.date_day,
                    NULL::text
                   FROM empty_list e_1
                     CROSS JOIN LATERAL unnest(e_1.days) g(date_day)
                  WHERE e_1.category_code = h.category_code AND e_1.country_key = h.country_key AND e_1.chart = h.chart) f
          GROUP BY f.date_day, f.device_key, f.chart_version) n
     LEFT JOIN empty_list e ON e.category_code = n.category_code AND e.country_key = n.country_key AND e.chart = n.chart AND e.device_key = n.device_key AND e.chart_version = n.chart_version
     CROSS JOIN LATERAL ( SELECT GREATEST(max(f.date_day), ( SELECT max(g.date_day) AS max
                   FROM unnest(e.days) g(date_day)
                  WHERE g.date_day < n.date_day)) AS previous_day
           FROM core.fact_top_chart f
          WHERE f.category_code = n.category_code AND f.country_key = n.country_key AND f.chart = n.chart AND f.date_day < n.date_day AND f.device_key = n.device_key AND f.chart_version = n.chart_version) l
     CROSS JOIN LATERAL ( SELECT COALESCE(t.app_key, y.app_key) AS app_key,
            t.rank AS chart_rank,
            y.rank AS previous_chart_rank,
            y.category_name AS previous_category_name
           FROM ( SELECT f.app_key,
                    f.rank
                   FROM core.fact_top_chart f
                  WHERE f.category_code = n.category_code AND f.country_key = n.country_key AND f.chart = n.chart AND f.date_day = n.date_day AND f.device_key = n.device_key AND f.chart_version = n.chart_version) t
             FULL JOIN ( SELECT f.app_key,
                    f.rank,
                    f.category_name
                   FROM core.fact_top_chart f
                  WHERE f.category_code = n.category_code AND f.country_key = n.country_key AND f.chart = n.chart AND f.date_day = l.previous_day AND f.device_key = n.device_key AND f.chart_version = n.chart_version) y ON y.app_key = t.app_key) m
     JOIN core.dim_app a ON a.app_key = m.app_key
     JOIN core.dim_country c ON c.country_key = n.country_key
     JOIN core.dim_device d ON d.device_key = n.device_key;

-- One row per day (UTC), account, app, country, dataset and class: the requests that were sent and the credits charged for them. Counts may be added up across everything, and their totals are those of credit_spend_daily. What does each app cost per month? Which country costs most?
create view mart.credit_spend_by_app_daily (
  date_day date, -- Day (UTC) of the answer.
  store text, -- ios or android; null for requests that are not about a store.
  track_id text, -- Track id of the app; null for requests about several apps or none, such as lists, charts and commands.
  app_name text, -- Name of the app, or its track id if no name is known; null if track_id is null.
  country_code text, -- Country, ISO 3166-1 alpha-2; null for requests about all countries or none.
  dataset text, -- Dataset; empty for requests that a command sent for a person.
  credit_class text, -- Class for which credits were held.
  account text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  request_count bigint, -- Requests.
  credit_count bigint -- Credits charged.
) as
 SELECT q.date_day,
    q.store,
    q.track_id,
    COALESCE(a.app_name, q.track_id) AS app_name,
    q.country_code,
    COALESCE(q.dataset, ''::text) AS dataset,
    q.class AS credit_class,
    COALESCE(c.account, ''::text) AS account,
    sum(q.request_count) AS request_count,
    sum(q.cost) AS credit_count
   FROM ( SELECT (request.received_at AT TIME ZONE 'UTC'::text)::date AS date_day,
            request.account_id,
            request.store,
            request.track_id,
            request.country_code,
            request.dataset,
            request.class,
            1 AS request_count,
            request.cost
           FROM ops.request
          WHERE request.account_id <> 'import'::text
        UNION ALL
         SELECT past_spend_daily.date_day,
            past_spend_daily.account_id,
            past_spend_daily.store,
            past_spend_daily.track_id,
            past_spend_daily.country_code,
            past_spend_daily.dataset,
            past_spend_daily.class,
            past_spend_daily.request_count,
            past_spend_daily.cost
           FROM ops.past_spend_daily
          WHERE past_spend_daily.account_id <> 'import'::text) q
     LEFT JOIN core.dim_app a ON a.store = q.store AND a.track_id = q.track_id
     LEFT JOIN ops.credit_account c ON c.account_id = q.account_id
  GROUP BY q.date_day, q.store, q.track_id, (COALESCE(a.app_name, q.track_id)), q.country_code, (COALESCE(q.dataset, ''::text)), q.class, (COALESCE(c.account, ''::text));

-- One row per day (UTC), account, dataset, operation and class: the requests that were sent (imported answers do not count) and the credits charged for them. Counts may be added up across everything. What did keyword ranks cost last month? On which day did we spend most?
create view mart.credit_spend_daily (
  date_day date, -- Day (UTC) of the answer.
  account text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  dataset text, -- Dataset; empty for requests that a command sent for a person.
  operation text, -- Operation of the API.
  credit_class text, -- Class for which credits were held.
  request_count bigint, -- Requests.
  failed_request_count bigint, -- Requests without a valid answer.
  credit_count bigint -- Credits charged.
) as
 SELECT date_day,
    account,
    dataset,
    operation,
    class AS credit_class,
    request_count,
    failed_request_count,
    booked_credits AS credit_count
   FROM ops.credit_spend_daily;

-- One row per requested dataset, app and country: its newest loaded day and the day that is due according to the timing of the dataset. open_slice_count may be added up across any rows; do not add up days. Can I trust yesterday's figures? Which apps are behind?
create view mart.data_freshness (
  dataset text, -- Dataset.
  store text, -- ios or android; null if the dataset is about the account.
  track_id text, -- Track id of the app; null if the dataset is not about an app.
  app_name text, -- Name of the app, or its track id if no name is known; null if the dataset is not about an app.
  country_code text, -- Country, ISO 3166-1 alpha-2; null if the dataset does not distinguish countries.
  newest_day date, -- Newest day that is loaded or empty; null when there is none. For charts that are requested for all countries at once (resolution last_day), which name no day, it is the newest day of their rows.
  due_day date, -- Newest day that should be loaded by the end of today; null if nothing is due: the dataset is off or limited to other countries, it is fetched only once, the app, country or competitor is no longer in the portfolio, or nothing has been planned yet. Also null for charts of all countries at once (resolution last_day): it is not known in advance which day the service has.
  days_behind integer, -- Days from newest_day to due_day; 1 on each day until its run is over. Null if nothing is loaded or due_day is null.
  freshness_state text, -- on time: the due day is loaded, or only today's run is missing; late: requested, but all or some of it has no answer yet; stopped: due since yesterday or longer, and not requested; nothing due: nothing is due, the service does not have it (unavailable), or all answers are empty and requests continue.
  last_loaded_at timestamp with time zone, -- When the last answer was loaded.
  open_slice_count bigint -- Number of slices that are waiting or running.
) as
 SELECT f.dataset,
    f.store,
    f.track_id,
    COALESCE(a.app_name, f.track_id) AS app_name,
    f.country_code,
    f.newest_day,
    f.due_day,
    f.days_behind,
    f.freshness_state,
    f.last_loaded_at,
    f.open_count AS open_slice_count
   FROM ops.freshness f
     LEFT JOIN core.dim_app a ON a.store = f.store AND a.track_id = f.track_id;

-- One row per portfolio app, country and calendar month with figures: downloads and revenue, and their change since the month before. The estimates need the dataset download_revenue (iOS). Counts and revenue may be added up across apps, countries and months. Never add estimates to the store's figures, and never add up shares. The store's figures added up over countries may be less than their total over all countries, which is in core.fact_sales_metric (is_total). Where do downloads grow? Which country had the most revenue last month?
create view mart.download_revenue_monthly (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  region text, -- Continent-sized region of the country, by UN M49.
  month_start date, -- First day of the month.
  month_day_count integer, -- Number of days in the month.
  estimated_day_count bigint, -- Days with estimated downloads; fewer than month_day_count if the month is not over or days are missing.
  estimated_download_count numeric, -- Downloads as the service estimates them (iOS), over these days.
  estimated_revenue numeric, -- Revenue as the service estimates it (iOS), without a currency.
  estimated_download_change_share numeric, -- Relative change since the month before: 0.1 means up 10 percent; null unless both months have all their days, with all requested devices.
  estimated_revenue_change_share numeric, -- Relative change of estimated_revenue since the month before: 0.1 means up 10 percent; null unless both months have an estimate of downloads for all their days, with all requested devices. A day whose estimate names no revenue adds none.
  store_day_count bigint, -- Days with downloads reported by the store.
  store_download_count numeric, -- Downloads as the store reported them to the account (its own apps), over these days.
  store_revenue numeric, -- Revenue as the store reported it to the account, without a currency.
  store_download_change_share numeric, -- Relative change since the month before: 0.1 means up 10 percent; null unless both months have all their days, with all requested devices.
  store_revenue_change_share numeric, -- Relative change of store_revenue since the month before: 0.1 means up 10 percent; null unless there is an answer about revenue for all days of both months, with all requested devices.
  estimate_answered_day_count bigint, -- Days of the month for which estimates were requested and each requested device has an answer. On the other days estimates were not requested, or a device has no answer yet: estimated_download_count then covers only the devices that have one.
  store_answered_day_count bigint -- Days of the month for which downloads reported by the store were requested and each requested device has an answer. If there are more of them than store_day_count, the rest have no figure. On the other days downloads were not requested, or a device has no answer yet: store_download_count then covers only the devices that have one.
) as
 WITH known AS NOT MATERIALIZED (
         SELECT p.app_key,
            p.store,
            p.track_id,
            p.app_name,
            LEAST(e_1.first_day, s.first_day) AS first_day,
            GREATEST(e_1.last_day, s.last_day) AS last_day
           FROM ops.portfolio_app p
             CROSS JOIN LATERAL ( SELECT min(f.date_day) AS first_day,
                    max(f.date_day) AS last_day
                   FROM core.fact_download_revenue f
                  WHERE f.app_key = p.app_key) e_1
             CROSS JOIN LATERAL ( SELECT min(f.date_day) AS first_day,
                    max(f.date_day) AS last_day
                   FROM core.fact_sales_metric f
                  WHERE f.app_key = p.app_key) s
        ), compared AS NOT MATERIALIZED (
         SELECT k.store,
            k.track_id,
            k.app_name,
            f.country_key,
            f.estimated_downloads,
            f.previous_estimated_downloads,
            f.estimated_revenue,
            f.previous_estimated_revenue,
            f.estimated_days,
            f.previous_estimated_days,
            f.store_downloads,
            f.previous_store_downloads,
            f.store_revenue,
            f.previous_store_revenue,
            f.store_days,
            f.previous_store_days,
            m_1.month_start,
            m_1.month_end - m_1.month_start AS day_count,
            m_1.month_start - m_1.previous_start AS previous_day_count
           FROM known k
             JOIN core.dim_date d ON d.date_day = d.month_start AND d.date_day >= date_trunc('month'::text, k.first_day::timestamp without time zone)::date AND d.date_day <= k.last_day
             CROSS JOIN LATERAL ( SELECT d.month_start,
                    (d.month_start + '1 mon'::interval)::date AS month_end,
                    (d.month_start - '1 mon'::interval)::date AS previous_start) m_1
             CROSS JOIN LATERAL ( SELECT n.country_key,
                    sum(n.estimated_downloads) FILTER (WHERE n.is_own) AS estimated_downloads,
                    sum(n.estimated_downloads) FILTER (WHERE NOT n.is_own) AS previous_estimated_downloads,
                    sum(n.estimated_revenue) FILTER (WHERE n.is_own) AS estimated_revenue,
                    sum(n.estimated_revenue) FILTER (WHERE NOT n.is_own) AS previous_estimated_revenue,
                    count(n.estimated_downloads) FILTER (WHERE n.is_own) AS estimated_days,
                    count(n.estimated_downloads) FILTER (WHERE NOT n.is_own) AS previous_estimated_days,
                    sum(n.store_downloads) FILTER (WHERE n.is_own) AS store_downloads,
                    sum(n.store_downloads) FILTER (WHERE NOT n.is_own) AS previous_store_downloads,
                    sum(n.store_revenue) FILTER (WHERE n.is_own) AS store_revenue,
                    sum(n.store_revenue) FILTER (WHERE NOT n.is_own) AS previous_store_revenue,
                    count(n.store_downloads) FILTER (WHERE n.is_own) AS store_days,
                    count(n.store_downloads) FILTER (WHERE NOT n.is_own) AS previous_store_days
                   FROM ( SELECT e_1.country_key,
                            e_1.date_day >= m_1.month_start AS is_own,
                            COALESCE(max(e_1.download_count) FILTER (WHERE e_1.is_total), sum(e_1.download_count) FILTER (WHERE NOT e_1.is_total)) AS estimated_downloads,
                            COALESCE(max(e_1.revenue) FILTER (WHERE e_1.is_total), sum(e_1.revenue) FILTER (WHERE NOT e_1.is_total)) AS estimated_revenue,
                            NULL::numeric AS store_downloads,
                            NULL::numeric AS store_revenue
                           FROM core.fact_download_revenue e_1
                          WHERE e_1.app_key = k.app_key AND e_1.date_day >= m_1.previous_start AND e_1.date_day < m_1.month_end
                          GROUP BY e_1.country_key, e_1.date_day
                        UNION ALL
                         SELECT s.country_key,
                            s.date_day >= m_1.month_start,
                            NULL::numeric,
                            NULL::numeric,
                            COALESCE(max(s.units) FILTER (WHERE s.context = 'DOWNLOAD'::text AND s.device_key = 0), sum(s.units) FILTER (WHERE s.context = 'DOWNLOAD'::text AND s.device_key <> 0)) AS "coalesce",
                            COALESCE(max(s.units) FILTER (WHERE s.context = 'REVENUE_TOTAL'::text AND s.device_key = 0), sum(s.units) FILTER (WHERE s.context = 'REVENUE_TOTAL'::text AND s.device_key <> 0)) AS "coalesce"
                           FROM core.fact_sales_metric s
                          WHERE s.app_key = k.app_key AND s.date_day >= m_1.previous_start AND s.date_day < m_1.month_end AND NOT s.is_total
                          GROUP BY s.country_key, s.date_day) n
                  GROUP BY n.country_key
                 HAVING bool_or(n.is_own)) f
        ), answered AS MATERIALIZED (
         SELECT n.store,
            n.track_id,
            n.country_code,
            n.estimated_days,
            n.unestimated_days,
            n.reported_days,
            n.unreported_days,
            n.revenue_days,
            n.unanswered_revenue_days,
            n.page_view_days,
            n.unanswered_page_view_days
           FROM ops.download_days n
        )
 SELECT m.store,
    m.track_id,
    m.app_name,
    c.country_code,
    c.country_name,
    c.region,
    m.month_start,
    m.day_count AS month_day_count,
    m.estimated_days AS estimated_day_count,
    m.estimated_downloads AS estimated_download_count,
    m.estimated_revenue,
        CASE
            WHEN w.are_estimates_whole THEN round(m.estimated_downloads / NULLIF(m.previous_estimated_downloads, 0::numeric) - 1::numeric, 6)
            ELSE NULL::numeric
        END AS estimated_download_change_share,
        CASE
            WHEN w.are_estimates_whole THEN round(m.estimated_revenue / NULLIF(m.previous_estimated_revenue, 0::numeric) - 1::numeric, 6)
            ELSE NULL::numeric
        END AS estimated_revenue_change_share,
    m.store_days AS store_day_count,
    m.store_downloads AS store_download_count,
    m.store_revenue,
        CASE
            WHEN w.are_sales_whole THEN round(m.store_downloads / NULLIF(m.previous_store_downloads, 0::numeric) - 1::numeric, 6)
            ELSE NULL::numeric
        END AS store_download_change_share,
        CASE
            WHEN w.is_revenue_whole THEN round(m.store_revenue / NULLIF(m.previous_store_revenue, 0::numeric) - 1::numeric, 6)
            ELSE NULL::numeric
        END AS store_revenue_change_share,
    ops.day_count((COALESCE(o.estimated_days, '{}'::datemultirange) + COALESCE(e.estimated_days, '{}'::datemultirange) - COALESCE(o.unestimated_days, '{}'::datemultirange)) * w.span) AS estimate_answered_day_count,
    ops.day_count((COALESCE(o.reported_days, '{}'::datemultirange) + COALESCE(e.reported_days, '{}'::datemultirange) - COALESCE(o.unreported_days, '{}'::datemultirange) - COALESCE(e.unreported_days, '{}'::datemultirange)) * w.span) AS store_answered_day_count
   FROM compared m
     JOIN core.dim_country c ON c.country_key = m.country_key
     LEFT JOIN answered o ON o.store = m.store AND o.track_id = m.track_id AND o.country_code = c.country_code
     LEFT JOIN answered e ON e.store = m.store AND e.track_id = m.track_id AND e.country_code IS NULL
     CROSS JOIN LATERAL ( SELECT datemultirange(daterange(m.month_start, m.month_start + m.day_count)) AS span,
            datemultirange(daterange(m.month_start - m.previous_day_count, m.month_start + m.day_count)) AS both_spans) b
     CROSS JOIN LATERAL ( SELECT b.span,
            m.estimated_days = m.day_count AND m.previous_estimated_days = m.previous_day_count AND NOT COALESCE(o.unestimated_days && b.both_spans, false) AS are_estimates_whole,
            m.store_days = m.day_count AND m.previous_store_days = m.previous_day_count AND NOT COALESCE(o.unreported_days && b.both_spans, false) AND NOT COALESCE(e.unreported_days && b.both_spans, false) AS are_sales_whole,
            b.both_spans <@ (COALESCE(o.revenue_days, '{}'::datemultirange) + COALESCE(e.revenue_days, '{}'::datemultirange) - COALESCE(o.unanswered_revenue_days, '{}'::datemultirange) - COALESCE(e.unanswered_revenue_days, '{}'::datemultirange)) AS is_revenue_whole) w;

-- One row per app, country, category, day and card on which the store showed the app (iOS). Needs the dataset featuring. Rows may be counted by any column. Where and when were we featured? In how many countries?
create view mart.featuring_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country of the store, ISO 3166-1 alpha-2; ALL if the answer names none.
  country_name text, -- Name of the country.
  category_code text, -- Id of the category whose page showed the app (36 is overall).
  date_day date, -- Day on which the card was shown.
  card_number integer, -- Number of the card within the day, country and category.
  card_type text, -- Kind of card as the service names it (FullImage, AppList, Grid ...).
  label text, -- Label above the title.
  title text, -- Title of the card.
  card_name text, -- Name of what the card presents.
  card_rank integer, -- Place of the app among those on the card, 1 is the first; null if the card does not list it.
  listed_app_count integer, -- Number of apps on the card; null if the answer has no list of them.
  link_url text, -- Address that the card links to.
  image_url text -- Address of its picture.
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    f.category_code,
    f.date_day,
    f.card_number,
    f.card_type,
    f.label,
    f.title,
    f.card_name,
    f."position" AS card_rank,
    f.listed_count AS listed_app_count,
    f.link_url,
    f.image_url
   FROM core.fact_featuring f
     JOIN core.dim_app a ON a.app_key = f.app_key
     JOIN core.dim_country c ON c.country_key = f.country_key;

-- One row per organisation, app, country, keyword, day, currency and attribution with spend, for keywords where the app ranks 1 to 3 organically on that day or that are its own brand: spend on installs that organic search might bring for free. Choose one currency (is_primary_currency) and attribution (is_default_attribution); then counts and money may be added up across everything else. On days with incomplete ranks, rows may be missing. What do we spend on keywords for which we rank at the top anyway? What would we save by leaving our brand to organic search?
create view mart.keyword_cannibalisation (
  org_id text, -- Search-ads organisation.
  org_name text, -- Name of the organisation.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL if the report is not about a single country: organic_rank is then null.
  country_name text, -- Name of the country.
  keyword text, -- The keyword.
  date_day date, -- The day.
  currency text, -- Requested currency of the money. The same spend has one row for each requested currency.
  attribution text, -- How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.
  is_primary_currency boolean, -- True for the currency with the most days of reports (ops.search_ads_default).
  is_default_attribution boolean, -- True for the attribution with the most days of reports (ops.search_ads_default).
  organic_rank integer, -- Best organic rank on any device on that day; null when not ranked or not requested.
  is_own_brand boolean, -- True if the service classifies the keyword as the app's own brand.
  reason text, -- rank: the app ranks 1 to 3; brand: the keyword is its own brand; rank and brand: both.
  bid_keyword_count bigint, -- Number of search-ads keywords (of several ad groups or match types) that the row sums up.
  spend numeric, -- Money spent, in currency.
  impression_count numeric, -- Impressions.
  tap_count numeric, -- Taps.
  install_count numeric, -- Installs.
  cost_per_tap numeric, -- Spend per tap, in currency.
  cost_per_install numeric, -- Spend per install, in currency.
  requested_keyword_count bigint, -- Keywords whose ranks were requested for the app, country and day (iPhone on iOS); null if none were.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean, -- True when all requested keywords have an answer. False if ranks of the day are missing or retention removed them: a keyword for which we rank at the top may then have no row. Null if no ranks were requested.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 WITH waiting AS MATERIALIZED (
         SELECT n_1.store,
            n_1.track_id,
            n_1.country_code,
            range_agg(daterange(n_1.date_day, n_1.date_day + 1)) AS days,
            array_agg(n_1.date_day) AS date_days,
            array_agg(n_1.keyword_count) AS keyword_counts
           FROM ops.unanswered_keyword_daily n_1
          GROUP BY n_1.store, n_1.track_id, n_1.country_code
        ), paid AS (
         SELECT f.org_id,
            f.app_key,
            f.keyword_key,
            f.country_key,
            f.period_start AS date_day,
            f.currency,
            f.attribution,
            max(f.org_name) AS org_name,
            count(DISTINCT f.keyword_id) AS bid_keyword_count,
            sum(f.spend) AS spend,
            sum(f.impression_count) AS impression_count,
            sum(f.tap_count) AS tap_count,
            sum(f.install_count) AS install_count
           FROM core.fact_search_ads_report f
          WHERE f.report_level = 'KEYWORD'::text AND f.grain = 'day'::text AND NOT f.is_total AND f.goal_id = ''::text AND f.app_key IS NOT NULL AND f.keyword_key IS NOT NULL
          GROUP BY f.org_id, f.app_key, f.keyword_key, f.country_key, f.period_start, f.currency, f.attribution
         HAVING sum(f.spend) > 0::numeric
        )
 SELECT p.org_id,
    p.org_name,
    a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    k.keyword,
    p.date_day,
    p.currency,
    p.attribution,
    p.currency = (( SELECT s_1.currency
           FROM ops.search_ads_default s_1)) AS is_primary_currency,
    p.attribution = (( SELECT s_1.attribution
           FROM ops.search_ads_default s_1)) AS is_default_attribution,
    o.organic_rank,
    COALESCE(b.is_own_brand, false) AS is_own_brand,
        CASE
            WHEN NOT COALESCE(o.organic_rank <= 3, false) THEN 'brand'::text
            WHEN b.is_own_brand THEN 'rank and brand'::text
            ELSE 'rank'::text
        END AS reason,
    p.bid_keyword_count,
    p.spend,
    p.impression_count,
    p.tap_count,
    p.install_count,
    round(p.spend / NULLIF(p.tap_count, 0::numeric), 4) AS cost_per_tap,
    round(p.spend / NULLIF(p.install_count, 0::numeric), 4) AS cost_per_install,
    w.requested_keyword_count,
    w.answered_keyword_count,
    w.is_complete,
    kg.keyword_groups,
    ag.app_groups
   FROM paid p
     JOIN core.dim_app a ON a.app_key = p.app_key
     JOIN core.dim_country c ON c.country_key = p.country_key
     JOIN core.dim_keyword k ON k.keyword_key = p.keyword_key
     CROSS JOIN LATERAL ( SELECT array_agg(s_1.keyword_key) AS keyword_keys
           FROM core.dim_keyword s_1
          WHERE lower(s_1.keyword) = lower(k.keyword)) s
     CROSS JOIN LATERAL ( SELECT min(r.rank) AS organic_rank
           FROM core.fact_keyword_rank r
          WHERE r.app_key = p.app_key AND r.date_day = p.date_day AND r.country_key = p.country_key AND (r.keyword_key = ANY (s.keyword_keys))) o
     LEFT JOIN LATERAL ( SELECT bool_or(t.brand_track_id = a.track_id) AS is_own_brand
           FROM ( SELECT t_1.brand_track_id
                   FROM core.tracked_keyword t_1
                  WHERE t_1.app_key = p.app_key AND t_1.country_key = p.country_key AND (t_1.keyword_key = ANY (s.keyword_keys))
                UNION ALL
                 SELECT m.brand_track_id
                   FROM core.fact_keyword_metadata m
                  WHERE (m.keyword_key = ANY (s.keyword_keys)) AND m.country_key = p.country_key AND m.store = a.store) t) b ON true
     LEFT JOIN core.fact_keyword_rank_summary n ON n.app_key = p.app_key AND n.date_day = p.date_day AND n.country_key = p.country_key AND n.device_key =
        CASE a.store
            WHEN 'ios'::text THEN 1
            ELSE 0
        END
     LEFT JOIN waiting q ON q.store = a.store AND q.track_id = a.track_id AND q.country_code = c.country_code
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN q.days @> p.date_day THEN ( SELECT sum(f.keyword_count) AS sum
                       FROM UNNEST(q.date_days, q.keyword_counts) f(date_day, keyword_count)
                      WHERE f.date_day = p.date_day)
                    ELSE NULL::numeric
                END AS keyword_count) u
     LEFT JOIN LATERAL ( SELECT (COALESCE(n.answered_keyword_count, 0::bigint)::numeric + COALESCE(u.keyword_count, 0::numeric))::bigint AS requested_keyword_count,
            COALESCE(n.answered_keyword_count, 0::bigint) AS answered_keyword_count,
            u.keyword_count IS NULL AND (EXISTS ( SELECT
                   FROM core.fact_keyword_rank r
                  WHERE r.app_key = p.app_key AND r.date_day = p.date_day AND r.country_key = p.country_key)) AS is_complete
          WHERE n.app_key IS NOT NULL OR u.keyword_count IS NOT NULL) w ON true
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n_1.group_name, ', '::text ORDER BY n_1.group_name) AS keyword_groups
           FROM core.grouped_keyword n_1
          WHERE lower(n_1.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = a.store AND ag.track_id = a.track_id
  WHERE o.organic_rank <= 3 OR b.is_own_brand;

-- One row per group and keyword, from portfolio.groups.keywords of the configuration, written as in other marts (the configuration may differ in upper and lower case). Join it to any mart by keyword: figures are then added up by group, and a keyword in several groups counts once in each. Which keywords are in a group? Where do we rank for the keywords of our brand?
create view mart.keyword_group (
  group_name text, -- Name of the group.
  keyword text -- The keyword.
) as
 SELECT DISTINCT g.group_name,
    COALESCE(k.keyword, g.keyword) AS keyword
   FROM core.grouped_keyword g
     LEFT JOIN core.dim_keyword k ON lower(k.keyword) = lower(g.keyword);

-- One row per app, country, device, group of keywords (portfolio.groups of the configuration) and day whose ranks were requested: counts and share of voice for the keywords of the group. It reads every rank of its days: filter by app or by a few weeks. Choose one device and one group_name, since a keyword may be in several groups; then counts and columns that end in _sum may be added up across apps, countries and days. Compute shares and averages from those sums. How does each group of keywords perform? Is our share of the searches for our brand falling?
create view mart.keyword_group_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  device_code text, -- IPHONE, IPAD, or ALL on Android. Choose one: figures of several devices cannot be added up.
  group_name text, -- Name of the group.
  date_day date, -- Calendar day on which the service crawled the store.
  requested_keyword_count bigint, -- Requested keywords, whether they have an answer or not yet; without those whose rank was rejected (ops.reject), which mart.keyword_not_requested_daily names.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean, -- True when all requested keywords have an answer. If false, shares and averages cover only some of the keywords: leave the day out.
  ranked_keyword_count bigint, -- Answered keywords for which the app ranks.
  top_1_keyword_count bigint, -- Keywords for which the app is the first result.
  top_3_keyword_count bigint, -- Keywords for which the app is among the first 3 results.
  top_10_keyword_count bigint, -- Keywords for which the app is among the first 10 results.
  top_50_keyword_count bigint, -- Keywords for which the app is among the first 50 results.
  rank_sum bigint, -- Sum of the ranks.
  average_rank numeric, -- Average rank over the keywords for which the app ranks. For several rows: sum(rank_sum) / nullif(sum(ranked_keyword_count), 0).
  voice_sum numeric, -- Sum of 1 / rank over the app's keywords.
  voice_share numeric -- voice_sum divided by answered_keyword_count, 0 to 1: 1 would be the first place for every keyword. For several rows: sum(voice_sum) / nullif(sum(answered_keyword_count), 0).
) as
 SELECT store,
    track_id,
    app_name,
    country_code,
    country_name,
    device_code,
    group_name,
    date_day,
    (sum(answered) + sum(unanswered))::bigint AS requested_keyword_count,
    sum(answered)::bigint AS answered_keyword_count,
    sum(unanswered) = 0::numeric AS is_complete,
    max(ranked) AS ranked_keyword_count,
    max(top_1) AS top_1_keyword_count,
    max(top_3) AS top_3_keyword_count,
    max(top_10) AS top_10_keyword_count,
    max(top_50) AS top_50_keyword_count,
    max(rank_sum) AS rank_sum,
    round(max(rank_sum)::numeric / NULLIF(max(ranked), 0)::numeric, 2) AS average_rank,
    round(max(voice_billionths)::numeric / 1000000000.0, 9) AS voice_sum,
    round(max(voice_billionths)::numeric / 1000000000.0 / NULLIF(sum(answered), 0::numeric), 6) AS voice_share
   FROM ( SELECT a.store,
            a.track_id,
            a.app_name,
            c.country_code,
            c.country_name,
            d.device_code,
            f.group_name,
            f.date_day,
            f.answered,
            0::bigint AS unanswered,
            f.ranked,
            f.top_1,
            f.top_3,
            f.top_10,
            f.top_50,
            f.rank_sum,
            f.voice_billionths
           FROM ops.portfolio_app a
             CROSS JOIN LATERAL ( SELECT n.country_key,
                    n.device_key,
                    g.group_name,
                    n.date_day,
                    count(*) AS answered,
                    count(n.rank) AS ranked,
                    count(*) FILTER (WHERE n.rank <= 1) AS top_1,
                    count(*) FILTER (WHERE n.rank <= 3) AS top_3,
                    count(*) FILTER (WHERE n.rank <= 10) AS top_10,
                    count(*) FILTER (WHERE n.rank <= 50) AS top_50,
                    COALESCE(sum(n.rank), 0::bigint) AS rank_sum,
                    COALESCE(sum(1000000000 / NULLIF(n.rank, 0)), 0::bigint) AS voice_billionths
                   FROM core.fact_keyword_rank n
                     JOIN ( SELECT DISTINCT m.group_name,
                            k.keyword_key
                           FROM core.grouped_keyword m
                             JOIN core.dim_keyword k ON lower(k.keyword) = lower(m.keyword)) g ON g.keyword_key = n.keyword_key
                  WHERE n.app_key = a.app_key
                  GROUP BY n.country_key, n.device_key, g.group_name, n.date_day) f
             JOIN core.dim_country c ON c.country_key = f.country_key
             JOIN core.dim_device d ON d.device_key = f.device_key
        UNION ALL
         SELECT a.store,
            a.track_id,
            a.app_name,
            c.country_code,
            c.country_name,
            d.device_code,
            g.group_name,
            n.date_day,
            0,
            count(*) AS count,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint
           FROM ops.unanswered_keyword n
             JOIN core.dim_app a ON a.store = n.store AND a.track_id = n.track_id
             JOIN core.dim_country c ON c.country_code = n.country_code
             JOIN core.dim_device d ON (d.device_key = 0) = (a.store = 'android'::text)
             JOIN ( SELECT DISTINCT m.group_name,
                    lower(m.keyword) AS keyword
                   FROM core.grouped_keyword m) g ON g.keyword = lower(n.keyword)
          GROUP BY a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, g.group_name, n.date_day) u
  GROUP BY date_day, country_code, device_code, group_name, track_id, store, app_name, country_name;

-- One row per app, keyword, country, device and day of the share: the app's share of the impressions of the keyword as the service reports it, without advertisements. Needs the dataset impression_share. Shares of apps may be added up only within one keyword, country, device and day. Who gets the impressions of a keyword? How large is our share?
create view mart.keyword_impression_share (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app, or its track id if the name is missing.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  keyword text, -- The keyword.
  device_code text, -- IPHONE, IPAD, or ALL on Android.
  share_day date, -- Day of the share, or the day of observation if the service reports none.
  date_day date, -- Day of the newest observation that reports it.
  impression_share numeric, -- Share of the impressions, on the service's own scale.
  share_rank bigint, -- Place among the reported apps: 1 has the largest share; null without a share.
  is_portfolio_app boolean, -- True for a portfolio app.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT a.store,
    a.track_id,
    COALESCE(a.app_name, a.track_id) AS app_name,
    c.country_code,
    c.country_name,
    k.keyword,
    d.device_code,
    f.share_day,
    f.date_day,
    f.impression_share,
        CASE
            WHEN f.impression_share IS NOT NULL THEN ( SELECT count(*) + 1
               FROM core.fact_impression_share o
              WHERE o.keyword_key = f.keyword_key AND o.date_day = f.date_day AND o.country_key = f.country_key AND o.store = f.store AND o.device_key = f.device_key AND o.share_day = f.share_day AND o.impression_share > f.impression_share)
            ELSE NULL::bigint
        END AS share_rank,
    (EXISTS ( SELECT
           FROM ops.portfolio_app p
          WHERE p.app_key = f.app_key)) AS is_portfolio_app,
    kg.keyword_groups,
    ag.app_groups
   FROM core.fact_impression_share f
     JOIN core.dim_app a ON a.app_key = f.app_key
     JOIN core.dim_country c ON c.country_key = f.country_key
     JOIN core.dim_keyword k ON k.keyword_key = f.keyword_key
     JOIN core.dim_device d ON d.device_key = f.device_key
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = a.store AND ag.track_id = a.track_id
  WHERE NOT (EXISTS ( SELECT
           FROM core.fact_impression_share n
          WHERE n.keyword_key = f.keyword_key AND n.country_key = f.country_key AND n.store = f.store AND n.device_key = f.device_key AND n.date_day > f.date_day AND n.share_day = f.share_day));

-- One row per app, country, keyword, day and kind: how many people the keyword could reach and how many of them would install, as the service estimates it. Needs the dataset keyword_estimate. Choose one estimate_kind and day; then counts may be added up across keywords and countries. Which keywords bring installs? What would a keyword be worth?
create view mart.keyword_install_estimate (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  keyword text, -- The keyword.
  date_day date, -- Day of the estimate, or the day of observation for the kind now.
  estimate_kind text, -- now: the estimate on the day of observation; history: the estimate for the day, as the service keeps it.
  max_reach_count numeric, -- Estimated unique impressions of the keyword in the country; null if the service reports none.
  conversion_rate numeric, -- Share of the reached people who would install, 0 to 1; 0.0023 means 0.23 percent.
  expected_install_count numeric, -- Installs to expect from reach and conversion.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    k.keyword,
    f.date_day,
    f.kind AS estimate_kind,
    f.max_reach_count,
    f.conversion_rate,
    f.install_count AS expected_install_count,
    kg.keyword_groups,
    ag.app_groups
   FROM core.fact_keyword_estimate f
     JOIN core.dim_app a ON a.app_key = f.app_key
     JOIN core.dim_country c ON c.country_key = f.country_key
     JOIN core.dim_keyword k ON k.keyword_key = f.keyword_key
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = a.store AND ag.track_id = a.track_id;

-- One row per app, country, keyword, device and day without an answer, although the account tracked the keyword, its country and the app on that day; up to the newest day of the app. ops.coverage_daily shows why. Rows may be counted. On which days do we not know our rank? Which tracked keywords have gaps?
create view mart.keyword_not_requested_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  keyword text, -- The keyword.
  device_code text, -- IPHONE, IPAD, or ALL on Android.
  date_day date, -- The day.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    k.keyword,
    d.device_code,
    g.date_day,
    kg.keyword_groups,
    ag.app_groups
   FROM ops.portfolio_app a
     CROSS JOIN LATERAL ( SELECT max(l.date_day) AS date_day
           FROM core.fact_keyword_rank_summary l
          WHERE l.app_key = a.app_key) newest
     CROSS JOIN LATERAL ( SELECT n.country_key,
            min(n.valid_from) AS first_day
           FROM core.tracked_keyword n
          WHERE n.app_key = a.app_key
          GROUP BY n.country_key) s
     JOIN core.dim_country c ON c.country_key = s.country_key
     JOIN core.dim_device d ON (d.device_key = 0) = (a.store = 'android'::text)
     JOIN core.dim_date g ON g.date_day >= s.first_day AND g.date_day <= newest.date_day
     CROSS JOIN LATERAL ( SELECT range_agg(int4range(f.keyword_key, f.keyword_key + 1)) AS keyword_keys
           FROM core.fact_keyword_rank f
          WHERE f.app_key = a.app_key AND f.date_day = g.date_day AND f.country_key = s.country_key AND f.device_key = d.device_key
         OFFSET 0) q
     CROSS JOIN LATERAL ( SELECT DISTINCT n.keyword_key
           FROM core.tracked_keyword n
          WHERE n.app_key = a.app_key AND n.country_key = s.country_key AND n.valid_from <= g.date_day AND g.date_day < COALESCE(n.valid_to, 'infinity'::date) AND (q.keyword_keys @> n.keyword_key) IS NOT TRUE AND NOT (n.account IN ( SELECT l.account
                   FROM ( SELECT m.account,
                            m.valid_to,
                            'country'::text AS part
                           FROM core.tracked_country m
                          WHERE m.app_key = a.app_key AND m.country_key = s.country_key AND m.valid_from <= g.date_day
                        UNION ALL
                         SELECT m.account,
                            m.valid_to,
                            'app'::text
                           FROM core.tracked_app m
                          WHERE m.app_key = a.app_key AND m.valid_from <= g.date_day
                        UNION ALL
                         SELECT u.account,
                            u.unread_since,
                            'account'::text
                           FROM ops.unread_account u) l
                  GROUP BY l.account, l.part
                 HAVING bool_and(COALESCE(l.valid_to <= g.date_day, false))))
         OFFSET 0) t
     JOIN core.dim_keyword k ON k.keyword_key = t.keyword_key
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = a.store AND ag.track_id = a.track_id
  WHERE NOT (EXISTS ( SELECT
           FROM ops.dropped_month o
          WHERE o.table_name = 'core.fact_keyword_rank'::text AND o.is_done AND o.month_start = date_trunc('month'::text, g.date_day::timestamp without time zone)::date));

-- One row per app, country, keyword and device on the newest day of the keyword: its potential. opportunity_score = search_volume x chance / 100 x open_share: the volume that an app like ours can expect to win and that our rank does not reach yet. Choose one device; then scores may be added up across keywords and countries. Which keywords are most worth the work? For which keywords with a high volume and a good chance do we not rank?
create view mart.keyword_opportunity (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  keyword text, -- The keyword.
  device_code text, -- IPHONE, IPAD, or ALL on Android.
  date_day date, -- Newest day of the keyword, at most 6 days older than the newest day of the app in that country and on that device.
  keyword_rank integer, -- Rank on that day; null when not ranked.
  search_volume numeric, -- Search volume score, 0 to 100, as last seen: from keyword_metadata if that is loaded, else from the account's own list.
  search_popularity numeric, -- Search-ads popularity score as last seen (iOS); null if the service reports none.
  chance numeric, -- Chance to rank, 0 to 100, as the service scores it, as last seen.
  competing_app_count bigint, -- Number of apps that the search returns, as last seen.
  brand_track_id text, -- Track id of the app whose brand the keyword is; null if it is no brand.
  is_own_brand boolean, -- True if the keyword is the app's own brand; null if it is no brand.
  open_share numeric, -- 1 - 1 / rank, 0 to 1: the share that a better rank could still win; 0 for rank 1, and 1 when not ranked.
  opportunity_score numeric, -- search_volume x chance / 100 x open_share, 0 to 100; null if the volume or the chance is missing.
  requested_keyword_count bigint, -- Keywords requested for the newest day of the app in that country and on that device.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean, -- True when all requested keywords of the newest day have an answer.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT f.store,
    f.track_id,
    f.app_name,
    f.country_code,
    f.country_name,
    k.keyword,
    d.device_code,
    f.date_day,
    f.rank AS keyword_rank,
    v.search_volume,
    v.search_popularity,
    v.chance,
    v.competing_app_count,
    v.brand_track_id,
    v.brand_track_id = f.track_id AS is_own_brand,
    round(o.open_share, 4) AS open_share,
    round(v.search_volume * v.chance / 100::numeric * o.open_share, 2) AS opportunity_score,
    f.requested_keyword_count,
    f.answered_keyword_count,
    f.is_complete,
    kg.keyword_groups,
    ag.app_groups
   FROM ops.latest_keyword_rank f
     JOIN core.dim_keyword k ON k.keyword_key = f.keyword_key
     JOIN core.dim_device d ON d.device_key = f.device_key
     LEFT JOIN LATERAL ( SELECT n.store,
            n.keyword_key,
            n.date_day,
            n.country_key,
            n.language_code,
            n.search_volume,
            n.popularity,
            n.app_count,
            n.iphone_app_count,
            n.ipad_app_count,
            n.chance,
            n.iphone_chance,
            n.ipad_chance,
            n.brand_track_id,
            n.slice_id,
            n.fetched_at
           FROM core.fact_keyword_metadata n
          WHERE n.keyword_key = f.keyword_key AND n.country_key = f.country_key AND n.store = f.store
          ORDER BY n.date_day DESC
         LIMIT 1) m ON true
     LEFT JOIN LATERAL ( SELECT n.app_key,
            n.country_key,
            n.keyword_key,
            n.account,
            n.valid_from,
            n.valid_to,
            n.is_current,
            n.search_volume,
            n.chance,
            n.app_count,
            n.brand_track_id,
            n.rank_change,
            n.ranking_history,
            n.created_at,
            n.slice_id,
            n.fetched_at
           FROM core.tracked_keyword n
          WHERE n.app_key = f.app_key AND n.country_key = f.country_key AND n.keyword_key = f.keyword_key
          ORDER BY n.valid_to DESC, n.valid_from DESC, n.account DESC
         LIMIT 1) t ON true
     LEFT JOIN LATERAL ( SELECT n.search_volume
           FROM core.fact_keyword_metadata n
          WHERE n.keyword_key = f.keyword_key AND n.country_key = f.country_key AND n.store = f.store AND n.search_volume IS NOT NULL
          ORDER BY n.date_day DESC
         LIMIT 1) w ON true
     LEFT JOIN LATERAL ( SELECT n.search_volume
           FROM core.tracked_keyword n
          WHERE n.app_key = f.app_key AND n.country_key = f.country_key AND n.keyword_key = f.keyword_key AND n.search_volume IS NOT NULL
          ORDER BY n.valid_to DESC, n.valid_from DESC, n.account DESC
         LIMIT 1) u ON true
     CROSS JOIN LATERAL ( SELECT 1::numeric - COALESCE(1.0 / NULLIF(f.rank, 0)::numeric, 0::numeric) AS open_share) o
     CROSS JOIN LATERAL ( SELECT COALESCE(w.search_volume, u.search_volume) AS search_volume,
            COALESCE(m.popularity, ( SELECT n.popularity
                   FROM core.fact_keyword_metadata n
                  WHERE n.keyword_key = f.keyword_key AND n.country_key = f.country_key AND n.store = f.store AND n.popularity IS NOT NULL
                  ORDER BY n.date_day DESC
                 LIMIT 1)) AS search_popularity,
            COALESCE(
                CASE d.device_code
                    WHEN 'IPHONE'::text THEN m.iphone_chance
                    WHEN 'IPAD'::text THEN m.ipad_chance
                    ELSE m.chance
                END, ( SELECT q.chance
                   FROM core.fact_keyword_metadata n
                     CROSS JOIN LATERAL ( SELECT
                                CASE d.device_code
                                    WHEN 'IPHONE'::text THEN n.iphone_chance
                                    WHEN 'IPAD'::text THEN n.ipad_chance
                                    ELSE n.chance
                                END AS chance) q
                  WHERE n.keyword_key = f.keyword_key AND n.country_key = f.country_key AND n.store = f.store AND q.chance IS NOT NULL
                  ORDER BY n.date_day DESC
                 LIMIT 1), t.chance, ( SELECT n.chance
                   FROM core.tracked_keyword n
                  WHERE n.app_key = f.app_key AND n.country_key = f.country_key AND n.keyword_key = f.keyword_key AND n.chance IS NOT NULL
                  ORDER BY n.valid_to DESC, n.valid_from DESC, n.account DESC
                 LIMIT 1)) AS chance,
            COALESCE(
                CASE d.device_code
                    WHEN 'IPHONE'::text THEN m.iphone_app_count
                    WHEN 'IPAD'::text THEN m.ipad_app_count
                    ELSE m.app_count
                END, ( SELECT q.app_count
                   FROM core.fact_keyword_metadata n
                     CROSS JOIN LATERAL ( SELECT
                                CASE d.device_code
                                    WHEN 'IPHONE'::text THEN n.iphone_app_count
                                    WHEN 'IPAD'::text THEN n.ipad_app_count
                                    ELSE n.app_count
                                END AS app_count) q
                  WHERE n.keyword_key = f.keyword_key AND n.country_key = f.country_key AND n.store = f.store AND q.app_count IS NOT NULL
                  ORDER BY n.date_day DESC
                 LIMIT 1), t.app_count, ( SELECT n.app_count
                   FROM core.tracked_keyword n
                  WHERE n.app_key = f.app_key AND n.country_key = f.country_key AND n.keyword_key = f.keyword_key AND n.app_count IS NOT NULL
                  ORDER BY n.valid_to DESC, n.valid_from DESC, n.account DESC
                 LIMIT 1)) AS competing_app_count,
            COALESCE(m.brand_track_id, t.brand_track_id) AS brand_track_id) v
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = f.store AND ag.track_id = f.track_id;

-- One row per app, country, keyword, device and requested day with an answer. Days without an answer are in keyword_not_requested_daily. Do not add up ranks: average them within one device, and count rows by ranking_state. Where did we rank for a keyword last month? In which countries are we not ranked at all?
create view mart.keyword_rank_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  keyword text, -- The keyword.
  device_code text, -- IPHONE, IPAD, or ALL on Android.
  date_day date, -- Calendar day on which the service crawled the store.
  keyword_rank integer, -- Position in the search results, 1 is the top; null when not ranked.
  is_ranked boolean, -- False when the keyword was requested and the app does not rank for it.
  ranking_state text, -- ranked, or unranked: the keyword was requested and the app does not rank for it.
  observed_at timestamp without time zone, -- When the service crawled the store, by its own clock, without time zone.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    k.keyword,
    d.device_code,
    f.date_day,
    f.rank AS keyword_rank,
    f.rank IS NOT NULL AS is_ranked,
        CASE
            WHEN f.rank IS NULL THEN 'unranked'::text
            ELSE 'ranked'::text
        END AS ranking_state,
    f.observed_at,
    kg.keyword_groups,
    ag.app_groups
   FROM core.fact_keyword_rank f
     LEFT JOIN core.dim_app a ON a.app_key = f.app_key
     LEFT JOIN core.dim_country c ON c.country_key = f.country_key
     LEFT JOIN core.dim_keyword k ON k.keyword_key = f.keyword_key
     LEFT JOIN core.dim_device d ON d.device_key = f.device_key
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = a.store AND ag.track_id = a.track_id;

-- One row per app, country, keyword, device and number of days (1, 7, 30, 90) before the newest day of the keyword. Choose one device and one days_back; then rows may be counted by movement, and places_gained averaged. Which keywords gained most this week? Which have we lost since last month?
create view mart.keyword_rank_movers (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  keyword text, -- The keyword.
  device_code text, -- IPHONE, IPAD, or ALL on Android.
  days_back integer, -- Days between the two ranks, provided that the earlier day has an answer.
  date_day date, -- Newest day of the keyword, at most 6 days older than the newest day of the app in that country and on that device.
  previous_day date, -- The earlier day: date_day minus days_back. If the keyword has no answer for that day, the nearest day with an answer: at most 1 day off for days_back 1 (never date_day), 2 for 7, 3 for 30 and 7 for 90. Null if there is none.
  keyword_rank integer, -- Rank on the newest day; null when not ranked.
  previous_rank integer, -- Rank on the earlier day; null when not ranked or not requested.
  places_gained integer, -- Places gained since the earlier day, negative when lost; null if either rank is null.
  movement text, -- gained, lost or same; entered: ranked now but not before; left: ranked before but not now; unranked: not ranked on either day; not requested before: there is no answer for the earlier day or near it.
  requested_keyword_count bigint, -- Keywords requested for the newest day of the app in that country and on that device.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean, -- True when all requested keywords of the newest day have an answer.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT l.store,
    l.track_id,
    l.app_name,
    l.country_code,
    l.country_name,
    k.keyword,
    d.device_code,
    p.days_back,
    l.date_day,
    COALESCE(exact.date_day, near.date_day) AS previous_day,
    l.rank AS keyword_rank,
    before.rank AS previous_rank,
    before.rank - l.rank AS places_gained,
        CASE
            WHEN before.date_day IS NULL THEN 'not requested before'::text
            WHEN l.rank IS NULL AND before.rank IS NULL THEN 'unranked'::text
            WHEN before.rank IS NULL THEN 'entered'::text
            WHEN l.rank IS NULL THEN 'left'::text
            WHEN l.rank < before.rank THEN 'gained'::text
            WHEN l.rank > before.rank THEN 'lost'::text
            ELSE 'same'::text
        END AS movement,
    l.requested_keyword_count,
    l.answered_keyword_count,
    l.is_complete,
    kg.keyword_groups,
    ag.app_groups
   FROM ops.latest_keyword_rank l
     CROSS JOIN ( VALUES (1,1), (7,2), (30,3), (90,7)) p(days_back, tolerance)
     LEFT JOIN LATERAL ( SELECT b.date_day,
            b.rank
           FROM core.fact_keyword_rank b
          WHERE b.app_key = l.app_key AND b.date_day = (l.date_day - p.days_back) AND b.country_key = l.country_key AND b.keyword_key = l.keyword_key AND b.device_key = l.device_key
         LIMIT 1) exact ON true
     LEFT JOIN LATERAL ( SELECT b.date_day,
            b.rank
           FROM generate_series(1, p.tolerance) o(days)
             CROSS JOIN ( VALUES ('-1'::integer), (1)) side(sign)
             CROSS JOIN LATERAL ( SELECT f.date_day,
                    f.rank
                   FROM core.fact_keyword_rank f
                  WHERE f.app_key = l.app_key AND f.date_day = (l.date_day - p.days_back + side.sign * o.days) AND f.country_key = l.country_key AND f.keyword_key = l.keyword_key AND f.device_key = l.device_key
                 LIMIT 1) b
          WHERE exact.date_day IS NULL AND (side.sign * o.days) < p.days_back
          ORDER BY o.days, side.sign
         LIMIT 1) near ON true
     CROSS JOIN LATERAL ( SELECT COALESCE(exact.date_day, near.date_day) AS date_day,
                CASE
                    WHEN exact.date_day IS NULL THEN near.rank
                    ELSE exact.rank
                END AS rank) before
     JOIN core.dim_keyword k ON k.keyword_key = l.keyword_key
     JOIN core.dim_device d ON d.device_key = l.device_key
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = l.store AND ag.track_id = l.track_id;

-- One row per app, competitor, country, keyword and device: both ranks on the newest day of the keyword. Competitors are the apps of the same store that the account names now or, if it names none, the other portfolio apps in the store. A competitor outside the portfolio needs the dataset keyword_app. Do not add up ranks: choose one device and one competitor to count rows by comparison. For which keywords does a competitor rank above us? For which keywords do they rank while we do not?
create view mart.keyword_rank_vs_competitor (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  competitor_track_id text, -- Track id of the competitor in the same store.
  competitor_app_name text, -- Name of the competitor, or its track id if the name is missing.
  competitor_source text, -- named: the account names it; portfolio: the account names none, and it is another portfolio app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  keyword text, -- The keyword.
  device_code text, -- IPHONE, IPAD, or ALL on Android.
  date_day date, -- Newest day of the keyword for our app.
  keyword_rank integer, -- Our rank; null when not ranked.
  competitor_date_day date, -- Day of the competitor's rank: date_day or, if the competitor has no rank of its own on that day, the nearest day within 6 days; else the newest search list from 35 days before date_day to 7 days after it. Null if neither was requested.
  competitor_keyword_rank integer, -- The competitor's rank; null when not ranked, not in the list, or unknown.
  competitor_rank_source text, -- own rank: the competitor is in the portfolio for the keyword; search list: its place in the list of keyword_app, which ends after a few hundred apps; null if neither was requested.
  places_ahead integer, -- Number of places by which we are ahead, negative when behind; null if either rank is null.
  comparison text, -- ahead, behind or same; only we, only the competitor: the other does not rank; neither: neither of the two ranks; unknown: the rank of the competitor was not requested or has no answer yet (is_competitor_complete).
  requested_keyword_count bigint, -- Keywords requested for the newest day of the app in that country and on that device.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean, -- True when all requested keywords of the newest day have an answer.
  is_competitor_complete boolean, -- False while ranks of the competitor that were requested for date_day have no answer: its rank is then that of another day, from a search list, or unknown. True if it has ranks of its own and none is waiting; null if it has none.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 WITH competitor AS (
         SELECT DISTINCT t_1.app_key,
            t_1.competitor_app_key,
            'named'::text AS competitor_source
           FROM core.tracked_competitor t_1
          WHERE t_1.valid_to IS NULL
        UNION ALL
         SELECT p.app_key,
            o_1.app_key,
            'portfolio'::text
           FROM ops.portfolio_app p
             JOIN ops.portfolio_app o_1 ON o_1.store = p.store AND o_1.app_key <> p.app_key
          WHERE NOT (EXISTS ( SELECT
                   FROM core.tracked_competitor n
                     JOIN core.dim_app c ON c.app_key = n.competitor_app_key AND c.store = p.store
                  WHERE n.app_key = p.app_key AND n.valid_to IS NULL))
        )
 SELECT l.store,
    l.track_id,
    l.app_name,
    o.track_id AS competitor_track_id,
    COALESCE(o.app_name, o.track_id) AS competitor_app_name,
    t.competitor_source,
    l.country_code,
    l.country_name,
    k.keyword,
    d.device_code,
    l.date_day,
    l.rank AS keyword_rank,
    r.date_day AS competitor_date_day,
    r.rank AS competitor_keyword_rank,
    r.rank_source AS competitor_rank_source,
    r.rank - l.rank AS places_ahead,
        CASE
            WHEN r.rank_source IS NULL THEN 'unknown'::text
            WHEN l.rank IS NULL AND r.rank IS NULL THEN 'neither'::text
            WHEN l.rank IS NULL THEN 'only the competitor'::text
            WHEN r.rank IS NULL THEN 'only we'::text
            WHEN l.rank < r.rank THEN 'ahead'::text
            WHEN l.rank > r.rank THEN 'behind'::text
            ELSE 'same'::text
        END AS comparison,
    l.requested_keyword_count,
    l.answered_keyword_count,
    l.is_complete,
        CASE
            WHEN ((o.store, o.track_id, l.country_code, l.date_day) IN ( SELECT n.store,
                n.track_id,
                n.country_code,
                n.date_day
               FROM ops.newest_unanswered_day n)) THEN false
            WHEN own.date_day IS NOT NULL THEN true
            ELSE NULL::boolean
        END AS is_competitor_complete,
    kg.keyword_groups,
    ag.app_groups
   FROM competitor t
     JOIN ops.newest_rank_day w ON w.app_key = t.app_key
     CROSS JOIN LATERAL ( SELECT range_agg(int4range(f.keyword_key, f.keyword_key + 1)) AS keyword_keys
           FROM generate_series('-12'::integer, 6) n(days)
             CROSS JOIN LATERAL ( SELECT y.keyword_key
                   FROM core.fact_keyword_rank y
                  WHERE y.app_key = t.competitor_app_key AND y.date_day = (w.date_day + n.days) AND y.country_key = w.country_key AND y.device_key = w.device_key
                 OFFSET 0) f
         OFFSET 0) q
     JOIN ops.latest_keyword_rank l ON l.app_key = t.app_key AND l.country_key = w.country_key AND l.device_key = w.device_key
     JOIN core.dim_app o ON o.app_key = t.competitor_app_key AND o.store = l.store
     JOIN core.dim_keyword k ON k.keyword_key = l.keyword_key
     JOIN core.dim_device d ON d.device_key = l.device_key
     LEFT JOIN LATERAL ( SELECT f.date_day,
            f.rank
           FROM core.fact_keyword_rank f
          WHERE q.keyword_keys @> l.keyword_key AND f.app_key = t.competitor_app_key AND f.date_day = l.date_day AND f.country_key = l.country_key AND f.keyword_key = l.keyword_key AND f.device_key = l.device_key
         LIMIT 1) exact ON true
     LEFT JOIN LATERAL ( SELECT b.date_day,
            b.rank
           FROM generate_series(1, 6) n(days)
             CROSS JOIN ( VALUES ('-1'::integer), (1)) side(sign)
             CROSS JOIN LATERAL ( SELECT f.date_day,
                    f.rank
                   FROM core.fact_keyword_rank f
                  WHERE f.app_key = t.competitor_app_key AND f.date_day = (l.date_day + side.sign * n.days) AND f.country_key = l.country_key AND f.keyword_key = l.keyword_key AND f.device_key = l.device_key
                 LIMIT 1) b
          WHERE q.keyword_keys @> l.keyword_key AND exact.date_day IS NULL
          ORDER BY n.days, side.sign
         LIMIT 1) near ON true
     CROSS JOIN LATERAL ( SELECT COALESCE(exact.date_day, near.date_day) AS date_day,
                CASE
                    WHEN exact.date_day IS NULL THEN near.rank
                    ELSE exact.rank
                END AS rank) own
     LEFT JOIN ( SELECT n.keyword_key,
            n.country_key,
            n.store,
            array_agg(n.date_day) AS days
           FROM ops.empty_search_list n
          GROUP BY n.keyword_key, n.country_key, n.store) e ON e.keyword_key = l.keyword_key AND e.country_key = l.country_key AND e.store = l.store
     LEFT JOIN LATERAL ( SELECT GREATEST(max(f.date_day), ( SELECT max(n.date_day) AS max
                   FROM unnest(e.days) n(date_day)
                  WHERE own.date_day IS NULL AND n.date_day >= (l.date_day - 35) AND n.date_day <= (l.date_day + 7))) AS date_day
           FROM core.fact_keyword_app f
          WHERE own.date_day IS NULL AND f.keyword_key = l.keyword_key AND f.country_key = l.country_key AND f.store = l.store AND f.date_day >= (l.date_day - 35) AND f.date_day <= (l.date_day + 7)) list ON true
     LEFT JOIN LATERAL ( SELECT min(f."position") AS rank
           FROM core.fact_keyword_app f
          WHERE f.keyword_key = l.keyword_key AND f.date_day = list.date_day AND f.country_key = l.country_key AND f.store = l.store AND f.device_key = l.device_key AND f.app_key = t.competitor_app_key) place ON true
     CROSS JOIN LATERAL ( SELECT COALESCE(own.date_day, list.date_day) AS date_day,
                CASE
                    WHEN own.date_day IS NULL THEN place.rank
                    ELSE own.rank
                END AS rank,
                CASE
                    WHEN own.date_day IS NOT NULL THEN 'own rank'::text
                    WHEN list.date_day IS NOT NULL THEN 'search list'::text
                    ELSE NULL::text
                END AS rank_source) r
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = l.store AND ag.track_id = l.track_id;

-- One row per app, country, device and day whose ranks were requested: its share of voice in the searches for its keywords. Figures are null while no keyword has an answer. A rank counts as 1 / rank: rank 1 counts 1, rank 2 counts 0.5, and no rank counts 0. Choose one device; then counts and columns that end in _sum may be added up across apps, countries and days. Compute shares and averages from those sums. How many of the searches for our keywords do we reach? Is our share growing compared with the other apps in the portfolio?
create view mart.organic_share_of_voice_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  device_code text, -- IPHONE, IPAD, or ALL on Android. Choose one: figures of several devices cannot be added up.
  date_day date, -- Calendar day on which the service crawled the store.
  requested_keyword_count bigint, -- Requested keywords, whether they have an answer or not yet; without those whose rank was rejected (ops.reject), which mart.keyword_not_requested_daily names.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean, -- True when all requested keywords have an answer. If false, shares and averages cover only some of the keywords: leave the day out.
  ranked_keyword_count bigint, -- Answered keywords for which the app ranks.
  top_1_keyword_count bigint, -- Keywords for which the app is the first result.
  top_3_keyword_count bigint, -- Keywords for which the app is among the first 3 results.
  top_10_keyword_count bigint, -- Keywords for which the app is among the first 10 results.
  top_50_keyword_count bigint, -- Keywords for which the app is among the first 50 results.
  rank_sum bigint, -- Sum of the ranks.
  average_rank numeric, -- Average rank over the keywords for which the app ranks. For several rows: sum(rank_sum) / nullif(sum(ranked_keyword_count), 0).
  voice_sum numeric, -- Sum of 1 / rank over the app's keywords.
  voice_share numeric, -- voice_sum divided by answered_keyword_count, 0 to 1: 1 would be the first place for every keyword. For several rows: sum(voice_sum) / nullif(sum(answered_keyword_count), 0).
  portfolio_voice_share numeric, -- voice_sum as a share of the voice_sum of all portfolio apps in the same store and country, on the same device and day, 0 to 1; null while a requested keyword of any of these apps has no answer. Each app is tracked for its own keywords.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT s.store,
    s.track_id,
    s.app_name,
    s.country_code,
    s.country_name,
    s.device_code,
    s.date_day,
    s.requested_keyword_count,
    s.answered_keyword_count,
    s.is_complete,
    s.ranked_keyword_count,
    s.top_1_keyword_count,
    s.top_3_keyword_count,
    s.top_10_keyword_count,
    s.top_50_keyword_count,
    s.rank_sum,
    round(s.rank_sum::numeric / NULLIF(s.ranked_keyword_count, 0)::numeric, 2) AS average_rank,
    s.voice_sum,
    round(s.voice_sum / NULLIF(s.answered_keyword_count, 0)::numeric, 6) AS voice_share,
        CASE
            WHEN s.is_complete AND (u.days @> s.date_day) IS NOT TRUE THEN ( SELECT round(s.voice_sum / NULLIF(sum(t.voice_billionths) / 1000000000::numeric, 0::numeric), 6) AS round
               FROM core.fact_keyword_rank_summary t
              WHERE t.date_day = s.date_day AND t.country_key = s.country_key AND t.device_key = s.device_key)
            ELSE NULL::numeric
        END AS portfolio_voice_share,
    ag.app_groups
   FROM ops.requested_keyword_day s
     LEFT JOIN ( SELECT n.store,
            n.country_code,
            range_agg(daterange(n.date_day, n.date_day + 1)) AS days
           FROM ops.unanswered_keyword_daily n
          WHERE n.date_day >= (( SELECT min(f.date_day) AS min
                   FROM core.fact_keyword_rank_summary f))
          GROUP BY n.store, n.country_code) u ON u.store = s.store AND u.country_code = s.country_code
     LEFT JOIN ops.app_groups ag ON ag.store = s.store AND ag.track_id = s.track_id;

-- One row per app, keyword, country, period and share_source: the app's share of the impressions of the keyword's advertisements. Choose one share_source and one period; then paid_voice_sum and search_volume may be added up across keywords and countries of one app. For one app, share_source and period, sum(paid_voice_sum) / nullif(sum(search_volume), 0) is the app's share of voice weighted by search volume. Who pays for the keywords in the portfolio? What is our share of the paid voice?
create view mart.paid_share_of_voice (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  keyword text, -- The keyword.
  period_start date, -- First day of the period.
  period_end date, -- Last day of the period, inclusive.
  share_source text, -- market: seen in the store over 14 days, for the keywords of the portfolio and for all keywords that its apps pay for; own keywords: reported by search ads for the keywords that the account bids on, by calendar month. Choose one.
  paid_impression_share numeric, -- The app's share of the impressions, on the service's own scale.
  paid_rank bigint, -- Place among the reported payers; 1 has the largest share.
  payer_count bigint, -- Number of reported payers. If only the keywords that an app pays for were requested, these are portfolio apps only.
  reported_share_sum numeric, -- Sum of the shares of all reported payers, which may be less than the whole.
  is_tracked_app boolean, -- True for an app that the account tracks.
  search_volume numeric, -- Search volume score of the keyword as last seen; null if it is missing.
  paid_voice_sum numeric, -- paid_impression_share x search_volume.
  requested_keyword_count bigint, -- Keywords of the country and period whose advertisers were requested keyword by keyword, whether they have an answer or not yet; null if only the keywords that an app pays for were requested, since a single answer lists those.
  answered_keyword_count bigint, -- Requested keywords with an answer, with or without advertisers.
  is_complete boolean, -- False while a requested keyword of the country and period has no answer yet, or an app whose paid keywords were requested has none: sums, places and weighted shares then cover only a part.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 WITH reported AS (
         SELECT 'market'::text AS share_source,
            p_1.app_key,
            p_1.keyword_key,
            p_1.country_key,
            p_1.period_start,
            p_1.period_end,
            p_1.share,
            1 AS preference
           FROM core.fact_paying_app p_1
        UNION ALL
         SELECT 'market'::text,
            p_1.app_key,
            p_1.keyword_key,
            p_1.country_key,
            p_1.period_start,
            p_1.period_end,
            p_1.app_share,
            2
           FROM core.fact_paid_keyword p_1
        UNION ALL
         SELECT 'own keywords'::text,
            t_1.app_key,
            t_1.keyword_key,
            t_1.country_key,
            t_1.period_start,
            t_1.period_end,
            t_1.share,
            1
           FROM core.fact_search_ads_top_app t_1
          WHERE t_1.keyword_key IS NOT NULL
        ), cell AS (
         SELECT t_1.share_source,
            t_1.app_key,
            t_1.keyword_key,
            t_1.country_key,
            t_1.period_start,
            t_1.period_end,
            COALESCE(max(t_1.share) FILTER (WHERE t_1.preference = 1), max(t_1.share)) AS share
           FROM reported t_1
          GROUP BY t_1.share_source, t_1.app_key, t_1.keyword_key, t_1.country_key, t_1.period_start, t_1.period_end
        ), placed AS (
         SELECT l.share_source,
            l.app_key,
            l.keyword_key,
            l.country_key,
            l.period_start,
            l.period_end,
            l.share,
            count(*) OVER payers AS payer_count,
            rank() OVER (payers ORDER BY l.share DESC NULLS LAST) AS place,
            sum(l.share) OVER payers AS share_sum
           FROM cell l
          WINDOW payers AS (PARTITION BY l.share_source, l.keyword_key, l.country_key, l.period_start, l.period_end)
        )
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    k.keyword,
    p.period_start,
    p.period_end,
    p.share_source,
    p.share AS paid_impression_share,
        CASE
            WHEN p.share IS NOT NULL THEN p.place
            ELSE NULL::bigint
        END AS paid_rank,
    p.payer_count,
    p.share_sum AS reported_share_sum,
    (EXISTS ( SELECT
           FROM core.tracked_app t_1
          WHERE t_1.app_key = p.app_key AND t_1.valid_to IS NULL)) AS is_tracked_app,
    v.search_volume,
    round(p.share * v.search_volume, 6) AS paid_voice_sum,
    w.requested_keyword_count,
    w.answered_keyword_count,
    COALESCE(w.answered_keyword_count = w.requested_keyword_count, true) AND COALESCE(w.unanswered_app_count = 0, true) AS is_complete,
    kg.keyword_groups,
    ag.app_groups
   FROM placed p
     JOIN core.dim_app a ON a.app_key = p.app_key
     JOIN core.dim_country c ON c.country_key = p.country_key
     JOIN core.dim_keyword k ON k.keyword_key = p.keyword_key
     LEFT JOIN LATERAL ( SELECT n.search_volume
           FROM core.fact_keyword_metadata n
          WHERE n.keyword_key = p.keyword_key AND n.country_key = p.country_key AND n.store = a.store AND n.search_volume IS NOT NULL
          ORDER BY n.date_day DESC
         LIMIT 1) m ON true
     LEFT JOIN ( SELECT t_1.country_key,
            t_1.keyword_key,
            o.store,
            (array_agg(t_1.search_volume ORDER BY t_1.valid_to DESC, t_1.search_volume DESC))[1] AS search_volume
           FROM core.tracked_keyword t_1
             JOIN core.dim_app o ON o.app_key = t_1.app_key
          WHERE t_1.search_volume IS NOT NULL
          GROUP BY t_1.country_key, t_1.keyword_key, o.store) t ON t.country_key = p.country_key AND t.keyword_key = p.keyword_key AND t.store = a.store
     CROSS JOIN LATERAL ( SELECT COALESCE(m.search_volume, t.search_volume) AS search_volume) v
     LEFT JOIN ops.paid_voice_answer w ON w.share_source = p.share_source AND w.country_code = c.country_code AND w.period_start = p.period_start AND w.period_end = p.period_end
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = a.store AND ag.track_id = a.track_id;

-- One row per release of an app, country and window of 7 or 14 days: ranks, ratings, reviews and downloads before and after the release. A figure without data is null, and the day counts show how much data there is for each figure. Nothing may be added up: the days of releases overlap. Did the release hurt our ratings? Did its new keywords lead to ranks?
create view mart.release_impact (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL for figures over all countries together: ratings and reviews on Android.
  country_name text, -- Name of the country.
  version text, -- Version number; empty if the service reports none.
  release_day date, -- Day of the release in the first country.
  window_day_count integer, -- Number of days before and after the release that are compared: 7 or 14; the day of the release itself is left out.
  before_rank_day_count bigint, -- Days with ranks before the release.
  after_rank_day_count bigint, -- Days with ranks after the release.
  before_average_rank numeric, -- Average rank over the keywords for which the app ranks, before the release.
  after_average_rank numeric, -- Average rank over the keywords for which the app ranks, after the release.
  before_ranked_keyword_share numeric, -- Share of the answered keywords for which the app ranks, 0 to 1, before the release.
  after_ranked_keyword_share numeric, -- Share of the answered keywords for which the app ranks, 0 to 1, after the release.
  before_voice_share numeric, -- Share of voice (average of 1 / rank over the answered keywords), 0 to 1, before the release.
  after_voice_share numeric, -- Share of voice (average of 1 / rank over the answered keywords), 0 to 1, after the release.
  before_rating_day_count bigint, -- Days with a rating before the release.
  after_rating_day_count bigint, -- Days with a rating after the release.
  before_rating numeric, -- Average rating as last seen before the release.
  after_rating numeric, -- Average rating as last seen after the release.
  before_rating_count bigint, -- Number of ratings as last seen before the release.
  after_rating_count bigint, -- Number of ratings as last seen after the release.
  before_review_day_count bigint, -- Days before the release for which reviews were requested and there is an answer.
  after_review_day_count bigint, -- Days after the release for which reviews were requested and there is an answer.
  before_review_count bigint, -- Reviews written on the days that before_review_day_count counts: 0 if there are none, null if no day has all its answers.
  after_review_count bigint, -- Reviews written on the days that after_review_day_count counts: 0 if there are none, null if no day has all its answers.
  before_average_review_rating numeric, -- Average stars of those reviews.
  after_average_review_rating numeric, -- Average stars of those reviews.
  before_estimated_download_day_count bigint, -- Days before the release with a figure of estimated downloads for each requested device.
  after_estimated_download_day_count bigint, -- Days after the release with a figure of estimated downloads for each requested device.
  before_estimated_download_count numeric, -- Estimated downloads per day (iOS), average over the days that before_estimated_download_day_count counts.
  after_estimated_download_count numeric, -- Estimated downloads per day (iOS), average over the days that after_estimated_download_day_count counts.
  before_store_download_day_count bigint, -- Days before the release with a figure of the store's downloads for each requested device.
  after_store_download_day_count bigint, -- Days after the release with a figure of the store's downloads for each requested device.
  before_store_download_count numeric, -- Downloads per day as the store reported them to the account, average over the days that before_store_download_day_count counts.
  after_store_download_count numeric, -- Downloads per day as the store reported them to the account, average over the days that after_store_download_day_count counts.
  nearby_release_count bigint, -- Number of other releases within the same days. If above 0, the effect has several causes.
  requested_keyword_count bigint, -- Keywords requested on the days before and after, whether they have an answer or not yet, added up over these days; without those whose rank was rejected.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean -- True when all requested keywords have an answer; if false, average ranks and shares cover only some of them; null if no ranks were requested.
) as
 WITH waiting AS MATERIALIZED (
         SELECT n_1.store,
            n_1.track_id,
            n_1.country_code,
            range_agg(daterange(n_1.date_day, n_1.date_day + 1)) AS days,
            array_agg(n_1.date_day) AS date_days,
            array_agg(n_1.keyword_count) AS keyword_counts
           FROM ops.unanswered_keyword_daily n_1
          GROUP BY n_1.store, n_1.track_id, n_1.country_code
        ), answered AS MATERIALIZED (
         SELECT n_1.store,
            n_1.track_id,
            n_1.country_code,
            n_1.estimated_days,
            n_1.unestimated_days,
            n_1.reported_days,
            n_1.unreported_days,
            n_1.revenue_days,
            n_1.unanswered_revenue_days,
            n_1.page_view_days,
            n_1.unanswered_page_view_days
           FROM ops.download_days n_1
        )
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    r.version,
    r.release_day,
    p.window_days AS window_day_count,
    s.before_day_count AS before_rank_day_count,
    s.after_day_count AS after_rank_day_count,
    round(s.before_rank_sum / NULLIF(s.before_ranked_count, 0::numeric), 2) AS before_average_rank,
    round(s.after_rank_sum / NULLIF(s.after_ranked_count, 0::numeric), 2) AS after_average_rank,
    round(s.before_ranked_count / NULLIF(s.before_answered_count, 0::numeric), 6) AS before_ranked_keyword_share,
    round(s.after_ranked_count / NULLIF(s.after_answered_count, 0::numeric), 6) AS after_ranked_keyword_share,
    round(s.before_voice_sum / NULLIF(s.before_answered_count, 0::numeric), 6) AS before_voice_share,
    round(s.after_voice_sum / NULLIF(s.after_answered_count, 0::numeric), 6) AS after_voice_share,
    g.before_day_count AS before_rating_day_count,
    g.after_day_count AS after_rating_day_count,
    g.before_rating,
    g.after_rating,
    g.before_rating_count,
    g.after_rating_count,
    h.before_day_count AS before_review_day_count,
    h.after_day_count AS after_review_day_count,
        CASE
            WHEN h.before_day_count > 0 THEN w.before_review_count
            ELSE NULL::bigint
        END AS before_review_count,
        CASE
            WHEN h.after_day_count > 0 THEN w.after_review_count
            ELSE NULL::bigint
        END AS after_review_count,
    round(w.before_review_sum::numeric / NULLIF(w.before_rated_count, 0::numeric), 4) AS before_average_review_rating,
    round(w.after_review_sum::numeric / NULLIF(w.after_rated_count, 0::numeric), 4) AS after_average_review_rating,
    e.before_day_count AS before_estimated_download_day_count,
    e.after_day_count AS after_estimated_download_day_count,
    round(e.before_download_count, 2) AS before_estimated_download_count,
    round(e.after_download_count, 2) AS after_estimated_download_count,
    t.before_day_count AS before_store_download_day_count,
    t.after_day_count AS after_store_download_day_count,
    round(t.before_download_count, 2) AS before_store_download_count,
    round(t.after_download_count, 2) AS after_store_download_count,
        CASE p.window_days
            WHEN 7 THEN r.within_7_count
            ELSE r.within_14_count
        END - 1 AS nearby_release_count,
    (COALESCE(s.answered_count, 0::numeric) + COALESCE(u.unanswered_count, 0::numeric))::bigint AS requested_keyword_count,
    COALESCE(s.answered_count, 0::numeric)::bigint AS answered_keyword_count,
        CASE
            WHEN s.answered_count > 0::numeric OR u.unanswered_count > 0::numeric THEN COALESCE(u.unanswered_count, 0::numeric) = 0::numeric
            ELSE NULL::boolean
        END AS is_complete
   FROM ops.portfolio_app a
     CROSS JOIN LATERAL ( SELECT v.app_key,
            v.version,
            v.release_day,
            count(*) OVER (ORDER BY v.release_day RANGE BETWEEN '7 days'::interval PRECEDING AND '7 days'::interval FOLLOWING) AS within_7_count,
            count(*) OVER (ORDER BY v.release_day RANGE BETWEEN '14 days'::interval PRECEDING AND '14 days'::interval FOLLOWING) AS within_14_count
           FROM ( SELECT v_1.app_key,
                    v_1.version,
                    min(v_1.version_at)::date AS release_day
                   FROM core.app_version v_1
                  WHERE v_1.app_key = a.app_key
                  GROUP BY v_1.app_key, v_1.version, (
                        CASE
                            WHEN v_1.version = ''::text THEN v_1.version_at::date
                            ELSE NULL::date
                        END)) v) r
     CROSS JOIN ( VALUES (7), (14)) p(window_days)
     CROSS JOIN LATERAL ( SELECT f.country_key
           FROM core.fact_keyword_rank_summary f
          WHERE f.app_key = r.app_key AND f.date_day >= (r.release_day - p.window_days) AND f.date_day <= (r.release_day + p.window_days)
        UNION
         SELECT f.country_key
           FROM core.fact_app_rating f
          WHERE f.app_key = r.app_key AND f.date_day >= (r.release_day - p.window_days) AND f.date_day <= (r.release_day + p.window_days)
        UNION
         SELECT f.country_key
           FROM core.fact_download_revenue f
          WHERE f.app_key = r.app_key AND f.date_day >= (r.release_day - p.window_days) AND f.date_day <= (r.release_day + p.window_days)
        UNION
         SELECT f.country_key
           FROM core.fact_sales_metric f
          WHERE f.app_key = r.app_key AND NOT f.is_total AND f.date_day >= (r.release_day - p.window_days) AND f.date_day <= (r.release_day + p.window_days)
        UNION
         SELECT f.country_key
           FROM core.review f
          WHERE f.app_key = r.app_key AND f.reviewed_at::date >= (r.release_day - p.window_days) AND f.reviewed_at::date <= (r.release_day + p.window_days)) n
     JOIN core.dim_country c ON c.country_key = n.country_key
     LEFT JOIN ops.review_days q ON q.store = a.store AND q.track_id = a.track_id AND q.country_code = c.country_code
     LEFT JOIN answered i ON i.store = a.store AND i.track_id = a.track_id AND i.country_code = c.country_code
     LEFT JOIN answered j ON j.store = a.store AND j.track_id = a.track_id AND j.country_code IS NULL
     CROSS JOIN LATERAL ( SELECT count(*) FILTER (WHERE f.date_day < r.release_day) AS before_day_count,
            count(*) FILTER (WHERE f.date_day > r.release_day) AS after_day_count,
            sum(f.answered_keyword_count) FILTER (WHERE f.date_day <> r.release_day) AS answered_count,
            sum(f.rank_sum) FILTER (WHERE f.date_day < r.release_day) AS before_rank_sum,
            sum(f.rank_sum) FILTER (WHERE f.date_day > r.release_day) AS after_rank_sum,
            sum(f.ranked_keyword_count) FILTER (WHERE f.date_day < r.release_day) AS before_ranked_count,
            sum(f.ranked_keyword_count) FILTER (WHERE f.date_day > r.release_day) AS after_ranked_count,
            sum(f.answered_keyword_count) FILTER (WHERE f.date_day < r.release_day) AS before_answered_count,
            sum(f.answered_keyword_count) FILTER (WHERE f.date_day > r.release_day) AS after_answered_count,
            sum(f.voice_billionths) FILTER (WHERE f.date_day < r.release_day) / 1000000000::numeric AS before_voice_sum,
            sum(f.voice_billionths) FILTER (WHERE f.date_day > r.release_day) / 1000000000::numeric AS after_voice_sum
           FROM core.fact_keyword_rank_summary f
          WHERE f.app_key = r.app_key AND f.country_key = n.country_key AND (f.device_key = ANY (ARRAY[0, 1])) AND f.date_day >= (r.release_day - p.window_days) AND f.date_day <= (r.release_day + p.window_days)) s
     LEFT JOIN waiting k ON k.store = a.store AND k.track_id = a.track_id AND k.country_code = c.country_code
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN k.days && datemultirange(daterange(r.release_day - p.window_days, r.release_day + p.window_days + 1)) THEN ( SELECT sum(f.keyword_count) AS sum
                       FROM UNNEST(k.date_days, k.keyword_counts) f(date_day, keyword_count)
                      WHERE f.date_day >= (r.release_day - p.window_days) AND f.date_day <= (r.release_day + p.window_days) AND f.date_day <> r.release_day)
                    ELSE NULL::numeric
                END AS unanswered_count) u
     CROSS JOIN LATERAL ( SELECT count(DISTINCT f.date_day) FILTER (WHERE f.date_day < r.release_day AND f.rating IS NOT NULL) AS before_day_count,
            count(DISTINCT f.date_day) FILTER (WHERE f.date_day > r.release_day AND f.rating IS NOT NULL) AS after_day_count,
            (array_agg(f.rating ORDER BY f.date_day DESC, f.rating_count DESC NULLS LAST) FILTER (WHERE f.date_day < r.release_day AND f.rating IS NOT NULL))[1] AS before_rating,
            (array_agg(f.rating ORDER BY f.date_day DESC, f.rating_count DESC NULLS LAST) FILTER (WHERE f.date_day > r.release_day AND f.rating IS NOT NULL))[1] AS after_rating,
            (array_agg(f.rating_count ORDER BY f.date_day DESC, f.rating_count DESC NULLS LAST) FILTER (WHERE f.date_day < r.release_day AND f.rating_count IS NOT NULL))[1] AS before_rating_count,
            (array_agg(f.rating_count ORDER BY f.date_day DESC, f.rating_count DESC NULLS LAST) FILTER (WHERE f.date_day > r.release_day AND f.rating_count IS NOT NULL))[1] AS after_rating_count
           FROM core.fact_app_rating f
          WHERE f.app_key = r.app_key AND f.country_key = n.country_key AND f.date_day >= (r.release_day - p.window_days) AND f.date_day <= (r.release_day + p.window_days)) g
     CROSS JOIN LATERAL ( SELECT count(*) FILTER (WHERE f.reviewed_at < r.release_day) AS before_review_count,
            count(*) FILTER (WHERE f.reviewed_at >= (r.release_day + 1)) AS after_review_count,
            count(f.rating) FILTER (WHERE f.reviewed_at < r.release_day)::numeric AS before_rated_count,
            count(f.rating) FILTER (WHERE f.reviewed_at >= (r.release_day + 1))::numeric AS after_rated_count,
            sum(f.rating) FILTER (WHERE f.reviewed_at < r.release_day) AS before_review_sum,
            sum(f.rating) FILTER (WHERE f.reviewed_at >= (r.release_day + 1)) AS after_review_sum
           FROM ops.counted_review f
          WHERE f.app_key = r.app_key AND f.country_key = n.country_key AND q.days @> f.reviewed_at::date AND f.reviewed_at::date >= (r.release_day - p.window_days) AND f.reviewed_at::date <= (r.release_day + p.window_days)) w
     CROSS JOIN LATERAL ( SELECT count(*) FILTER (WHERE d.date_day < r.release_day) AS before_day_count,
            count(*) FILTER (WHERE d.date_day > r.release_day) AS after_day_count
           FROM core.dim_date d
          WHERE q.days @> d.date_day AND d.date_day >= (r.release_day - p.window_days) AND d.date_day <= (r.release_day + p.window_days)) h
     CROSS JOIN LATERAL ( SELECT count(d.download_count) FILTER (WHERE d.date_day < r.release_day) AS before_day_count,
            count(d.download_count) FILTER (WHERE d.date_day > r.release_day) AS after_day_count,
            avg(d.download_count) FILTER (WHERE d.date_day < r.release_day) AS before_download_count,
            avg(d.download_count) FILTER (WHERE d.date_day > r.release_day) AS after_download_count
           FROM ( SELECT f.date_day,
                    COALESCE(max(f.download_count) FILTER (WHERE f.is_total), sum(f.download_count) FILTER (WHERE NOT f.is_total)) AS download_count
                   FROM core.fact_download_revenue f
                  WHERE f.app_key = r.app_key AND f.country_key = n.country_key AND f.date_day >= (r.release_day - p.window_days) AND f.date_day <= (r.release_day + p.window_days) AND (i.unestimated_days @> f.date_day) IS NOT TRUE
                  GROUP BY f.date_day) d) e
     CROSS JOIN LATERAL ( SELECT count(d.download_count) FILTER (WHERE d.date_day < r.release_day) AS before_day_count,
            count(d.download_count) FILTER (WHERE d.date_day > r.release_day) AS after_day_count,
            avg(d.download_count) FILTER (WHERE d.date_day < r.release_day) AS before_download_count,
            avg(d.download_count) FILTER (WHERE d.date_day > r.release_day) AS after_download_count
           FROM ( SELECT f.date_day,
                    COALESCE(max(f.units) FILTER (WHERE f.device_key = 0), sum(f.units) FILTER (WHERE f.device_key <> 0)) AS download_count
                   FROM core.fact_sales_metric f
                  WHERE f.app_key = r.app_key AND f.country_key = n.country_key AND f.context = 'DOWNLOAD'::text AND NOT f.is_total AND f.date_day >= (r.release_day - p.window_days) AND f.date_day <= (r.release_day + p.window_days) AND (i.unreported_days @> f.date_day) IS NOT TRUE AND (j.unreported_days @> f.date_day) IS NOT TRUE
                  GROUP BY f.date_day) d) t;

-- One row per app of the account, country and day: visits to its page in the store, as the service's retention history reports them (only on Android, and nothing else about retention), and its downloads. Needs the dataset retention, which is on. Counts may be added up across everything. Compute rates from sums over rows that have both counts. Sums over countries may be less than the total over all countries, which is in core.fact_retention and core.fact_sales_metric (is_total). How many visitors become users? In which country do we lose them?
create view mart.retention_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  date_day date, -- The day.
  store_visit_count numeric, -- Visits to the page in the Android store; null if the service reports none.
  store_download_count numeric, -- Downloads as the store reported them to the account; null if not requested.
  visit_conversion_rate numeric -- Downloads per visit, 0 to 1; above 1 if downloads happen without a visit to the page. For several rows, counting only those with known downloads: sum(store_download_count) / nullif(sum(store_visit_count) filter (where store_download_count is not null), 0).
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    v.date_day,
    v.store_visit_count,
    s.download_count AS store_download_count,
    round(s.download_count / NULLIF(v.store_visit_count, 0::numeric), 6) AS visit_conversion_rate
   FROM ( SELECT f.app_key,
            f.country_key,
            f.date_day,
            COALESCE(max(f.android_store_visit_count) FILTER (WHERE f.device_key = 0), sum(f.android_store_visit_count) FILTER (WHERE f.device_key <> 0)) AS store_visit_count
           FROM core.fact_retention f
          WHERE NOT f.is_total
          GROUP BY f.app_key, f.country_key, f.date_day) v
     JOIN core.dim_app a ON a.app_key = v.app_key
     JOIN core.dim_country c ON c.country_key = v.country_key
     LEFT JOIN LATERAL ( SELECT COALESCE(max(f.units) FILTER (WHERE f.device_key = 0), sum(f.units) FILTER (WHERE f.device_key <> 0)) AS download_count
           FROM core.fact_sales_metric f
          WHERE f.app_key = v.app_key AND f.date_day = v.date_day AND f.country_key = v.country_key AND f.context = 'DOWNLOAD'::text AND NOT f.is_total) s ON true;

-- One row per app, country, language and version: the number of reviews and their stars. Reviews of the paged Android list may name their version. For all others it is inferred (is_version_inferred): the newest version that was out when the review was written. Counts and rating_sum may be added up across everything. Compute averages from those sums. How was the last release received? Which version did users like best?
create view mart.review_by_version (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country of the store (iOS), ISO 3166-1 alpha-2; ALL on Android, and if the service reports none.
  country_name text, -- Name of the country.
  language_code text, -- Android: the language that the service reports in place of a country, in lower case (en, pt_br); empty on iOS, whose reviews have a country, and if the service reports none. It is no property of the text.
  version text, -- Version number; empty if the review names none and none can be inferred.
  is_version_inferred boolean, -- True if the version of some of the reviews is inferred: they name none, so the newest release at that time is assumed. Users may have written about an older version.
  inferred_review_count bigint, -- Reviews whose version is inferred.
  released_at timestamp without time zone, -- When the version was released, from the list of releases, without time zone; null if it is not in the list.
  first_review_day date, -- Day of the first review.
  last_review_day date, -- Day of the last review.
  review_count bigint, -- Reviews.
  rated_review_count bigint, -- Reviews with stars.
  rating_sum bigint, -- Sum of their stars.
  average_rating numeric, -- Average of the stars, 1 to 5. For several rows: sum(rating_sum) / nullif(sum(rated_review_count), 0).
  one_star_count bigint, -- Reviews with one star.
  two_star_count bigint, -- Reviews with two stars.
  three_star_count bigint, -- Reviews with three stars.
  four_star_count bigint, -- Reviews with four stars.
  five_star_count bigint -- Reviews with five stars.
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    r.language_code,
    r.version,
    r.is_version_inferred,
    r.inferred_review_count,
    r.released_at,
    r.first_review_day,
    r.last_review_day,
    r.review_count,
    r.rated_review_count,
    r.rating_sum,
    round(r.rating_sum::numeric / NULLIF(r.rated_review_count, 0)::numeric, 4) AS average_rating,
    r.one_star_count,
    r.two_star_count,
    r.three_star_count,
    r.four_star_count,
    r.five_star_count
   FROM ops.reviewed_app p
     JOIN core.dim_app a ON a.app_key = p.app_key
     CROSS JOIN LATERAL ( WITH release AS MATERIALIZED (
                 SELECT v.version,
                    min(v.version_at) AS released_at
                   FROM core.app_version v
                  WHERE v.app_key = p.app_key AND v.version <> ''::text
                  GROUP BY v.version
                ), span AS MATERIALIZED (
                 SELECT n_1.version,
                    n_1.released_at,
                    COALESCE(lead(n_1.released_at) OVER (ORDER BY n_1.released_at, n_1.version), 'infinity'::timestamp without time zone) AS replaced_at
                   FROM release n_1
                ), placed AS (
                 SELECT n_1.app_key,
                    n_1.review_id,
                    n_1.source,
                    n_1.reviewed_at,
                    n_1.country_key,
                    n_1.language_code,
                    n_1.rating,
                    n_1.title,
                    n_1.content,
                    n_1.reviewer,
                    n_1.version,
                    n_1.is_replied,
                    n_1.extra,
                    n_1.slice_id,
                    n_1.fetched_at,
                    COALESCE(NULLIF(n_1.version, ''::text), l_1.version, ''::text) AS on_version,
                    NULLIF(n_1.version, ''::text) IS NULL AND l_1.version IS NOT NULL AS is_inferred
                   FROM ops.counted_review n_1
                     LEFT JOIN span l_1 ON l_1.released_at <= n_1.reviewed_at AND n_1.reviewed_at < l_1.replaced_at AND NULLIF(n_1.version, ''::text) IS NULL
                  WHERE n_1.app_key = p.app_key
                )
         SELECT n.country_key,
            n.language_code,
            n.on_version AS version,
            bool_or(n.is_inferred) AS is_version_inferred,
            count(*) FILTER (WHERE n.is_inferred) AS inferred_review_count,
            max(l.released_at) AS released_at,
            min(n.reviewed_at)::date AS first_review_day,
            max(n.reviewed_at)::date AS last_review_day,
            count(*) AS review_count,
            count(n.rating) AS rated_review_count,
            sum(n.rating) AS rating_sum,
            count(*) FILTER (WHERE n.rating = 1) AS one_star_count,
            count(*) FILTER (WHERE n.rating = 2) AS two_star_count,
            count(*) FILTER (WHERE n.rating = 3) AS three_star_count,
            count(*) FILTER (WHERE n.rating = 4) AS four_star_count,
            count(*) FILTER (WHERE n.rating = 5) AS five_star_count
           FROM placed n
             LEFT JOIN release l ON l.version = n.on_version
          GROUP BY n.country_key, n.language_code, n.on_version) r
     JOIN core.dim_country c ON c.country_key = r.country_key;

-- One row per app, country, language and day with reviews, and one per app, country and requested day without any: the number of reviews and their stars. Counts and rating_sum may be added up across everything, as long as is_answered is true for every row. Compute averages and shares from those sums. Did the last release lead to bad reviews? In which country are users least satisfied?
create view mart.review_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country of the store (iOS), ISO 3166-1 alpha-2; ALL on Android, whose reviews have a language instead, and if the service reports none.
  country_name text, -- Name of the country.
  language_code text, -- Android: the language that the service reports in place of a country, in lower case (en, pt_br); empty on iOS, whose reviews have a country, on days without a review, and if the service reports none. It is no property of the text.
  date_day date, -- Day on which the reviews were written or last edited.
  review_source text, -- List that the reviews come from: v2 (paged), or plain on days for which v2 has no review of the app and country, or only a part while plain has all; null on days without a review.
  review_count bigint, -- Number of reviews, including those that the service listed once and does not list any more; 0 on a day that was requested and has none. A day that was not requested has no row.
  rated_review_count bigint, -- Reviews with stars.
  rating_sum bigint, -- Sum of their stars.
  average_rating numeric, -- Average of the stars, 1 to 5. For several rows: sum(rating_sum) / nullif(sum(rated_review_count), 0).
  one_star_count bigint, -- Reviews with one star.
  two_star_count bigint, -- Reviews with two stars.
  three_star_count bigint, -- Reviews with three stars.
  four_star_count bigint, -- Reviews with four stars.
  five_star_count bigint, -- Reviews with five stars.
  replied_review_count bigint, -- Reviews that the developer has answered.
  reply_known_review_count bigint, -- Reviews for which the reply status is known; 0 if answered reviews are not requested separately (option replied).
  replied_share numeric, -- Answered reviews as a share of reply_known_review_count, 0 to 1.
  is_answered boolean -- False if the row may lack some reviews of the day: an answer is missing, only reviews with a reply, only reviews without one or only some languages were requested, or the reviews do not come from requests.
) as
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    r.language_code,
    r.date_day,
    r.review_source,
    r.review_count,
    r.rated_review_count,
    COALESCE(r.rating_sum, 0::bigint) AS rating_sum,
    round(r.rating_sum::numeric / NULLIF(r.rated_review_count, 0)::numeric, 4) AS average_rating,
    r.one_star_count,
    r.two_star_count,
    r.three_star_count,
    r.four_star_count,
    r.five_star_count,
    r.replied_review_count,
    r.reply_known_review_count,
    round(r.replied_review_count::numeric / NULLIF(r.reply_known_review_count, 0)::numeric, 6) AS replied_share,
    COALESCE(q.days @> r.date_day, false) AS is_answered
   FROM ops.reviewed_app p
     JOIN core.dim_app a ON a.app_key = p.app_key
     CROSS JOIN LATERAL ( SELECT n.country_key,
            n.language_code,
            n.reviewed_at::date AS date_day,
            n.source AS review_source,
            count(*) AS review_count,
            count(n.rating) AS rated_review_count,
            sum(n.rating) AS rating_sum,
            count(*) FILTER (WHERE n.rating = 1) AS one_star_count,
            count(*) FILTER (WHERE n.rating = 2) AS two_star_count,
            count(*) FILTER (WHERE n.rating = 3) AS three_star_count,
            count(*) FILTER (WHERE n.rating = 4) AS four_star_count,
            count(*) FILTER (WHERE n.rating = 5) AS five_star_count,
            count(*) FILTER (WHERE n.is_replied) AS replied_review_count,
            count(n.is_replied) AS reply_known_review_count
           FROM ops.counted_review n
          WHERE n.app_key = p.app_key
          GROUP BY n.country_key, n.language_code, (n.reviewed_at::date), n.source) r
     JOIN core.dim_country c ON c.country_key = r.country_key
     LEFT JOIN ops.review_days q ON q.store = a.store AND q.track_id = a.track_id AND q.country_code = c.country_code
UNION ALL
 SELECT a.store,
    a.track_id,
    a.app_name,
    c.country_code,
    c.country_name,
    ''::text AS language_code,
    d.date_day,
    NULL::text AS review_source,
    0 AS review_count,
    0 AS rated_review_count,
    0 AS rating_sum,
    NULL::numeric AS average_rating,
    0 AS one_star_count,
    0 AS two_star_count,
    0 AS three_star_count,
    0 AS four_star_count,
    0 AS five_star_count,
    0 AS replied_review_count,
    0 AS reply_known_review_count,
    NULL::numeric AS replied_share,
    true AS is_answered
   FROM ops.review_days q
     JOIN core.dim_app a ON a.store = q.store AND a.track_id = q.track_id
     JOIN core.dim_country c ON c.country_code = q.country_code
     CROSS JOIN LATERAL ( SELECT q.days - COALESCE(range_agg(daterange(r.date_day, r.date_day + 1)), '{}'::datemultirange) AS days
           FROM ( SELECT n.reviewed_at::date AS date_day
                   FROM core.review n
                  WHERE n.app_key = a.app_key AND n.country_key = c.country_key AND n.source = 'v2'::text
                UNION
                 SELECT n.reviewed_at::date AS reviewed_at
                   FROM core.review n
                  WHERE n.app_key = a.app_key AND n.country_key = c.country_key AND n.source = 'plain'::text) r
         OFFSET 0) w
     CROSS JOIN LATERAL unnest(w.days) u(span)
     CROSS JOIN LATERAL ( SELECT n.n::date AS date_day
           FROM generate_series(lower(u.span)::timestamp without time zone, (upper(u.span) - 1)::timestamp without time zone, '1 day'::interval) n(n)) d;

-- One row per review in its latest form, for reading: stars, title and text with the names of the app and the country. A review that the service does not list any more stays. A review that is in both lists of a store has one row. Rows may be counted and stars averaged. What do users complain about? Which reviews wait for a reply?
create view mart.review_text (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country of the store (iOS), ISO 3166-1 alpha-2; ALL on Android, and if the service reports none.
  country_name text, -- Name of the country.
  language_code text, -- Android: the language that the service reports in place of a country, in lower case (en, pt_br); empty on iOS, whose reviews have a country, and if the service reports none. It is no property of the text.
  date_day date, -- Day on which it was written or last edited.
  reviewed_at timestamp without time zone, -- When it was written or last edited, as the service reports it, without time zone.
  rating integer, -- Stars, 1 to 5.
  title text, -- Title; null if the review has none.
  content text, -- Text in any language and script.
  reviewer_name text, -- Name of the reviewer.
  version text, -- Reviewed version of the app, if the service reports it (Android, list v2).
  is_replied boolean, -- True when the developer has answered it; null if answered reviews are not requested separately (option replied of the dataset review).
  review_source text, -- List that the review comes from: v2 (paged), or plain on days for which v2 has no review of the app and country, or only a part while plain has all.
  review_id text -- Id of the review in its list.
) as
 SELECT a.store,
    a.track_id,
    COALESCE(a.app_name, a.track_id) AS app_name,
    c.country_code,
    c.country_name,
    r.language_code,
    r.reviewed_at::date AS date_day,
    r.reviewed_at,
    r.rating,
    r.title,
    r.content,
    r.reviewer AS reviewer_name,
    NULLIF(r.version, ''::text) AS version,
    r.is_replied,
    r.source AS review_source,
    r.review_id
   FROM ops.counted_review r
     LEFT JOIN core.dim_app a ON a.app_key = r.app_key
     LEFT JOIN core.dim_country c ON c.country_key = r.country_key;

-- One row per ad group, country, day, currency, attribution and goal, with its segments (gender, age, device, customers) added up. Choose one currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else. Compute ratios from the sums. Which ad groups spend money without installs? What does a tap cost in each?
create view mart.search_ads_ad_group_report (
  org_id text, -- Search-ads organisation.
  org_name text, -- Name of the organisation.
  track_id text, -- Advertised app; empty for none.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL if the row is not about a single country.
  campaign_id text, -- Campaign; empty for none.
  campaign_name text, -- Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.
  ad_group_id text, -- Ad group; empty for none.
  ad_group_name text, -- Name of the ad group as reported with the row. A renamed ad group has several names, so group by its id.
  date_day date, -- The day.
  currency text, -- Requested currency of the money. The same spend has one row for each requested currency.
  attribution text, -- How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.
  is_primary_currency boolean, -- True for the currency with the most days of reports (ops.search_ads_default).
  is_default_attribution boolean, -- True for the attribution with the most days of reports (ops.search_ads_default).
  goal_id text, -- Requested goal; empty if none. Without a goal, the goal columns have no meaning.
  spend numeric, -- Money spent, in currency, as now reported.
  impression_count numeric, -- Impressions, as now reported.
  tap_count numeric, -- Taps, as now reported.
  install_count numeric, -- Installs, new downloads and redownloads together, as now reported.
  new_download_count numeric, -- Installs by new users, as now reported.
  redownload_count numeric, -- Installs by earlier users, as now reported.
  attributed_install_count numeric, -- Installs that the measurement partner attributes, as now reported.
  goal_count numeric, -- Number of times the goal was reached, as now reported.
  goal_revenue numeric, -- Revenue of the goal, in currency, as now reported.
  original_currency text, -- The organisation's own currency as last seen, even if it has been disconnected since; null if unknown.
  original_spend numeric, -- Money spent, in original_currency; null if the service does not report it.
  original_goal_revenue numeric, -- Revenue of the goal, in original_currency; null if the service does not report it.
  tap_through_share numeric, -- Taps per impression, 0 to 1.
  conversion_rate numeric, -- Installs per tap, 0 to 1; above 1 when installs happen on a later day than their taps.
  cost_per_tap numeric, -- Spend per tap, in currency.
  cost_per_install numeric, -- Spend per install, in currency.
  cost_per_goal numeric, -- Spend per goal, in currency.
  return_on_spend numeric, -- Revenue of the goal per unit of spend.
  first_spend numeric, -- Money spent, in currency, as first reported.
  first_impression_count numeric, -- Impressions, as first reported.
  first_tap_count numeric, -- Taps, as first reported.
  first_install_count numeric, -- Installs, new downloads and redownloads together, as first reported.
  first_new_download_count numeric, -- Installs by new users, as first reported.
  first_redownload_count numeric, -- Installs by earlier users, as first reported.
  first_attributed_install_count numeric, -- Installs that the measurement partner attributes, as first reported.
  first_goal_count numeric, -- Number of times the goal was reached, as first reported.
  first_goal_revenue numeric, -- Revenue of the goal, in currency, as first reported.
  first_reported_at timestamp with time zone, -- When the first answer that reported it was received.
  last_changed_at timestamp with time zone, -- When the answer that last changed the row was received, also if no figure changed, but only a name or a state of the entity.
  is_restated boolean, -- True if a later answer changed a figure that was first reported (first_spend and those like it), or left the row out.
  is_withdrawn boolean -- True if the newest answer no longer reports the row. The figures as now reported are then null.
) as
 SELECT org_id,
    max(org_name) AS org_name,
    track_id,
    max(app_name) AS app_name,
    country_code,
    campaign_id,
    max(campaign_name) AS campaign_name,
    ad_group_id,
    max(ad_group_name) AS ad_group_name,
    date_day,
    currency,
    attribution,
    bool_and(is_primary_currency) AS is_primary_currency,
    bool_and(is_default_attribution) AS is_default_attribution,
    goal_id,
    sum(spend) AS spend,
    sum(impression_count) AS impression_count,
    sum(tap_count) AS tap_count,
    sum(install_count) AS install_count,
    sum(new_download_count) AS new_download_count,
    sum(redownload_count) AS redownload_count,
    sum(attributed_install_count) AS attributed_install_count,
    sum(goal_count) AS goal_count,
    sum(goal_revenue) AS goal_revenue,
    original_currency,
        CASE
            WHEN count(*) FILTER (WHERE spend IS NOT NULL AND original_spend IS NULL) = 0 THEN sum(original_spend)
            ELSE NULL::numeric
        END AS original_spend,
        CASE
            WHEN count(*) FILTER (WHERE goal_revenue IS NOT NULL AND original_goal_revenue IS NULL) = 0 THEN sum(original_goal_revenue)
            ELSE NULL::numeric
        END AS original_goal_revenue,
    round(sum(tap_count) / NULLIF(sum(impression_count), 0::numeric), 6) AS tap_through_share,
    round(sum(install_count) / NULLIF(sum(tap_count), 0::numeric), 6) AS conversion_rate,
    round(sum(spend) / NULLIF(sum(tap_count), 0::numeric), 4) AS cost_per_tap,
    round(sum(spend) / NULLIF(sum(install_count), 0::numeric), 4) AS cost_per_install,
    round(sum(spend) / NULLIF(sum(goal_count), 0::numeric), 4) AS cost_per_goal,
    round(sum(goal_revenue) / NULLIF(sum(spend), 0::numeric), 4) AS return_on_spend,
    sum(first_spend) AS first_spend,
    sum(first_impression_count) AS first_impression_count,
    sum(first_tap_count) AS first_tap_count,
    sum(first_install_count) AS first_install_count,
    sum(first_new_download_count) AS first_new_download_count,
    sum(first_redownload_count) AS first_redownload_count,
    sum(first_attributed_install_count) AS first_attributed_install_count,
    sum(first_goal_count) AS first_goal_count,
    sum(first_goal_revenue) AS first_goal_revenue,
    min(first_reported_at) AS first_reported_at,
    max(last_changed_at) AS last_changed_at,
    bool_or(is_restated) AS is_restated,
    bool_and(is_withdrawn) AS is_withdrawn
   FROM mart.search_ads_daily r
  WHERE report_level = 'AD_GROUP'::text
  GROUP BY org_id, track_id, country_code, campaign_id, ad_group_id, date_day, currency, attribution, goal_id, original_currency;

-- One row per campaign, country, day, currency, attribution and goal. Choose one currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else. Compute ratios from the sums. What does an install cost in each campaign? How much have last week's figures changed since they were first reported?
create view mart.search_ads_campaign_report (
  org_id text, -- Search-ads organisation.
  org_name text, -- Name of the organisation.
  track_id text, -- Advertised app; empty for none.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL if the row is not about a single country.
  campaign_id text, -- Campaign; empty for none.
  campaign_name text, -- Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.
  date_day date, -- The day.
  currency text, -- Requested currency of the money. The same spend has one row for each requested currency.
  attribution text, -- How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.
  is_primary_currency boolean, -- True for the currency with the most days of reports (ops.search_ads_default).
  is_default_attribution boolean, -- True for the attribution with the most days of reports (ops.search_ads_default).
  goal_id text, -- Requested goal; empty if none. Without a goal, the goal columns have no meaning.
  spend numeric, -- Money spent, in currency, as now reported.
  impression_count numeric, -- Impressions, as now reported.
  tap_count numeric, -- Taps, as now reported.
  install_count numeric, -- Installs, new downloads and redownloads together, as now reported.
  new_download_count numeric, -- Installs by new users, as now reported.
  redownload_count numeric, -- Installs by earlier users, as now reported.
  attributed_install_count numeric, -- Installs that the measurement partner attributes, as now reported.
  goal_count numeric, -- Number of times the goal was reached, as now reported.
  goal_revenue numeric, -- Revenue of the goal, in currency, as now reported.
  original_currency text, -- The organisation's own currency as last seen, even if it has been disconnected since; null if unknown.
  original_spend numeric, -- Money spent, in original_currency; null if the service does not report it.
  original_goal_revenue numeric, -- Revenue of the goal, in original_currency; null if the service does not report it.
  tap_through_share numeric, -- Taps per impression, 0 to 1.
  conversion_rate numeric, -- Installs per tap, 0 to 1; above 1 when installs happen on a later day than their taps.
  cost_per_tap numeric, -- Spend per tap, in currency.
  cost_per_install numeric, -- Spend per install, in currency.
  cost_per_goal numeric, -- Spend per goal, in currency.
  return_on_spend numeric, -- Revenue of the goal per unit of spend.
  first_spend numeric, -- Money spent, in currency, as first reported.
  first_impression_count numeric, -- Impressions, as first reported.
  first_tap_count numeric, -- Taps, as first reported.
  first_install_count numeric, -- Installs, new downloads and redownloads together, as first reported.
  first_new_download_count numeric, -- Installs by new users, as first reported.
  first_redownload_count numeric, -- Installs by earlier users, as first reported.
  first_attributed_install_count numeric, -- Installs that the measurement partner attributes, as first reported.
  first_goal_count numeric, -- Number of times the goal was reached, as first reported.
  first_goal_revenue numeric, -- Revenue of the goal, in currency, as first reported.
  first_reported_at timestamp with time zone, -- When the first answer that reported it was received.
  last_changed_at timestamp with time zone, -- When the answer that last changed the row was received, also if no figure changed, but only a name or a state of the entity.
  is_restated boolean, -- True if a later answer changed a figure that was first reported (first_spend and those like it), or left the row out.
  is_withdrawn boolean -- True if the newest answer no longer reports the row. The figures as now reported are then null.
) as
 SELECT org_id,
    max(org_name) AS org_name,
    track_id,
    max(app_name) AS app_name,
    country_code,
    campaign_id,
    max(campaign_name) AS campaign_name,
    date_day,
    currency,
    attribution,
    bool_and(is_primary_currency) AS is_primary_currency,
    bool_and(is_default_attribution) AS is_default_attribution,
    goal_id,
    sum(spend) AS spend,
    sum(impression_count) AS impression_count,
    sum(tap_count) AS tap_count,
    sum(install_count) AS install_count,
    sum(new_download_count) AS new_download_count,
    sum(redownload_count) AS redownload_count,
    sum(attributed_install_count) AS attributed_install_count,
    sum(goal_count) AS goal_count,
    sum(goal_revenue) AS goal_revenue,
    original_currency,
        CASE
            WHEN count(*) FILTER (WHERE spend IS NOT NULL AND original_spend IS NULL) = 0 THEN sum(original_spend)
            ELSE NULL::numeric
        END AS original_spend,
        CASE
            WHEN count(*) FILTER (WHERE goal_revenue IS NOT NULL AND original_goal_revenue IS NULL) = 0 THEN sum(original_goal_revenue)
            ELSE NULL::numeric
        END AS original_goal_revenue,
    round(sum(tap_count) / NULLIF(sum(impression_count), 0::numeric), 6) AS tap_through_share,
    round(sum(install_count) / NULLIF(sum(tap_count), 0::numeric), 6) AS conversion_rate,
    round(sum(spend) / NULLIF(sum(tap_count), 0::numeric), 4) AS cost_per_tap,
    round(sum(spend) / NULLIF(sum(install_count), 0::numeric), 4) AS cost_per_install,
    round(sum(spend) / NULLIF(sum(goal_count), 0::numeric), 4) AS cost_per_goal,
    round(sum(goal_revenue) / NULLIF(sum(spend), 0::numeric), 4) AS return_on_spend,
    sum(first_spend) AS first_spend,
    sum(first_impression_count) AS first_impression_count,
    sum(first_tap_count) AS first_tap_count,
    sum(first_install_count) AS first_install_count,
    sum(first_new_download_count) AS first_new_download_count,
    sum(first_redownload_count) AS first_redownload_count,
    sum(first_attributed_install_count) AS first_attributed_install_count,
    sum(first_goal_count) AS first_goal_count,
    sum(first_goal_revenue) AS first_goal_revenue,
    min(first_reported_at) AS first_reported_at,
    max(last_changed_at) AS last_changed_at,
    bool_or(is_restated) AS is_restated,
    bool_and(is_withdrawn) AS is_withdrawn
   FROM mart.search_ads_daily r
  WHERE report_level = 'CAMPAIGN'::text
  GROUP BY org_id, track_id, country_code, campaign_id, date_day, currency, attribution, goal_id, original_currency;

-- One row per search-ads entity (campaign, ad group, keyword ...) and day, without totals, with figures as now reported and as first reported. Choose one report_level, currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else, original_spend within one original_currency. search_ads_daily_default has made these choices. What did we spend per campaign yesterday? Which keywords lead to installs?
create view mart.search_ads_daily (
  org_id text, -- Search-ads organisation.
  org_name text, -- Name of the organisation.
  report_level text, -- Level of the row: CAMPAIGN, AD_GROUP, KEYWORD ... Each level repeats the same figures.
  currency text, -- Requested currency of the money. The same spend has one row for each requested currency.
  attribution text, -- How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.
  is_primary_currency boolean, -- True for the currency with the most days of reports (ops.search_ads_default).
  is_default_attribution boolean, -- True for the attribution with the most days of reports (ops.search_ads_default).
  goal_id text, -- Requested goal; empty if none. Without a goal, the goal columns have no meaning.
  date_day date, -- The day.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL if the row is not about a single country.
  track_id text, -- Advertised app; empty for none.
  app_name text, -- Name of the app.
  campaign_id text, -- Campaign; empty for none.
  campaign_name text, -- Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.
  ad_group_id text, -- Ad group; empty for none.
  ad_group_name text, -- Name of the ad group as reported with the row. A renamed ad group has several names, so group by its id.
  ad_id text, -- Ad; empty for none.
  ad_name text, -- Name of the ad.
  product_page text, -- Custom product page: its id, or its name if it has no id; empty for none.
  product_page_name text, -- Name of the product page.
  keyword_id text, -- Keyword, or negative keyword; empty for none.
  keyword text, -- Text of the keyword.
  search_term text, -- What people searched for; empty for none.
  match_type text, -- How the keyword must match.
  gender text, -- Segment; empty for none.
  age text, -- Segment; empty for none.
  device_class text, -- Segment; empty for none.
  customer_type text, -- Segment; empty for none.
  segment text, -- Further fields that distinguish rows with the same values in all columns above, as JSON text; empty if they are not needed.
  spend numeric, -- Money spent, in currency, as now reported.
  impression_count numeric, -- Impressions, as now reported.
  tap_count numeric, -- Taps, as now reported.
  install_count numeric, -- Installs, new downloads and redownloads together, as now reported.
  new_download_count numeric, -- Installs by new users, as now reported.
  redownload_count numeric, -- Installs by earlier users, as now reported.
  attributed_install_count numeric, -- Installs that the measurement partner attributes, as now reported.
  goal_count numeric, -- Number of times the goal was reached, as now reported.
  goal_revenue numeric, -- Revenue of the goal, in currency, as now reported.
  original_currency text, -- The organisation's own currency as last seen, even if it has been disconnected since; null if unknown.
  original_spend numeric, -- Money spent, in original_currency; null if the service does not report it.
  original_goal_revenue numeric, -- Revenue of the goal, in original_currency; null if the service does not report it.
  first_spend numeric, -- Money spent, in currency, as first reported.
  first_impression_count numeric, -- Impressions, as first reported.
  first_tap_count numeric, -- Taps, as first reported.
  first_install_count numeric, -- Installs, new downloads and redownloads together, as first reported.
  first_new_download_count numeric, -- Installs by new users, as first reported.
  first_redownload_count numeric, -- Installs by earlier users, as first reported.
  first_attributed_install_count numeric, -- Installs that the measurement partner attributes, as first reported.
  first_goal_count numeric, -- Number of times the goal was reached, as first reported.
  first_goal_revenue numeric, -- Revenue of the goal, in currency, as first reported.
  first_reported_at timestamp with time zone, -- When the first answer that reported it was received.
  last_changed_at timestamp with time zone, -- When the answer that last changed the row was received, also if no figure changed, but only a name or a state of the entity.
  is_restated boolean, -- True if a later answer changed a figure that was first reported (first_spend and those like it), or left the row out.
  is_withdrawn boolean, -- True if the newest answer no longer reports the row. The figures as now reported are then null.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 WITH reported AS (
         SELECT f_1.org_id,
            f_1.report_level,
            f_1.grain,
            f_1.currency,
            f_1.attribution,
            f_1.goal_id,
            f_1.period_start,
            f_1.period_end,
            f_1.is_total,
            f_1.app_id,
            f_1.campaign_id,
            f_1.ad_group_id,
            f_1.keyword_id,
            f_1.ad_id,
            f_1.product_page,
            f_1.search_term,
            f_1.match_type,
            f_1.country_key,
            f_1.gender,
            f_1.age,
            f_1.device_class,
            f_1.customer_type,
            f_1.segment,
            f_1.report_type,
            f_1.date_day,
            f_1.app_key,
            f_1.keyword_key,
            f_1.org_name,
            f_1.app_name,
            f_1.campaign_name,
            f_1.ad_group_name,
            f_1.ad_name,
            f_1.product_page_name,
            f_1.spend,
            f_1.impression_count,
            f_1.tap_count,
            f_1.install_count,
            f_1.new_download_count,
            f_1.redownload_count,
            f_1.lat_on_install_count,
            f_1.lat_off_install_count,
            f_1.cpa,
            f_1.cpt,
            f_1.cpm,
            f_1.ttr,
            f_1.cr,
            f_1.attributed_install_count,
            f_1.attributed_install_rate,
            f_1.cpi,
            f_1.goal_count,
            f_1.goal_count_1d,
            f_1.goal_count_3d,
            f_1.goal_count_7d,
            f_1.goal_count_14d,
            f_1.goal_count_30d,
            f_1.goal_rate,
            f_1.cost_per_goal,
            f_1.cpa_goal,
            f_1.goal_revenue,
            f_1.goal_revenue_1d,
            f_1.goal_revenue_3d,
            f_1.goal_revenue_7d,
            f_1.goal_revenue_14d,
            f_1.goal_revenue_30d,
            f_1.goal_roas,
            f_1.goal_roas_1d,
            f_1.goal_roas_3d,
            f_1.goal_roas_7d,
            f_1.goal_roas_14d,
            f_1.goal_roas_30d,
            f_1.revenue_per_goal,
            f_1.arpu,
            f_1.default_bid,
            f_1.daily_budget,
            f_1.started_at,
            f_1.ad_channel_type,
            f_1.billing_event,
            f_1.pricing_model,
            f_1.campaign_status,
            f_1.ad_group_status,
            f_1.display_status,
            f_1.serving_status_reasons,
            f_1.search_match,
            f_1.countries,
            f_1.country_statuses,
            f_1.supply_sources,
            f_1.original,
            f_1.extra,
            f_1.slice_id,
            f_1.fetched_at,
            false AS is_withdrawn
           FROM core.fact_search_ads_report f_1
          WHERE f_1.grain = 'day'::text AND NOT f_1.is_total
        UNION ALL
         SELECT g.org_id,
            g.report_level,
            g.grain,
            g.currency,
            g.attribution,
            g.goal_id,
            g.period_start,
            g.period_end,
            g.is_total,
            g.app_id,
            g.campaign_id,
            g.ad_group_id,
            g.keyword_id,
            g.ad_id,
            g.product_page,
            g.search_term,
            g.match_type,
            g.country_key,
            g.gender,
            g.age,
            g.device_class,
            g.customer_type,
            g.segment,
            g.report_type,
            g.date_day,
            g.app_key,
            g.keyword_key,
            g.org_name,
            g.app_name,
            g.campaign_name,
            g.ad_group_name,
            g.ad_name,
            g.product_page_name,
            g.spend,
            g.impression_count,
            g.tap_count,
            g.install_count,
            g.new_download_count,
            g.redownload_count,
            g.lat_on_install_count,
            g.lat_off_install_count,
            g.cpa,
            g.cpt,
            g.cpm,
            g.ttr,
            g.cr,
            g.attributed_install_count,
            g.attributed_install_rate,
            g.cpi,
            g.goal_count,
            g.goal_count_1d,
            g.goal_count_3d,
            g.goal_count_7d,
            g.goal_count_14d,
            g.goal_count_30d,
            g.goal_rate,
            g.cost_per_goal,
            g.cpa_goal,
            g.goal_revenue,
            g.goal_revenue_1d,
            g.goal_revenue_3d,
            g.goal_revenue_7d,
            g.goal_revenue_14d,
            g.goal_revenue_30d,
            g.goal_roas,
            g.goal_roas_1d,
            g.goal_roas_3d,
            g.goal_roas_7d,
            g.goal_roas_14d,
            g.goal_roas_30d,
            g.revenue_per_goal,
            g.arpu,
            g.default_bid,
            g.daily_budget,
            g.started_at,
            g.ad_channel_type,
            g.billing_event,
            g.pricing_model,
            g.campaign_status,
            g.ad_group_status,
            g.display_status,
            g.serving_status_reasons,
            g.search_match,
            g.countries,
            g.country_statuses,
            g.supply_sources,
            g.original,
            g.extra,
            g.slice_id,
            g.fetched_at,
            true
           FROM ( SELECT DISTINCT ON (r_1.row_hash) r_1.row_key,
                    r_1.was
                   FROM ops.restated_value r_1
                  WHERE r_1.table_name = 'core.fact_search_ads_report'::text AND r_1.became IS NULL AND NOT (EXISTS ( SELECT
                           FROM ops.dropped_month o_1
                          WHERE o_1.table_name = r_1.table_name AND o_1.is_done AND o_1.month_start = date_trunc('month'::text, r_1.date_day::timestamp without time zone)::date AND o_1.dropped_at >= r_1.changed_at))
                  ORDER BY r_1.row_hash, r_1.changed_at DESC) r
             CROSS JOIN LATERAL jsonb_populate_record(NULL::core.fact_search_ads_report, r.was || r.row_key) g(org_id, report_level, grain, currency, attribution, goal_id, period_start, period_end, is_total, app_id, campaign_id, ad_group_id, keyword_id, ad_id, product_page, search_term, match_type, country_key, gender, age, device_class, customer_type, segment, report_type, date_day, app_key, keyword_key, org_name, app_name, campaign_name, ad_group_name, ad_name, product_page_name, spend, impression_count, tap_count, install_count, new_download_count, redownload_count, lat_on_install_count, lat_off_install_count, cpa, cpt, cpm, ttr, cr, attributed_install_count, attributed_install_rate, cpi, goal_count, goal_count_1d, goal_count_3d, goal_count_7d, goal_count_14d, goal_count_30d, goal_rate, cost_per_goal, cpa_goal, goal_revenue, goal_revenue_1d, goal_revenue_3d, goal_revenue_7d, goal_revenue_14d, goal_revenue_30d, goal_roas, goal_roas_1d, goal_roas_3d, goal_roas_7d, goal_roas_14d, goal_roas_30d, revenue_per_goal, arpu, default_bid, daily_budget, started_at, ad_channel_type, billing_event, pricing_model, campaign_status, ad_group_status, display_status, serving_status_reasons, search_match, countries, country_statuses, supply_sources, original, extra, slice_id, fetched_at)
          WHERE g.grain = 'day'::text AND NOT g.is_total AND NOT (EXISTS ( SELECT
                   FROM core.fact_search_ads_report f_1
                  WHERE f_1.org_id = g.org_id AND f_1.report_level = g.report_level AND f_1.grain = g.grain AND f_1.currency = g.currency AND f_1.attribution = g.attribution AND f_1.goal_id = g.goal_id AND f_1.period_start = g.period_start AND f_1.period_end = g.period_end AND f_1.is_total = g.is_total AND f_1.app_id = g.app_id AND f_1.campaign_id = g.campaign_id AND f_1.ad_group_id = g.ad_group_id AND f_1.keyword_id = g.keyword_id AND f_1.ad_id = g.ad_id AND f_1.product_page = g.product_page AND f_1.search_term = g.search_term AND f_1.match_type = g.match_type AND f_1.country_key = g.country_key AND f_1.gender = g.gender AND f_1.age = g.age AND f_1.device_class = g.device_class AND f_1.customer_type = g.customer_type AND f_1.segment = g.segment))
        )
 SELECT f.org_id,
    f.org_name,
    f.report_level,
    f.currency,
    f.attribution,
    f.currency = (( SELECT p.currency
           FROM ops.search_ads_default p)) AS is_primary_currency,
    f.attribution = (( SELECT p.attribution
           FROM ops.search_ads_default p)) AS is_default_attribution,
    f.goal_id,
    f.period_start AS date_day,
    c.country_code,
    f.app_id AS track_id,
    COALESCE(a.app_name, f.app_name) AS app_name,
    f.campaign_id,
    f.campaign_name,
    f.ad_group_id,
    f.ad_group_name,
    f.ad_id,
    f.ad_name,
    f.product_page,
    f.product_page_name,
    f.keyword_id,
    k.keyword,
    f.search_term,
    f.match_type,
    f.gender,
    f.age,
    f.device_class,
    f.customer_type,
    f.segment,
    w.spend,
    w.impression_count,
    w.tap_count,
    w.install_count,
    w.new_download_count,
    w.redownload_count,
    w.attributed_install_count,
    w.goal_count,
    w.goal_revenue,
    i.currency AS original_currency,
        CASE
            WHEN (w.original ->> 'spend'::text) ~ '^-?[0-9]+([.][0-9]+)?$'::text THEN (w.original ->> 'spend'::text)::numeric
            ELSE NULL::numeric
        END AS original_spend,
        CASE
            WHEN (w.original ->> 'goalRevenue'::text) ~ '^-?[0-9]+([.][0-9]+)?$'::text THEN (w.original ->> 'goalRevenue'::text)::numeric
            ELSE NULL::numeric
        END AS original_goal_revenue,
        CASE
            WHEN o.was ? 'spend'::text THEN (o.was ->> 'spend'::text)::numeric
            ELSE f.spend
        END AS first_spend,
        CASE
            WHEN o.was ? 'impression_count'::text THEN (o.was ->> 'impression_count'::text)::numeric
            ELSE f.impression_count
        END AS first_impression_count,
        CASE
            WHEN o.was ? 'tap_count'::text THEN (o.was ->> 'tap_count'::text)::numeric
            ELSE f.tap_count
        END AS first_tap_count,
        CASE
            WHEN o.was ? 'install_count'::text THEN (o.was ->> 'install_count'::text)::numeric
            ELSE f.install_count
        END AS first_install_count,
        CASE
            WHEN o.was ? 'new_download_count'::text THEN (o.was ->> 'new_download_count'::text)::numeric
            ELSE f.new_download_count
        END AS first_new_download_count,
        CASE
            WHEN o.was ? 'redownload_count'::text THEN (o.was ->> 'redownload_count'::text)::numeric
            ELSE f.redownload_count
        END AS first_redownload_count,
        CASE
            WHEN o.was ? 'attributed_install_count'::text THEN (o.was ->> 'attributed_install_count'::text)::numeric
            ELSE f.attributed_install_count
        END AS first_attributed_install_count,
        CASE
            WHEN o.was ? 'goal_count'::text THEN (o.was ->> 'goal_count'::text)::numeric
            ELSE f.goal_count
        END AS first_goal_count,
        CASE
            WHEN o.was ? 'goal_revenue'::text THEN (o.was ->> 'goal_revenue'::text)::numeric
            ELSE f.goal_revenue
        END AS first_goal_revenue,
    COALESCE(o.seen_at, f.fetched_at) AS first_reported_at,
    GREATEST(o.changed_at, f.fetched_at) AS last_changed_at,
    COALESCE(o.was ?| '{spend,impression_count,tap_count,install_count,new_download_count,redownload_count,attributed_install_count,goal_count,goal_revenue}'::text[], false) AS is_restated,
    f.is_withdrawn,
    kg.keyword_groups,
    ag.app_groups
   FROM reported f
     JOIN core.dim_country c ON c.country_key = f.country_key
     LEFT JOIN core.dim_app a ON a.app_key = f.app_key
     LEFT JOIN core.dim_keyword k ON k.keyword_key = f.keyword_key
     LEFT JOIN LATERAL ( SELECT string_agg(DISTINCT n.group_name, ', '::text ORDER BY n.group_name) AS keyword_groups
           FROM core.grouped_keyword n
          WHERE lower(n.keyword) = lower(k.keyword)) kg ON true
     LEFT JOIN ops.app_groups ag ON ag.store = 'ios'::text AND ag.track_id = f.app_id
     LEFT JOIN ops.search_ads_own_currency i ON i.org_id = f.org_id
     LEFT JOIN LATERAL ( SELECT f.spend,
            f.impression_count,
            f.tap_count,
            f.install_count,
            f.new_download_count,
            f.redownload_count,
            f.attributed_install_count,
            f.goal_count,
            f.goal_revenue,
            f.original
          WHERE NOT f.is_withdrawn) w ON true
     LEFT JOIN LATERAL ( SELECT min(r.seen_at) AS seen_at,
            max(r.changed_at) AS changed_at,
            jsonb_object_agg(e.name, e.value ORDER BY r.changed_at DESC) AS was
           FROM ops.restated_value r
             CROSS JOIN LATERAL jsonb_each(r.was) e(name, value)
          WHERE r.table_name = 'core.fact_search_ads_report'::text AND r.row_hash = md5((( SELECT to_jsonb(v.*) AS to_jsonb
                   FROM ( SELECT f.org_id,
                            f.report_level,
                            f.grain,
                            f.currency,
                            f.attribution,
                            f.goal_id,
                            f.period_start,
                            f.period_end,
                            f.is_total,
                            f.app_id,
                            f.campaign_id,
                            f.ad_group_id,
                            f.keyword_id,
                            f.ad_id,
                            f.product_page,
                            f.search_term,
                            f.match_type,
                            f.country_key,
                            f.gender,
                            f.age,
                            f.device_class,
                            f.customer_type,
                            f.segment) v))::text)::uuid) o ON true;

-- One row per campaign, country and day, in one currency and attribution (ops.search_ads_default) and as now reported. Counts and money may be added up across everything, as long as is_complete is true for every row. Compute ratios from the sums. What did we spend last month? What does an install cost?
create view mart.search_ads_daily_default (
  org_id text, -- Search-ads organisation.
  org_name text, -- Name of the organisation.
  track_id text, -- Advertised app; empty for none.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL if the row is not about a single country.
  campaign_id text, -- Campaign; empty for none.
  campaign_name text, -- Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.
  date_day date, -- The day.
  currency text, -- Requested currency of the money. The same spend has one row for each requested currency.
  attribution text, -- How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.
  spend numeric, -- Money spent, in currency, as now reported.
  impression_count numeric, -- Impressions, as now reported.
  tap_count numeric, -- Taps, as now reported.
  install_count numeric, -- Installs, new downloads and redownloads together, as now reported.
  new_download_count numeric, -- Installs by new users, as now reported.
  redownload_count numeric, -- Installs by earlier users, as now reported.
  left_out_org_count bigint, -- Number of organisations with reports but none in this currency and attribution: sums leave them out. The same number on all rows: do not add it up.
  is_complete boolean -- True when the reports of every organisation have an answer for the day (ops.search_ads_answered_day). If false, sums across organisations are incomplete.
) as
 SELECT org_id,
    org_name,
    track_id,
    app_name,
    country_code,
    campaign_id,
    campaign_name,
    date_day,
    currency,
    attribution,
    spend,
    impression_count,
    tap_count,
    install_count,
    new_download_count,
    redownload_count,
    ( SELECT d.left_out_org_count
           FROM ops.search_ads_default d) AS left_out_org_count,
    (date_day IN ( SELECT n.date_day
           FROM ops.search_ads_answered_day n)) AS is_complete
   FROM mart.search_ads_campaign_report r
  WHERE is_primary_currency AND is_default_attribution AND goal_id = ''::text AND NOT is_withdrawn;

-- One row per campaign, country and day, with its spend in the reporting currency, by the rates that the user loads into core.reporting_rate. Counts and reporting_spend may be added up across everything, as long as is_converted and is_complete are true for every row; money_spend within one money_currency. What did all organisations spend together? How much of it is in each currency?
create view mart.search_ads_daily_reporting (
  org_id text, -- Search-ads organisation.
  org_name text, -- Name of the organisation.
  track_id text, -- Advertised app; empty for none.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL if the row is not about a single country.
  campaign_id text, -- Campaign; empty for none.
  campaign_name text, -- Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.
  date_day date, -- The day.
  money_currency text, -- Currency of money_spend: the organisation's own, if it is known and the service reports the money in it, else that of ops.search_ads_default.
  money_spend numeric, -- Money spent, in money_currency.
  reporting_currency text, -- The reporting currency, from core.reporting_currency; null until there is one.
  reporting_spend numeric, -- Money spent, in reporting_currency; null if there is no rate for the day or for the 30 days before it.
  impression_count numeric, -- Impressions, as now reported.
  tap_count numeric, -- Taps, as now reported.
  install_count numeric, -- Installs, new downloads and redownloads together, as now reported.
  is_converted boolean, -- False if reporting_spend is null: a sum that includes such rows covers only a part of the spend.
  left_out_org_count bigint, -- Number of organisations with reports but none in the currency and attribution of ops.search_ads_default: sums leave them out. The same number on all rows: do not add it up.
  is_complete boolean -- True when the reports of every organisation have an answer for the day (ops.search_ads_answered_day). If false, sums across organisations are incomplete.
) as
 SELECT r.org_id,
    r.org_name,
    r.track_id,
    r.app_name,
    r.country_code,
    r.campaign_id,
    r.campaign_name,
    r.date_day,
    m.money_currency,
    m.money_spend,
    c.currency AS reporting_currency,
    v.spend AS reporting_spend,
    r.impression_count,
    r.tap_count,
    r.install_count,
    v.spend IS NOT NULL AS is_converted,
    ( SELECT d.left_out_org_count
           FROM ops.search_ads_default d) AS left_out_org_count,
    (r.date_day IN ( SELECT n.date_day
           FROM ops.search_ads_answered_day n)) AS is_complete
   FROM mart.search_ads_campaign_report r
     CROSS JOIN LATERAL ( SELECT r.original_spend IS NOT NULL AND r.original_currency IS NOT NULL AS is_own) b
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN b.is_own THEN r.original_currency
                    ELSE r.currency
                END AS money_currency,
                CASE
                    WHEN b.is_own THEN r.original_spend
                    ELSE r.spend
                END AS money_spend) m
     CROSS JOIN LATERAL ( SELECT round(core.in_reporting_currency(m.money_spend, m.money_currency, r.date_day), 4) AS spend) v
     LEFT JOIN core.reporting_currency c ON true
  WHERE r.is_primary_currency AND r.is_default_attribution AND r.goal_id = ''::text AND NOT r.is_withdrawn;

-- One row per keyword of an ad group, country, day, currency, attribution and goal. Choose one currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else. Compute ratios from the sums. Which keywords lead to installs, and at what cost? Which taps lead to no install?
create view mart.search_ads_keyword_report (
  org_id text, -- Search-ads organisation.
  org_name text, -- Name of the organisation.
  track_id text, -- Advertised app; empty for none.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL if the row is not about a single country.
  campaign_id text, -- Campaign; empty for none.
  campaign_name text, -- Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.
  ad_group_id text, -- Ad group; empty for none.
  ad_group_name text, -- Name of the ad group as reported with the row. A renamed ad group has several names, so group by its id.
  keyword_id text, -- Keyword, or negative keyword; empty for none.
  keyword text, -- Text of the keyword.
  match_type text, -- How the keyword must match.
  date_day date, -- The day.
  currency text, -- Requested currency of the money. The same spend has one row for each requested currency.
  attribution text, -- How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.
  is_primary_currency boolean, -- True for the currency with the most days of reports (ops.search_ads_default).
  is_default_attribution boolean, -- True for the attribution with the most days of reports (ops.search_ads_default).
  goal_id text, -- Requested goal; empty if none. Without a goal, the goal columns have no meaning.
  spend numeric, -- Money spent, in currency, as now reported.
  impression_count numeric, -- Impressions, as now reported.
  tap_count numeric, -- Taps, as now reported.
  install_count numeric, -- Installs, new downloads and redownloads together, as now reported.
  new_download_count numeric, -- Installs by new users, as now reported.
  redownload_count numeric, -- Installs by earlier users, as now reported.
  attributed_install_count numeric, -- Installs that the measurement partner attributes, as now reported.
  goal_count numeric, -- Number of times the goal was reached, as now reported.
  goal_revenue numeric, -- Revenue of the goal, in currency, as now reported.
  original_currency text, -- The organisation's own currency as last seen, even if it has been disconnected since; null if unknown.
  original_spend numeric, -- Money spent, in original_currency; null if the service does not report it.
  original_goal_revenue numeric, -- Revenue of the goal, in original_currency; null if the service does not report it.
  tap_through_share numeric, -- Taps per impression, 0 to 1.
  conversion_rate numeric, -- Installs per tap, 0 to 1; above 1 when installs happen on a later day than their taps.
  cost_per_tap numeric, -- Spend per tap, in currency.
  cost_per_install numeric, -- Spend per install, in currency.
  cost_per_goal numeric, -- Spend per goal, in currency.
  return_on_spend numeric, -- Revenue of the goal per unit of spend.
  first_spend numeric, -- Money spent, in currency, as first reported.
  first_impression_count numeric, -- Impressions, as first reported.
  first_tap_count numeric, -- Taps, as first reported.
  first_install_count numeric, -- Installs, new downloads and redownloads together, as first reported.
  first_new_download_count numeric, -- Installs by new users, as first reported.
  first_redownload_count numeric, -- Installs by earlier users, as first reported.
  first_attributed_install_count numeric, -- Installs that the measurement partner attributes, as first reported.
  first_goal_count numeric, -- Number of times the goal was reached, as first reported.
  first_goal_revenue numeric, -- Revenue of the goal, in currency, as first reported.
  first_reported_at timestamp with time zone, -- When the first answer that reported it was received.
  last_changed_at timestamp with time zone, -- When the answer that last changed the row was received, also if no figure changed, but only a name or a state of the entity.
  is_restated boolean, -- True if a later answer changed a figure that was first reported (first_spend and those like it), or left the row out.
  is_withdrawn boolean, -- True if the newest answer no longer reports the row. The figures as now reported are then null.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT org_id,
    max(org_name) AS org_name,
    track_id,
    max(app_name) AS app_name,
    country_code,
    campaign_id,
    max(campaign_name) AS campaign_name,
    ad_group_id,
    max(ad_group_name) AS ad_group_name,
    keyword_id,
    max(keyword) AS keyword,
    match_type,
    date_day,
    currency,
    attribution,
    bool_and(is_primary_currency) AS is_primary_currency,
    bool_and(is_default_attribution) AS is_default_attribution,
    goal_id,
    sum(spend) AS spend,
    sum(impression_count) AS impression_count,
    sum(tap_count) AS tap_count,
    sum(install_count) AS install_count,
    sum(new_download_count) AS new_download_count,
    sum(redownload_count) AS redownload_count,
    sum(attributed_install_count) AS attributed_install_count,
    sum(goal_count) AS goal_count,
    sum(goal_revenue) AS goal_revenue,
    original_currency,
        CASE
            WHEN count(*) FILTER (WHERE spend IS NOT NULL AND original_spend IS NULL) = 0 THEN sum(original_spend)
            ELSE NULL::numeric
        END AS original_spend,
        CASE
            WHEN count(*) FILTER (WHERE goal_revenue IS NOT NULL AND original_goal_revenue IS NULL) = 0 THEN sum(original_goal_revenue)
            ELSE NULL::numeric
        END AS original_goal_revenue,
    round(sum(tap_count) / NULLIF(sum(impression_count), 0::numeric), 6) AS tap_through_share,
    round(sum(install_count) / NULLIF(sum(tap_count), 0::numeric), 6) AS conversion_rate,
    round(sum(spend) / NULLIF(sum(tap_count), 0::numeric), 4) AS cost_per_tap,
    round(sum(spend) / NULLIF(sum(install_count), 0::numeric), 4) AS cost_per_install,
    round(sum(spend) / NULLIF(sum(goal_count), 0::numeric), 4) AS cost_per_goal,
    round(sum(goal_revenue) / NULLIF(sum(spend), 0::numeric), 4) AS return_on_spend,
    sum(first_spend) AS first_spend,
    sum(first_impression_count) AS first_impression_count,
    sum(first_tap_count) AS first_tap_count,
    sum(first_install_count) AS first_install_count,
    sum(first_new_download_count) AS first_new_download_count,
    sum(first_redownload_count) AS first_redownload_count,
    sum(first_attributed_install_count) AS first_attributed_install_count,
    sum(first_goal_count) AS first_goal_count,
    sum(first_goal_revenue) AS first_goal_revenue,
    min(first_reported_at) AS first_reported_at,
    max(last_changed_at) AS last_changed_at,
    bool_or(is_restated) AS is_restated,
    bool_and(is_withdrawn) AS is_withdrawn,
    max(keyword_groups) AS keyword_groups,
    max(app_groups) AS app_groups
   FROM mart.search_ads_daily r
  WHERE report_level = 'KEYWORD'::text
  GROUP BY org_id, track_id, country_code, campaign_id, ad_group_id, keyword_id, match_type, date_day, currency, attribution, goal_id, original_currency;

-- One row per search term of a keyword, country, day, currency, attribution and goal. It has rows only if options.levels of the dataset search_ads_report includes SEARCH_TERM. Rows with an empty search_term stand for searches that the service does not name. Choose one currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else. Compute ratios from the sums. What do people search for before they tap our advertisement? Which terms should become keywords, or negative keywords?
create view mart.search_ads_search_term_report (
  org_id text, -- Search-ads organisation.
  org_name text, -- Name of the organisation.
  track_id text, -- Advertised app; empty for none.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2; ALL if the row is not about a single country.
  campaign_id text, -- Campaign; empty for none.
  campaign_name text, -- Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.
  ad_group_id text, -- Ad group; empty for none.
  ad_group_name text, -- Name of the ad group as reported with the row. A renamed ad group has several names, so group by its id.
  keyword_id text, -- Keyword, or negative keyword; empty for none.
  keyword text, -- Text of the keyword.
  match_type text, -- How the keyword must match.
  search_term text, -- What people searched for; empty for none.
  date_day date, -- The day.
  currency text, -- Requested currency of the money. The same spend has one row for each requested currency.
  attribution text, -- How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.
  is_primary_currency boolean, -- True for the currency with the most days of reports (ops.search_ads_default).
  is_default_attribution boolean, -- True for the attribution with the most days of reports (ops.search_ads_default).
  goal_id text, -- Requested goal; empty if none. Without a goal, the goal columns have no meaning.
  spend numeric, -- Money spent, in currency, as now reported.
  impression_count numeric, -- Impressions, as now reported.
  tap_count numeric, -- Taps, as now reported.
  install_count numeric, -- Installs, new downloads and redownloads together, as now reported.
  new_download_count numeric, -- Installs by new users, as now reported.
  redownload_count numeric, -- Installs by earlier users, as now reported.
  attributed_install_count numeric, -- Installs that the measurement partner attributes, as now reported.
  goal_count numeric, -- Number of times the goal was reached, as now reported.
  goal_revenue numeric, -- Revenue of the goal, in currency, as now reported.
  original_currency text, -- The organisation's own currency as last seen, even if it has been disconnected since; null if unknown.
  original_spend numeric, -- Money spent, in original_currency; null if the service does not report it.
  original_goal_revenue numeric, -- Revenue of the goal, in original_currency; null if the service does not report it.
  tap_through_share numeric, -- Taps per impression, 0 to 1.
  conversion_rate numeric, -- Installs per tap, 0 to 1; above 1 when installs happen on a later day than their taps.
  cost_per_tap numeric, -- Spend per tap, in currency.
  cost_per_install numeric, -- Spend per install, in currency.
  cost_per_goal numeric, -- Spend per goal, in currency.
  return_on_spend numeric, -- Revenue of the goal per unit of spend.
  first_spend numeric, -- Money spent, in currency, as first reported.
  first_impression_count numeric, -- Impressions, as first reported.
  first_tap_count numeric, -- Taps, as first reported.
  first_install_count numeric, -- Installs, new downloads and redownloads together, as first reported.
  first_new_download_count numeric, -- Installs by new users, as first reported.
  first_redownload_count numeric, -- Installs by earlier users, as first reported.
  first_attributed_install_count numeric, -- Installs that the measurement partner attributes, as first reported.
  first_goal_count numeric, -- Number of times the goal was reached, as first reported.
  first_goal_revenue numeric, -- Revenue of the goal, in currency, as first reported.
  first_reported_at timestamp with time zone, -- When the first answer that reported it was received.
  last_changed_at timestamp with time zone, -- When the answer that last changed the row was received, also if no figure changed, but only a name or a state of the entity.
  is_restated boolean, -- True if a later answer changed a figure that was first reported (first_spend and those like it), or left the row out.
  is_withdrawn boolean, -- True if the newest answer no longer reports the row. The figures as now reported are then null.
  keyword_groups text, -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT org_id,
    max(org_name) AS org_name,
    track_id,
    max(app_name) AS app_name,
    country_code,
    campaign_id,
    max(campaign_name) AS campaign_name,
    ad_group_id,
    max(ad_group_name) AS ad_group_name,
    keyword_id,
    max(keyword) AS keyword,
    match_type,
    search_term,
    date_day,
    currency,
    attribution,
    bool_and(is_primary_currency) AS is_primary_currency,
    bool_and(is_default_attribution) AS is_default_attribution,
    goal_id,
    sum(spend) AS spend,
    sum(impression_count) AS impression_count,
    sum(tap_count) AS tap_count,
    sum(install_count) AS install_count,
    sum(new_download_count) AS new_download_count,
    sum(redownload_count) AS redownload_count,
    sum(attributed_install_count) AS attributed_install_count,
    sum(goal_count) AS goal_count,
    sum(goal_revenue) AS goal_revenue,
    original_currency,
        CASE
            WHEN count(*) FILTER (WHERE spend IS NOT NULL AND original_spend IS NULL) = 0 THEN sum(original_spend)
            ELSE NULL::numeric
        END AS original_spend,
        CASE
            WHEN count(*) FILTER (WHERE goal_revenue IS NOT NULL AND original_goal_revenue IS NULL) = 0 THEN sum(original_goal_revenue)
            ELSE NULL::numeric
        END AS original_goal_revenue,
    round(sum(tap_count) / NULLIF(sum(impression_count), 0::numeric), 6) AS tap_through_share,
    round(sum(install_count) / NULLIF(sum(tap_count), 0::numeric), 6) AS conversion_rate,
    round(sum(spend) / NULLIF(sum(tap_count), 0::numeric), 4) AS cost_per_tap,
    round(sum(spend) / NULLIF(sum(install_count), 0::numeric), 4) AS cost_per_install,
    round(sum(spend) / NULLIF(sum(goal_count), 0::numeric), 4) AS cost_per_goal,
    round(sum(goal_revenue) / NULLIF(sum(spend), 0::numeric), 4) AS return_on_spend,
    sum(first_spend) AS first_spend,
    sum(first_impression_count) AS first_impression_count,
    sum(first_tap_count) AS first_tap_count,
    sum(first_install_count) AS first_install_count,
    sum(first_new_download_count) AS first_new_download_count,
    sum(first_redownload_count) AS first_redownload_count,
    sum(first_attributed_install_count) AS first_attributed_install_count,
    sum(first_goal_count) AS first_goal_count,
    sum(first_goal_revenue) AS first_goal_revenue,
    min(first_reported_at) AS first_reported_at,
    max(last_changed_at) AS last_changed_at,
    bool_or(is_restated) AS is_restated,
    bool_and(is_withdrawn) AS is_withdrawn,
    max(keyword_groups) AS keyword_groups,
    max(app_groups) AS app_groups
   FROM mart.search_ads_daily r
  WHERE report_level = 'SEARCH_TERM'::text
  GROUP BY org_id, track_id, country_code, campaign_id, ad_group_id, keyword_id, match_type, search_term, date_day, currency, attribution, goal_id, original_currency;

-- One row per app, country and day: its visibility score and those of its competitors. Competitors are the apps of the same store that the account named on that day (for days before the first list, the apps of that list; none if it was empty). If the account named none, they are the other portfolio apps in the store. A competitor outside the portfolio has no row. Nothing may be added up: average the scores, over complete rows. Are we more visible than our competitors? Who overtook whom this month?
create view mart.visibility_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  date_day date, -- Day of the score.
  visibility_score numeric, -- Visibility score; null if the service reports none, and while there is no answer yet.
  score_kind text, -- history: the score of the day as the service keeps it; now: the score seen on the day, used if the former is missing; null while there is no answer yet.
  is_complete boolean, -- True when the requested scores of the app and its competitors in the country on that day all have an answer; if false, the average and the best score cover only some of the competitors.
  visibility_share numeric, -- Score as a share of the scores of the app and its competitors in that country on that day, 0 to 1; null while is_complete is false.
  visibility_rank bigint, -- Place among the app and its competitors: 1 is the most visible, and equal scores share a place. Null while is_complete is false.
  competitor_count bigint, -- Competitors with a score in the country on that day.
  competitor_average_score numeric, -- Average score of the competitors; null without competitors.
  best_competitor_name text, -- Name of the most visible competitor, or its track id if the name is missing.
  best_competitor_score numeric, -- Its score.
  competitor_source text -- named: the account names competitors for the app; portfolio: it names none, so the other portfolio apps in the store are the competitors.
) as
 WITH cell AS NOT MATERIALIZED (
         SELECT f.app_key,
            f.date_day,
            f.country_key,
            COALESCE(max(f.score) FILTER (WHERE f.kind = 'history'::text), max(f.score) FILTER (WHERE f.kind = 'now'::text)) AS score,
                CASE
                    WHEN bool_and(NOT f.is_answered) THEN NULL::text
                    WHEN max(f.score) FILTER (WHERE f.kind = 'history'::text) IS NULL AND max(f.score) FILTER (WHERE f.kind = 'now'::text) IS NOT NULL THEN 'now'::text
                    ELSE 'history'::text
                END AS kind,
            bool_or(f.is_answered) AS is_answered
           FROM ( SELECT v.app_key,
                    v.date_day,
                    v.country_key,
                    v.kind,
                    v.score,
                    true AS is_answered
                   FROM core.fact_visibility v
                UNION ALL
                 SELECT a.app_key,
                    u.date_day,
                    c_1.country_key,
                    'history'::text,
                    NULL::numeric,
                    false
                   FROM ops.unanswered_visibility_daily u
                     JOIN core.dim_app a ON a.store = u.store AND a.track_id = u.track_id
                     JOIN core.dim_country c_1 ON c_1.country_code = u.country_code) f
          GROUP BY f.app_key, f.date_day, f.country_key
        ), named AS (
         SELECT t.app_key,
            t.competitor_app_key,
            o.store,
            o.track_id,
            COALESCE(o.app_name, o.track_id) AS app_name,
                CASE
                    WHEN t.valid_from = min(t.valid_from) OVER (PARTITION BY t.app_key) AND t.valid_from <= COALESCE(f.first_day, 'infinity'::date) THEN '-infinity'::date
                    ELSE t.valid_from
                END AS since,
            COALESCE(t.valid_to, 'infinity'::date) AS until
           FROM ( SELECT n_1.app_key,
                    n_1.competitor_app_key,
                    lower(d.days) AS valid_from,
                    upper(d.days) AS valid_to
                   FROM ( SELECT t_1.app_key,
                            t_1.competitor_app_key,
                            range_agg(daterange(t_1.valid_from, t_1.valid_to)) AS spans
                           FROM core.tracked_competitor t_1
                          GROUP BY t_1.app_key, t_1.competitor_app_key) n_1
                     CROSS JOIN LATERAL unnest(n_1.spans) d(days)) t
             LEFT JOIN ( SELECT l.app_key,
                    min(l.valid_from) AS first_day
                   FROM core.tracked_app l
                  GROUP BY l.app_key) f ON f.app_key = t.app_key
             JOIN core.dim_app a ON a.app_key = t.app_key
             JOIN core.dim_app o ON o.app_key = t.competitor_app_key AND o.store = a.store
        ), naming AS (
         SELECT n_1.app_key,
            range_agg(daterange(n_1.since, n_1.until)) AS days
           FROM named n_1
          GROUP BY n_1.app_key
        ), own AS NOT MATERIALIZED (
         SELECT l.app_key,
            l.date_day,
            l.country_key,
            l.score,
            l.kind,
            l.is_answered,
            a.store,
            a.track_id,
            a.app_name
           FROM cell l
             JOIN core.dim_app a ON a.app_key = l.app_key
          WHERE NOT (l.app_key IN ( SELECT n_1.app_key
                   FROM ops.outside_competitor n_1))
        ), beside AS (
         SELECT o.store,
            o.date_day,
            o.country_key,
            o.app_key,
            true AS is_own,
            o.score,
            o.kind,
            o.is_answered,
            o.track_id,
            o.app_name
           FROM own o
        UNION ALL
         SELECT n_1.store,
            l.date_day,
            l.country_key,
            n_1.app_key,
            false,
            l.score,
            l.kind,
            l.is_answered,
            n_1.track_id,
            n_1.app_name
           FROM named n_1
             JOIN cell l ON l.app_key = n_1.competitor_app_key AND l.date_day >= n_1.since AND l.date_day < n_1.until
        ), among_named AS (
         SELECT b.store,
            b.date_day,
            b.country_key,
            b.app_key,
            b.is_own,
            b.score,
            b.kind,
            b.is_answered,
            b.track_id,
            b.app_name,
            COALESCE(sum(b.score) FILTER (WHERE NOT b.is_own) OVER others, 0::numeric) AS named_sum,
            count(b.score) FILTER (WHERE NOT b.is_own) OVER others AS named_count,
            bool_and(b.is_answered) OVER others AS are_named_answered,
            rank() OVER (PARTITION BY b.store, b.date_day, b.country_key, b.app_key ORDER BY b.score DESC NULLS LAST) AS named_place,
            first_value(
                CASE
                    WHEN NOT b.is_own AND b.score IS NOT NULL THEN b.app_name
                    ELSE NULL::text
                END) OVER best AS named_best_name,
            first_value(
                CASE
                    WHEN NOT b.is_own THEN b.score
                    ELSE NULL::numeric
                END) OVER best AS named_best_score
           FROM beside b
          WINDOW others AS (PARTITION BY b.store, b.date_day, b.country_key, b.app_key), best AS (PARTITION BY b.store, b.date_day, b.country_key, b.app_key ORDER BY b.is_own, b.score DESC NULLS LAST, b.track_id)
        ), in_portfolio AS (
         SELECT m.store,
            m.date_day,
            m.country_key,
            m.app_key,
            m.is_own,
            m.score,
            m.kind,
            m.is_answered,
            m.track_id,
            m.app_name,
            m.named_sum,
            m.named_count,
            m.are_named_answered,
            m.named_place,
            m.named_best_name,
            m.named_best_score,
            sum(m.score) OVER others AS score_sum,
            count(m.score) OVER others AS score_count,
            bool_and(m.is_answered) OVER others AS are_all_answered,
            rank() OVER (PARTITION BY m.store, m.date_day, m.country_key ORDER BY m.score DESC NULLS LAST) AS place,
            first_value(m.app_key) OVER best AS best_app_key,
            first_value(m.app_name) OVER best AS best_app_name,
            first_value(m.score) OVER best AS best_score,
            nth_value(m.app_name, 2) OVER best AS next_app_name,
            nth_value(m.score, 2) OVER best AS next_score
           FROM among_named m
          WHERE m.is_own
          WINDOW others AS (PARTITION BY m.store, m.date_day, m.country_key), best AS (PARTITION BY m.store, m.date_day, m.country_key ORDER BY m.score DESC NULLS LAST, m.track_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
        )
 SELECT r.store,
    r.track_id,
    r.app_name,
    c.country_code,
    c.country_name,
    r.date_day,
    r.score AS visibility_score,
    r.kind AS score_kind,
    s.is_complete,
        CASE
            WHEN s.is_complete THEN round(r.score / NULLIF(
            CASE
                WHEN s.is_named THEN r.named_sum + r.score
                ELSE r.score_sum
            END, 0::numeric), 6)
            ELSE NULL::numeric
        END AS visibility_share,
        CASE
            WHEN s.is_complete AND r.score IS NOT NULL THEN
            CASE
                WHEN s.is_named THEN r.named_place
                ELSE r.place
            END
            ELSE NULL::bigint
        END AS visibility_rank,
        CASE
            WHEN s.is_named THEN r.named_count
            ELSE s.other_count
        END AS competitor_count,
    round(
        CASE
            WHEN s.is_named THEN r.named_sum / NULLIF(r.named_count, 0)::numeric
            ELSE (r.score_sum - COALESCE(r.score, 0::numeric)) / NULLIF(s.other_count, 0)::numeric
        END, 2) AS competitor_average_score,
        CASE
            WHEN s.is_named THEN r.named_best_name
            WHEN r.best_app_key = r.app_key THEN
            CASE
                WHEN r.next_score IS NOT NULL THEN r.next_app_name
                ELSE NULL::text
            END
            WHEN r.best_score IS NOT NULL THEN r.best_app_name
            ELSE NULL::text
        END AS best_competitor_name,
        CASE
            WHEN s.is_named THEN r.named_best_score
            WHEN r.best_app_key = r.app_key THEN r.next_score
            ELSE r.best_score
        END AS best_competitor_score,
        CASE
            WHEN s.is_named THEN 'named'::text
            ELSE 'portfolio'::text
        END AS competitor_source
   FROM in_portfolio r
     JOIN core.dim_country c ON c.country_key = r.country_key
     LEFT JOIN naming n ON n.app_key = r.app_key
     CROSS JOIN LATERAL ( SELECT COALESCE(n.days @> r.date_day, false) AS is_named) w
     CROSS JOIN LATERAL ( SELECT w.is_named,
            r.score_count -
                CASE
                    WHEN r.score IS NULL THEN 0
                    ELSE 1
                END AS other_count,
                CASE
                    WHEN w.is_named THEN r.are_named_answered
                    ELSE r.are_all_answered
                END AS is_complete) s;

-- One row per app, country, device and day: its share of voice, each keyword weighted by its search volume. It reads every rank behind each row: filter by app or by a few weeks. Choose one device; then counts and columns that end in _sum may be added up across apps, countries and days. How much of the search volume of our keywords do we reach? Does our share grow where people search most?
create view mart.weighted_share_of_voice_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  device_code text, -- IPHONE, IPAD, or ALL on Android. Choose one: figures of several devices cannot be added up.
  date_day date, -- Calendar day on which the service crawled the store.
  requested_keyword_count bigint, -- Requested keywords, whether they have an answer or not yet; without those whose rank was rejected (ops.reject), which mart.keyword_not_requested_daily names.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean, -- True when all requested keywords have an answer and their ranks are stored. If false, shares cover only some of the keywords, or retention removed the ranks of the day: leave the day out.
  volume_keyword_count bigint, -- Answered keywords with a search volume; null while no keyword has an answer, and after retention removed the ranks of the day.
  search_volume_sum numeric, -- Sum of the latest search volume scores of these keywords. The same scores apply to every day, so changes over time come from ranks alone. Null if no keyword has a score.
  weighted_voice_sum numeric, -- Sum of search volume / rank over these keywords.
  weighted_voice_share numeric, -- weighted_voice_sum divided by search_volume_sum, 0 to 1. For several rows: sum(weighted_voice_sum) / nullif(sum(search_volume_sum), 0).
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT s.store,
    s.track_id,
    s.app_name,
    s.country_code,
    s.country_name,
    s.device_code,
    s.date_day,
    s.requested_keyword_count,
    s.answered_keyword_count,
    s.is_complete AND w.rank_count > 0 AS is_complete,
        CASE
            WHEN w.rank_count > 0 THEN w.volume_keyword_count
            ELSE NULL::bigint
        END AS volume_keyword_count,
    w.search_volume_sum,
    round(w.weighted_voice_sum, 6) AS weighted_voice_sum,
    round(w.weighted_voice_sum / NULLIF(w.search_volume_sum, 0::numeric), 6) AS weighted_voice_share,
    ag.app_groups
   FROM ops.requested_keyword_day s
     LEFT JOIN LATERAL ( SELECT count(*) AS rank_count,
            count(v.search_volume) AS volume_keyword_count,
            sum(v.search_volume) AS search_volume_sum,
            sum(COALESCE(v.search_volume / NULLIF(r.rank, 0)::numeric, 0::numeric)) FILTER (WHERE v.search_volume IS NOT NULL) AS weighted_voice_sum
           FROM core.fact_keyword_rank r
             LEFT JOIN LATERAL ( SELECT m_1.search_volume
                   FROM core.fact_keyword_metadata m_1
                  WHERE m_1.keyword_key = r.keyword_key AND m_1.country_key = r.country_key AND m_1.store = s.store AND m_1.search_volume IS NOT NULL
                  ORDER BY m_1.date_day DESC
                 LIMIT 1) m ON true
             LEFT JOIN LATERAL ( SELECT t_1.search_volume
                   FROM core.tracked_keyword t_1
                  WHERE t_1.app_key = r.app_key AND t_1.country_key = r.country_key AND t_1.keyword_key = r.keyword_key AND t_1.search_volume IS NOT NULL
                  ORDER BY t_1.valid_to DESC, t_1.valid_from DESC, t_1.account DESC
                 LIMIT 1) t ON true
             CROSS JOIN LATERAL ( SELECT COALESCE(m.search_volume, t.search_volume) AS search_volume) v
          WHERE r.app_key = s.app_key AND r.date_day = s.date_day AND r.country_key = s.country_key AND r.device_key = s.device_key) w ON true
     LEFT JOIN ops.app_groups ag ON ag.store = s.store AND ag.track_id = s.track_id;

-- API accounts that use this warehouse in addition to the account of API_TOKEN, which has no row.
create table ops.account (
  account text not null, -- Name of the account, as accounts in the configuration has it.
  queue_id bigint not null generated always as identity, -- Queue that its workers share, below zero; the workers of API_TOKEN share queue 0.
  constraint account_pkey PRIMARY KEY (account),
  constraint account_queue_id_key UNIQUE (queue_id)
);

-- Operations that the API refused to an account, one row for each organisation or app. All requests of the account stop until a balance check finds that the token is accepted.
create table ops.account_stop (
  account_id text not null, -- Account, as the shortened hash of its key. A different token is a different account.
  operation text not null, -- Operation that was refused.
  subject text not null default ''::text, -- Organisation or app of the refused request; empty when it had none.
  code text not null, -- Stable code of the refusal.
  dataset text not null, -- Dataset of the refused request; empty when it had none.
  message text not null, -- Text of the refusal, with what to do next.
  first_stopped_at timestamp with time zone not null, -- When it was refused first. A refusal within two hours of the end of the last one continues that one.
  stopped_at timestamp with time zone not null, -- When requests stopped, by the clock of the database.
  check_count integer not null, -- Balance checks since the first refusal. The wait doubles from check to check, up to an hour.
  next_check_at timestamp with time zone not null, -- When a worker checks the balance next.
  lifted_at timestamp with time zone, -- When requests resumed; null while they are stopped.
  constraint account_stop_pkey PRIMARY KEY (account_id, operation, subject)
);

-- What someone has agreed to spend. A sync of what has no row here requires an agreement (its own, of the days that it names, or --max-credits, adds none). A worker plans only what has one when a planning job runs, and retries failed slices of a person's sync only if their dataset has one.
create table ops.agreement (
  account_id text not null, -- Account, as the shortened hash of its key. A different token is a different account.
  dataset text not null, -- Dataset for which someone agreed; empty for everything that is on, or that a line of the crontab or a command names.
  credits integer not null, -- Price that was shown, as far as it was known. For people: no program reads it.
  agreed_at timestamp with time zone not null, -- When someone agreed.
  agreed_by text not null, -- How someone agreed: at a terminal, or with --yes. For people: no program reads it.
  constraint agreement_pkey PRIMARY KEY (account_id, dataset),
  constraint agreement_agreed_by_check CHECK ((agreed_by = ANY (ARRAY['terminal'::text, '--yes'::text])))
);

-- Alerts of the configuration, as a worker last checked them.
create table ops.alert (
  alert_name text not null, -- Name of the alert.
  digest text not null, -- Digest of its mart, conditions and subjects, which changes when they do; empty if the alert is not in the configuration.
  since_day date not null, -- First day for which it is checked: the day before it was configured or changed.
  checked_at timestamp with time zone, -- When a worker last checked it without an error; null before that.
  error_message text, -- Error of the last check; null if there was none.
  constraint alert_pkey PRIMARY KEY (alert_name)
);

-- Days for which alerts were checked. A day is checked again when more answers have come for it, or for the days with which it is compared.
create table ops.alert_day (
  alert_name text not null, -- Name of the alert.
  date_day date not null, -- The day.
  digest text not null, -- Digest of the alert as it was checked.
  answered_at timestamp with time zone not null, -- When the newest answer came, for the day or for the days with which it is compared.
  answer_count integer not null, -- Slices of these days with an answer.
  unanswered_count integer not null, -- Slices of these days that are deferred or have failed.
  constraint alert_day_pkey PRIMARY KEY (alert_name, date_day),
  constraint alert_day_alert_name_fkey FOREIGN KEY (alert_name) REFERENCES ops.alert(alert_name)
);

-- Alerts that fired, one row per alert, subject and day, with the times of the messages to the webhook.
create table ops.alert_fire (
  alert_fire_id bigint not null generated always as identity, -- Number of the row. A receiver of messages can recognise a repeated message by it.
  alert_name text not null, -- Name of the alert.
  digest text not null, -- Digest of the alert as it fired: a changed alert starts again.
  mart text not null, -- Mart that the alert checks.
  subject text not null, -- Columns and values that identify the row of the mart.
  date_day date not null, -- Day of the row.
  compared_day date, -- Earlier day with which it was compared; null if nothing was compared.
  summary text not null, -- Text: the subject, the values and their days.
  detail jsonb not null, -- The same in a machine-readable form.
  fired_at timestamp with time zone not null, -- When a worker found it.
  due_at timestamp with time zone not null, -- When the message about it is due: immediately, or the next morning.
  notified_at timestamp with time zone, -- When the webhook accepted the message; null until then.
  constraint alert_fire_pkey PRIMARY KEY (alert_fire_id),
  constraint alert_fire_alert_name_fkey FOREIGN KEY (alert_name) REFERENCES ops.alert(alert_name)
);
CREATE INDEX alert_fire_due ON ops.alert_fire USING btree (due_at) WHERE (notified_at IS NULL);
CREATE UNIQUE INDEX alert_fire_once ON ops.alert_fire USING btree (alert_name, digest, date_day, subject);

-- One row per fired alert, subject and day, with the time of the message to the webhook. What fired last week? Which alert fires most?
create view ops.alert_log (
  alert_fire_id bigint, -- Number of the row.
  alert_name text, -- Name of the alert.
  mart text, -- Mart that the alert checks.
  date_day date, -- Day of the row.
  compared_day date, -- Earlier day with which it was compared; null if nothing was compared.
  summary text, -- Text: the subject, the values and their days.
  fired_at timestamp with time zone, -- When a worker found it.
  due_at timestamp with time zone, -- When the message about it is due: immediately, or the next morning.
  notified_at timestamp with time zone -- When the webhook accepted the message; null until then.
) as
 SELECT alert_fire_id,
    alert_name,
    mart,
    date_day,
    compared_day,
    summary,
    fired_at,
    due_at,
    notified_at
   FROM ops.alert_fire;

-- For each account, the last period in which the API did not respond, as seen by the processes that wait for it.
create table ops.api_outage (
  account_id text not null, -- Account, as the shortened hash of its key.
  code text not null, -- Error code of the calls.
  since_at timestamp with time zone not null, -- When the first process found that the API did not respond.
  seen_at timestamp with time zone not null, -- When a process last saw the outage; it is over when none has seen it for three minutes.
  ended_at timestamp with time zone, -- When the API responded again; null until a process has seen that.
  constraint api_outage_pkey PRIMARY KEY (account_id)
);

-- One row per account whose balance check the API refuses, or to which it did not respond when it was last tried. Can anything be requested?
create view ops.api_trouble (
  account_id text, -- Shortened hash of the API key; the key itself is stored nowhere.
  account text, -- Name of the account, as accounts in the configuration has it; empty for that of API_TOKEN. A replaced token keeps its row.
  refused_since timestamp with time zone, -- Since when the API has refused all requests of the account; null if it does not.
  outage_code text, -- Error code of the calls that had no response; null if the last one had.
  outage_since timestamp with time zone, -- When a process first found that the API did not respond; null if it responds.
  outage_seen_at timestamp with time zone -- When a process last found that; null if the API responds.
) as
 SELECT c.account_id,
    c.account,
    r.refused_since,
    o.code AS outage_code,
    o.since_at AS outage_since,
    o.seen_at AS outage_seen_at
   FROM ops.credit_account c
     LEFT JOIN LATERAL ( SELECT LEAST(s.first_stopped_at, min(a.stopped_at)) AS refused_since
           FROM ops.account_stop s
             JOIN ops.account_stop a ON a.account_id = s.account_id AND a.lifted_at IS NULL
          WHERE s.account_id = c.account_id AND s.lifted_at IS NULL AND s.operation = 'account.remaining-credits'::text
          GROUP BY s.first_stopped_at) r ON true
     LEFT JOIN ops.api_outage o ON o.account_id = c.account_id AND o.ended_at IS NULL AND NOT (EXISTS ( SELECT
           FROM ops.request q
          WHERE q.account_id = c.account_id AND q.received_at > o.seen_at AND q.error_code IS NULL))
  WHERE r.refused_since IS NOT NULL OR o.seen_at IS NOT NULL;

-- One row per answer about one app: its days, with or without rows, except those that retention has dropped since. Is a figure missing because the service has none, or because it was not requested? Since when has a dataset been requested for an app?
create view ops.app_answer (
  dataset text, -- Dataset.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country; null if the request named none, so that the answer is about all countries.
  device_code text, -- Device; null if the request named none.
  context text, -- Kind of figure, for datasets that request each kind separately: context of sales_metric, chart version of category_rank on iOS; else null.
  window_start date, -- First day of the answer that retention has not dropped.
  window_end date, -- Day after its last day.
  is_empty boolean, -- True if the answer has no rows, also if the service does not know the app (404).
  answered_at timestamp with time zone -- When it was loaded.
) as
 SELECT s.dataset,
    s.scope ->> 'store'::text AS store,
    s.scope ->> 'app'::text AS track_id,
    s.scope ->> 'country'::text AS country_code,
    s.scope ->> 'device'::text AS device_code,
    COALESCE(s.scope ->> 'context'::text, s.scope ->> 'chart_version'::text) AS context,
    GREATEST(s.window_start, g.dropped_before) AS window_start,
    s.window_end,
    s.state <> 'loaded'::text AS is_empty,
    s.ended_at AS answered_at
   FROM ops.slice s
     CROSS JOIN LATERAL ( SELECT max((m.month_start + '1 mon'::interval)::date) AS dropped_before
           FROM ops.dropped_month m
          WHERE m.dataset = s.dataset AND m.dropped_at >= s.ended_at) g
  WHERE ops.is_answer(s.state, s.error_code) AND (s.scope ->> 'app'::text) IS NOT NULL AND (g.dropped_before IS NULL OR s.window_end > g.dropped_before);

-- One row per app that is in a group: the names of its groups in one text. In which groups is an app?
create view ops.app_groups (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_groups text -- Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.
) as
 SELECT store,
    track_id,
    string_agg(group_name, ', '::text ORDER BY group_name) AS app_groups
   FROM core.grouped_app g
  GROUP BY store, track_id;

-- Actions of people in the console: who did what, from where, and at which price. A row is written before the action begins.
create table ops.audit (
  audit_id bigint not null generated always as identity, -- Number of the action.
  acted_at timestamp with time zone not null, -- When the person acted.
  user_name text not null, -- Name given at sign-in or reported by the reverse proxy; local if no sign-in was required, unknown if sign-in was refused.
  user_role text, -- viewer or operator; null if sign-in was refused.
  signed_in_by text not null, -- proxy (a reverse proxy vouches for the name), password (anyone who knows it can give any name), loopback (this machine, without sign-in).
  from_address text not null, -- Network address that the request came from.
  action text not null, -- Name of the action, such as sign-in or retry.
  subject text not null, -- Fields of its form; for a change of keywords, the removed and added keywords; empty for sign-in and sign-out, and if the form was refused.
  credits integer not null, -- Maximum number of credits that the person agreed to; for a change of the configuration, the additional credits that the next sync was expected to spend; 0 for actions that spend nothing.
  outcome text not null default 'begun'::text, -- begun (it has not ended, or its process was killed), started (the run that it started has not ended; if its process was killed, the next console to start settles it), done, refused or failed.
  note text not null default ''::text, -- Text that the person saw afterwards; for an action that started a run, the result of the run once it has ended.
  ended_at timestamp with time zone, -- When it ended; null until then.
  run_id bigint, -- Run that it started, once the run has begun; null if it started none.
  constraint audit_pkey PRIMARY KEY (audit_id),
  constraint audit_outcome_check CHECK ((outcome = ANY (ARRAY['begun'::text, 'started'::text, 'done'::text, 'refused'::text, 'failed'::text]))),
  constraint audit_signed_in_by_check CHECK ((signed_in_by = ANY (ARRAY['loopback'::text, 'password'::text, 'proxy'::text]))),
  constraint audit_user_role_check CHECK ((user_role = ANY (ARRAY['viewer'::text, 'operator'::text])))
);

-- One row per action of a person in the console. Who started this retry? What did someone agree to last week, and at which price?
create view ops.audit_log (
  audit_id bigint, -- Number of the action.
  acted_at timestamp with time zone, -- When the person acted.
  user_name text, -- Name given at sign-in or reported by the reverse proxy; local if no sign-in was required, unknown if sign-in was refused.
  user_role text, -- viewer or operator; null if sign-in was refused.
  signed_in_by text, -- proxy (a reverse proxy vouches for the name), password (anyone who knows it can give any name), loopback (this machine, without sign-in).
  from_address text, -- Network address that the request came from.
  action text, -- Name of the action, such as sign-in or retry.
  subject text, -- Fields of its form; for a change of keywords, the removed and added keywords; empty for sign-in and sign-out, and if the form was refused.
  credits integer, -- Maximum number of credits that the person agreed to; for a change of the configuration, the additional credits that the next sync was expected to spend; 0 for actions that spend nothing.
  outcome text, -- begun (it has not ended, or its process was killed), started (the run that it started has not ended; if its process was killed, the next console to start settles it), done, refused or failed.
  note text, -- Text that the person saw afterwards; for an action that started a run, the result of the run once it has ended.
  ended_at timestamp with time zone, -- When it ended; null until then.
  run_id bigint -- Run that it started, once the run has begun; null if it started none.
) as
 SELECT audit_id,
    acted_at,
    user_name,
    user_role,
    signed_in_by,
    from_address,
    action,
    subject,
    credits,
    outcome,
    note,
    ended_at,
    run_id
   FROM ops.audit;

-- Lists of keywords (or ids) that a slice requests together; one row per distinct list.
create table ops.batch (
  batch_id bigint not null generated always as identity, -- Number of the list.
  items text[] not null, -- The items, sorted.
  digest text not null, -- SHA-256 of the items, to find an equal list.
  constraint batch_pkey PRIMARY KEY (batch_id),
  constraint batch_digest_key UNIQUE (digest)
);

-- One row per answer about the places of an app in the charts of a country. On a day covered by an answer but without a row in mart.category_rank_daily, the app had no place. Did the app fall out of the chart, or is there no answer?
create view ops.category_rank_answer (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country.
  chart_version text, -- Chart version of the answer; empty if it names none.
  window_start date, -- First day of the answer that retention has not dropped.
  window_end date -- Day after its last day.
) as
 SELECT store,
    track_id,
    country_code,
    COALESCE(context, ''::text) AS chart_version,
    window_start,
    window_end
   FROM ops.app_answer n
  WHERE dataset = 'category_rank'::text AND country_code IS NOT NULL;

-- One row per app with places in the charts of its categories (core.fact_category_rank). For which apps do we know places in charts?
create view ops.charted_app (
  app_key integer -- Key of the app in core.dim_app.
) as
 WITH RECURSIVE step(app_key) AS (
         SELECT min(fact_category_rank.app_key) AS min
           FROM core.fact_category_rank
        UNION ALL
         SELECT ( SELECT min(f.app_key) AS min
                   FROM core.fact_category_rank f
                  WHERE f.app_key > r_1.app_key) AS min
           FROM step r_1
          WHERE r_1.app_key IS NOT NULL
        )
 SELECT app_key
   FROM step r
  WHERE app_key IS NOT NULL;

-- Days that were requested again, and how many of their rows the newer answer changed. storehouse lookback learns from it after how many days figures are final. A row is written in the transaction that loads the answer, and kept for 90 days.
create table ops.compared_day (
  slice_id bigint not null, -- Slice of the newer answer.
  table_name text not null, -- Table of the rows, schema and name.
  date_day date not null, -- Day of the rows.
  dataset text not null, -- Dataset of the slice.
  observed_on date not null, -- Day on which it was requested again, according to the planning.
  row_count integer not null, -- Number of rows of the day in either answer.
  moved_count integer not null, -- Number of these rows whose figures differ or that are new or gone.
  amount numeric not null, -- Sum of the amounts of the rows, for each row the larger of the two answers.
  moved_amount numeric not null, -- Sum of the differences of the amounts.
  account text not null default ''::text, -- Account whose run requested it, as accounts in the configuration names it; empty for that of API_TOKEN. Each account learns its own lookbacks.
  constraint compared_day_pkey PRIMARY KEY (slice_id, table_name, date_day)
);
CREATE INDEX compared_day_of_dataset ON ops.compared_day USING btree (dataset, observed_on);

-- One row per reported rank of core.fact_category_rank, in the best resolution that its chart has for the day: daily, else hourly, else last_day. Which ranks of a day count?
create view ops.counted_category_rank (
  app_key integer, -- The app.
  date_day date, -- Day of the rank.
  country_key smallint, -- The country.
  device_key smallint, -- The device; 0 on Android.
  category_code text, -- Category: its id on iOS (36 is overall), its name on Android (OVERALL).
  chart text, -- FREE, PAID or GROSSING.
  resolution text, -- daily: average of the day (Android: its rank); hourly: one of several ranks of the day; last_day: rank on the newest day, from a request for all countries at once.
  chart_version text, -- v1 or v2 of the iOS charts; '' if there is only one version.
  ranked_at timestamp without time zone, -- When the rank was seen, without time zone; midnight for a rank of a day.
  category_name text, -- Name of the category.
  rank numeric, -- Position, 1 is the top; an average may have decimals. Null if the service reports the time without a rank.
  slice_id bigint, -- Slice that wrote the row.
  fetched_at timestamp with time zone -- When the answer was received.
) as
 SELECT app_key,
    date_day,
    country_key,
    device_key,
    category_code,
    chart,
    resolution,
    chart_version,
    ranked_at,
    category_name,
    rank,
    slice_id,
    fetched_at
   FROM core.fact_category_rank f
  WHERE resolution = 'daily'::text OR NOT (EXISTS ( SELECT
           FROM core.fact_category_rank o
          WHERE o.app_key = f.app_key AND o.date_day = f.date_day AND o.country_key = f.country_key AND o.device_key = f.device_key AND o.category_code = f.category_code AND o.chart = f.chart AND o.chart_version = f.chart_version AND (o.resolution = 'daily'::text OR o.resolution = 'hourly'::text AND f.resolution <> 'hourly'::text)));

-- One row per review of core.review, each counted once: for an app, country and day, the reviews of one list only. How many reviews are there? Which of the two lists counts?
create view ops.counted_review (
  app_key integer, -- The app.
  review_id text, -- Id of the review in its list.
  source text, -- List that the review comes from: v2 (paged) or plain. Each list has its own ids, so a review in both lists has two rows.
  reviewed_at timestamp without time zone, -- When it was written or last edited, as the service reports it, without time zone.
  country_key smallint, -- Country of the store (iOS); 0 (ALL) on Android, whose reviews have a language instead, and if several countries were requested and the answer names none.
  language_code text, -- Android: the language that the service reports in place of a country, in lower case (en, pt_br); '' on iOS, whose reviews have a country, and if the service reports none. It is no property of the text.
  rating integer, -- Stars, 1 to 5.
  title text, -- Title; null if the review has none.
  content text, -- Text in any language and script; U+0000 is removed, and lone surrogates are replaced.
  reviewer text, -- Name of the reviewer.
  version text, -- Reviewed version of the app; null if the service reports none. Only list v2 of Android reports it.
  is_replied boolean, -- True when the developer has answered it; null if answered reviews were not requested separately (option replied).
  extra jsonb, -- Fields of the answer that have no column of their own; null when there are none.
  slice_id bigint, -- Slice that wrote the row.
  fetched_at timestamp with time zone -- When the answer was received.
) as
 SELECT app_key,
    review_id,
    source,
    reviewed_at,
    country_key,
    language_code,
    rating,
    title,
    content,
    reviewer,
    version,
    is_replied,
    extra,
    slice_id,
    fetched_at
   FROM core.review r
  WHERE
        CASE
            WHEN ((app_key, country_key, reviewed_at::date) IN ( SELECT d.app_key,
                d.country_key,
                d.date_day
               FROM ops.plain_review_day d)) THEN source = 'plain'::text
            ELSE source = 'v2'::text OR NOT (EXISTS ( SELECT
               FROM core.review o
              WHERE o.app_key = r.app_key AND o.country_key = r.country_key AND o.source = 'v2'::text AND o.reviewed_at >= date_trunc('day'::text, r.reviewed_at) AND o.reviewed_at < (date_trunc('day'::text, r.reviewed_at) + '1 day'::interval)))
        END;

-- One row per dataset, partition and requested day: number of cells (keywords, or the partition itself) in each state. A day without a row was never requested, or it belongs to a failed snapshot that a newer one replaces. Which days of an app are incomplete? What waits for credits, a budget or the API?
create view ops.coverage_daily (
  dataset text, -- Dataset.
  store text, -- ios or android; null if the dataset is about the account.
  track_id text, -- Track id of the app; null if the dataset is not about an app.
  country_code text, -- Country; null if the dataset does not distinguish countries.
  device_code text, -- Device; null if the dataset does not distinguish devices.
  date_day date, -- The day.
  cell_count bigint, -- Requested cells.
  loaded_count bigint, -- Loaded cells, including those of partial_count.
  empty_count bigint, -- Cells for which the service returned no rows.
  open_count bigint, -- Cells that are pending or running.
  deferred_count bigint, -- Cells that wait for credits, a budget or the API.
  skipped_count bigint, -- Unavailable cells.
  failed_count bigint, -- Cells whose newest slice failed; storehouse retry requests them again. A failed snapshot does not count if a newer one was answered or failed as well and replaces it.
  partial_count bigint, -- Loaded cells of slices whose answer has invalid items; ops.reject lists these items with their reasons.
  stale_count bigint, -- Loaded or empty cells that are due again (ops.slice_finality): they were received while the source still restated them, or they are snapshots older than refresh_days.
  dropped_count bigint, -- Cells that were loaded or empty, in a month that retention later dropped or detached. No other count includes them.
  lost_count bigint -- Snapshot cells that were not fetched in time: they can no longer be requested.
) as
 WITH cell AS (
         SELECT p.dataset,
            p.scope,
            c.date_day,
            c.cell_count,
                CASE
                    WHEN (c.newest & 32::bigint) > 0 THEN 7::bigint
                    ELSE c.newest & 15::bigint
                END AS state,
            (c.newest & 16::bigint) > 0 AS is_partial,
            NOT c.holds AND ((c.newest & 15::bigint) = ANY (ARRAY[1::bigint, 2::bigint])) AND (c.newest & 32::bigint) = 0 AND NOT c.is_refused AS is_stale
           FROM ( SELECT slice.dataset,
                    slice.scope
                   FROM ops.slice
                  GROUP BY slice.dataset, slice.scope) p
             CROSS JOIN LATERAL ( WITH own AS (
                         SELECT f_1.slice_id,
                            f_1.dataset,
                            f_1.scope,
                            f_1.batch_id,
                            f_1.window_start,
                            f_1.window_end,
                            f_1.state,
                            f_1.rows_rejected,
                            f_1.kind,
                            f_1.final_before,
                            f_1.request_from,
                            f_1.request_before,
                            f_1.dropped_before,
                            COALESCE(f_1.batch_id, 0::bigint) AS list,
                            s.error_code
                           FROM ops.slice_finality f_1
                             JOIN ops.slice s ON s.slice_id = f_1.slice_id
                          WHERE hashtextextended(f_1.scope::text, 0::bigint) = hashtextextended(p.scope::text, 0::bigint) AND f_1.scope = p.scope AND f_1.dataset = p.dataset
                        ), alike AS (
                         SELECT i.lists,
                            count(*) AS cell_count,
                            (EXISTS ( SELECT
                                   FROM own r
                                     JOIN ops.batch rb ON rb.batch_id = r.batch_id
                                  WHERE (r.list = ANY (i.lists)) AND r.state = 'skipped'::text AND (r.error_code = ANY (ARRAY['bad_request'::text, 'not_encodable'::text])) AND cardinality(rb.items) = 1)) AS is_refused
                           FROM ( SELECT m.item,
                                    array_agg(DISTINCT l.list) AS lists
                                   FROM ( SELECT DISTINCT own.list
   FROM own) l
                                     LEFT JOIN ops.batch b ON b.batch_id = l.list
                                     CROSS JOIN LATERAL unnest(COALESCE(b.items, ARRAY[''::text])) m(item)
                                  GROUP BY m.item) i
                          GROUP BY i.lists
                        )
                 SELECT a.cell_count,
                    a.is_refused,
                    d.date_day,
                    max(d.newest) AS newest,
                    bool_or(d.holds OR f.kind = 'snapshot'::text AND (EXISTS ( SELECT
                           FROM own n
                          WHERE n.window_end > f.window_end AND n.slice_id > f.slice_id AND (n.list = ANY (a.lists)) AND ((n.state <> ALL (ARRAY['failed'::text, 'skipped'::text, 'lost'::text])) OR n.state = 'skipped'::text AND (n.error_code = ANY (ARRAY['bad_request'::text, 'not_encodable'::text])))))) AS holds
                   FROM own f
                     CROSS JOIN LATERAL ( SELECT t.date_day,
                            f.slice_id * 64 +
                                CASE f.state
                                    WHEN 'loaded'::text THEN 1
                                    WHEN 'empty'::text THEN 2
                                    WHEN 'deferred'::text THEN 4
                                    WHEN 'skipped'::text THEN 5
                                    WHEN 'failed'::text THEN 6
                                    WHEN 'lost'::text THEN 8
                                    ELSE 3
                                END +
                                CASE
                                    WHEN f.rows_rejected > 0 THEN 16
                                    ELSE 0
                                END +
                                CASE
                                    WHEN
                                    CASE f.kind
WHEN 'period'::text THEN f.window_start
ELSE t.date_day
                                    END < f.dropped_before THEN 32
                                    ELSE 0
                                END AS newest,
                                CASE f.kind
                                    WHEN 'series'::text THEN t.date_day < f.final_before OR t.date_day < f.request_from OR t.date_day >= f.request_before
                                    WHEN 'period'::text THEN f.window_end <= f.final_before OR f.window_end <= f.request_from OR f.window_end > f.request_before
                                    WHEN 'snapshot'::text THEN f.final_before = 'infinity'::date
                                    ELSE true
                                END AS holds
                           FROM core.dim_date t
                          WHERE t.date_day >= f.window_start AND t.date_day < f.window_end
                         OFFSET 0) d
                     JOIN alike a ON (f.list = ANY (a.lists)) AND NOT (NOT f.kind IS DISTINCT FROM 'snapshot'::text AND f.state = 'failed'::text AND (EXISTS ( SELECT
                           FROM own n
                          WHERE n.window_end > f.window_start AND n.slice_id > f.slice_id AND (n.list = ANY (a.lists)) AND ((n.state = ANY (ARRAY['loaded'::text, 'empty'::text, 'failed'::text])) OR n.state = 'skipped'::text AND (n.error_code = ANY (ARRAY['bad_request'::text, 'not_encodable'::text]))))))
                  GROUP BY a.lists, a.cell_count, a.is_refused, d.date_day) c
        )
 SELECT dataset,
    scope ->> 'store'::text AS store,
    scope ->> 'app'::text AS track_id,
    scope ->> 'country'::text AS country_code,
    scope ->> 'device'::text AS device_code,
    date_day,
    sum(cell_count)::bigint AS cell_count,
    COALESCE(sum(cell_count) FILTER (WHERE state = 1), 0::numeric)::bigint AS loaded_count,
    COALESCE(sum(cell_count) FILTER (WHERE state = 2), 0::numeric)::bigint AS empty_count,
    COALESCE(sum(cell_count) FILTER (WHERE state = 3), 0::numeric)::bigint AS open_count,
    COALESCE(sum(cell_count) FILTER (WHERE state = 4), 0::numeric)::bigint AS deferred_count,
    COALESCE(sum(cell_count) FILTER (WHERE state = 5), 0::numeric)::bigint AS skipped_count,
    COALESCE(sum(cell_count) FILTER (WHERE state = 6), 0::numeric)::bigint AS failed_count,
    COALESCE(sum(cell_count) FILTER (WHERE state = 1 AND is_partial), 0::numeric)::bigint AS partial_count,
    COALESCE(sum(cell_count) FILTER (WHERE is_stale), 0::numeric)::bigint AS stale_count,
    COALESCE(sum(cell_count) FILTER (WHERE state = 7), 0::numeric)::bigint AS dropped_count,
    COALESCE(sum(cell_count) FILTER (WHERE state = 8), 0::numeric)::bigint AS lost_count
   FROM cell
  GROUP BY dataset, scope, date_day;

-- Allowance of each API key, as the service last reported it, and the credits held for calls in flight.
create table ops.credit_account (
  account_id text not null, -- Shortened hash of the API key; the key itself is stored nowhere.
  total integer, -- Credits per period; null until the service reports them.
  remaining integer, -- Credits left; null until the service reports them. While calls overlap, only a lower figure replaces this one.
  resets_at timestamp with time zone, -- When the period ends.
  period_hours numeric, -- Length of a period in hours.
  held integer not null default 0, -- Credits held for calls in flight.
  in_flight integer not null default 0, -- Calls in flight.
  overlapped boolean not null default false, -- True when calls have overlapped since the last moment without a call in flight.
  pace_per_second double precision not null, -- Requests per second that all workers together may start. A refusal halves it; it recovers slowly.
  next_start_at timestamp with time zone not null, -- When the next request may start.
  slowed_at timestamp with time zone, -- When the pace was last halved.
  observed_at timestamp with time zone, -- When the service last reported the balance.
  account text not null default ''::text, -- Name of the account, as accounts in the configuration has it; empty for that of API_TOKEN. A replaced token keeps its row.
  budgets_opened integer not null default 0, -- How often rows of budgets were added: credits are not granted by a statement that does not see the newest.
  constraint credit_account_pkey PRIMARY KEY (account_id),
  constraint credit_account_pace_per_second_check CHECK ((pace_per_second > (0)::double precision))
);

-- One row per account: its allowance as the service last reported it, and the credits held for calls in flight. What is left, and until when?
create view ops.credit_balance (
  account_id text, -- Shortened hash of the API key; the key itself is stored nowhere.
  account text, -- Name of the account, as accounts in the configuration has it; empty for that of API_TOKEN. A replaced token keeps its row.
  total integer, -- Credits per period; null until the service reports them.
  remaining integer, -- Credits left; null until the service reports them. While calls overlap, only a lower figure replaces this one.
  resets_at timestamp with time zone, -- When the period ends.
  period_hours numeric, -- Length of a period in hours.
  held integer, -- Credits held for calls in flight.
  in_flight integer, -- Calls in flight.
  overlapped boolean, -- True when calls have overlapped since the last moment without a call in flight.
  pace_per_second double precision, -- Requests per second that all workers together may start. A refusal halves it; it recovers slowly.
  observed_at timestamp with time zone -- When the service last reported the balance.
) as
 SELECT account_id,
    account,
    total,
    remaining,
    resets_at,
    period_hours,
    held,
    in_flight,
    overlapped,
    pace_per_second,
    observed_at
   FROM ops.credit_account;

-- Budgets from credits.budgets in the configuration, one row for each day or month, and another one for each change of its limit, datasets or apps. A row is locked while credits are taken from it, so that several workers together stay within the budget.
create table ops.credit_budget (
  budget_id bigint not null generated always as identity, -- Number of the budget in this period.
  account_id text not null, -- Account, as the shortened hash of its key.
  budget text not null, -- Name of the budget.
  period text not null, -- day or month, of the calendar (UTC).
  starts_on date not null, -- First day of the period.
  ends_on date not null, -- First day of the next period.
  credits integer not null, -- Most credits that may be spent in the period. Only requests for data that would otherwise be lost may exceed it.
  datasets text[], -- Datasets to which it applies; null for all.
  apps text[], -- Track ids of the apps to which it applies; null for all requests.
  taken_credits bigint not null default 0, -- Credits charged in the period, plus credits that are held, plus credits of calls without a reply, which may have been charged.
  refused_at timestamp with time zone, -- When it first had no credits left for a call; null again once a call has taken less than its price.
  constraint credit_budget_pkey PRIMARY KEY (budget_id),
  constraint credit_budget_period_check CHECK ((period = ANY (ARRAY['day'::text, 'month'::text])))
);
CREATE INDEX credit_budget_period ON ops.credit_budget USING btree (account_id, ends_on);

-- One row per budget and day or month, and per limit that it had in that time: the limit and the credits taken from it. Which budget is used up? How much of a budget was used last month?
create view ops.credit_budget_use (
  budget_id bigint, -- Number of the budget in this period.
  account_id text, -- Account, as the shortened hash of its key.
  budget text, -- Name of the budget.
  period text, -- day or month, of the calendar (UTC).
  starts_on date, -- First day of the period.
  ends_on date, -- First day of the next period.
  credits integer, -- Most credits that may be spent in the period. Only requests for data that would otherwise be lost may exceed it.
  datasets text[], -- Datasets to which it applies; null for all.
  apps text[], -- Track ids of the apps to which it applies; null for all requests.
  taken_credits bigint, -- Credits charged in the period, plus credits that are held, plus credits of calls without a reply, which may have been charged.
  refused_at timestamp with time zone -- When it first had no credits left for a call; null again once a call has taken less than its price.
) as
 SELECT budget_id,
    account_id,
    budget,
    period,
    starts_on,
    ends_on,
    credits,
    datasets,
    apps,
    taken_credits,
    refused_at
   FROM ops.credit_budget;

-- Documented price of each operation and the price that the service charges.
create table ops.credit_cost (
  operation text not null, -- Operation of the API.
  documented integer not null, -- Credits per call in the contract.
  learned integer not null, -- Credits per call, as reported by two answers in a row or by one answer that the balance confirms. Until then it is the documented price.
  last_seen_at timestamp with time zone not null, -- When a successful call was last recorded: at a new price, else once an hour.
  last_charged integer, -- Credits that the last successful call cost, if its price is accepted.
  wrong_price integer, -- The last price in a reply that was not accepted; its call was booked at the documented price. Null if there was none.
  wrong_drop integer, -- Credits by which the balance fell during that call; null if other calls ran at the same time.
  wrong_at timestamp with time zone, -- When that reply came.
  is_avoidable boolean not null default false, -- True if plans can use another operation that returns the same data.
  constraint credit_cost_pkey PRIMARY KEY (operation)
);

-- What was expected to be charged on each future day: the last forecast made on each day, with one row for each day to the end of the credit period and of the month, kept for 90 days. The actual charges are in ops.request; storehouse credits shows both.
create table ops.credit_forecast (
  account_id text not null, -- Account, as the shortened hash of its key.
  made_on date not null, -- Day (UTC) on which the forecast was made.
  date_day date not null, -- Day (UTC) of the forecast; for the day on which the forecast was made, the rest of it.
  starts_at timestamp with time zone not null, -- When the run of the day begins that takes most credits; the start of the day if there is none.
  planned_credits integer not null, -- Credits for slices that the runs of the day plan, as far as budgets allow.
  waiting_credits integer not null, -- Credits for slices that were open when the forecast was made and run on that day.
  budget_credits jsonb not null, -- By name and period of a budget, and a digest of its datasets and apps: the credits for slices (without history) that the runs of the day plan and to which the budget applies, even if they exceed it.
  made_at timestamp with time zone not null, -- When it was made.
  constraint credit_forecast_pkey PRIMARY KEY (account_id, made_on, date_day)
);

-- One row per future day and day on which its forecast was made. What is the rest of the period expected to cost? What was last night expected to cost the day before?
create view ops.credit_forecast_day (
  account_id text, -- Account, as the shortened hash of its key.
  made_on date, -- Day (UTC) on which the forecast was made.
  date_day date, -- Day (UTC) of the forecast; for the day on which the forecast was made, the rest of it.
  starts_at timestamp with time zone, -- When the run of the day begins that takes most credits; the start of the day if there is none.
  planned_credits integer, -- Credits for slices that the runs of the day plan, as far as budgets allow.
  waiting_credits integer, -- Credits for slices that were open when the forecast was made and run on that day.
  budget_credits jsonb, -- By name and period of a budget, and a digest of its datasets and apps: the credits for slices (without history) that the runs of the day plan and to which the budget applies, even if they exceed it.
  made_at timestamp with time zone -- When it was made.
) as
 SELECT account_id,
    made_on,
    date_day,
    starts_at,
    planned_credits,
    waiting_credits,
    budget_credits,
    made_at
   FROM ops.credit_forecast;

-- Credits held for calls in flight. The holds of a worker whose lease expired are released at once and counted as spent until the service reports the balance. A hold that is never settled expires.
create table ops.credit_hold (
  hold_id bigint not null generated always as identity, -- Number of the hold.
  account_id text not null, -- Account.
  cost integer not null, -- Credits held.
  slice_id bigint, -- Slice of the call; null for requests about the account and for requests of a command.
  dataset text, -- Dataset that the call is for; empty if it is for none.
  app text, -- Track id of the app that the call is about; null if it is about none or several.
  worker_id bigint, -- Process that holds the credits; null when it is not in ops.worker.
  budget_ids bigint[] not null default '{}'::bigint[], -- Budgets from which they are taken.
  plan_id bigint, -- Plan from whose price they are taken; null if the slice is of no plan.
  expires_at timestamp with time zone not null, -- When the hold expires automatically.
  constraint credit_hold_pkey PRIMARY KEY (hold_id)
);
CREATE INDEX credit_hold_expiry ON ops.credit_hold USING btree (account_id, expires_at);

-- One row per operation that was called: its documented price and the price that the service charges. Which prices differ?
create view ops.credit_price (
  operation text, -- Operation of the API.
  documented integer, -- Credits per call in the contract.
  learned integer, -- Credits per call, as reported by two answers in a row or by one answer that the balance confirms. Until then it is the documented price, and again if plans can avoid the operation and no call was charged for 7 days. Plans use it.
  last_seen_at timestamp with time zone, -- When a successful call was last recorded: at a new price, else once an hour.
  last_charged integer -- Credits that the last successful call cost, if its price is accepted.
) as
 SELECT operation,
    documented,
        CASE
            WHEN is_avoidable AND last_seen_at < (now() - '7 days'::interval) THEN documented
            ELSE learned
        END AS learned,
    last_seen_at,
    last_charged
   FROM ops.credit_cost;

-- One row per day (UTC), account, dataset, operation and class: the requests that were sent (imported answers do not count) and the credits charged for them. What did keyword ranks cost last month? On which day did we spend most?
create view ops.credit_spend_daily (
  date_day date, -- Day (UTC) of the answer.
  account text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  dataset text, -- Dataset; empty for requests that a command sent for a person.
  operation text, -- Operation of the API.
  class text, -- Class for which credits were held.
  request_count bigint, -- Requests.
  failed_request_count bigint, -- Requests without a valid answer.
  booked_credits bigint -- Credits charged.
) as
 SELECT q.date_day,
    COALESCE(a.account, ''::text) AS account,
    COALESCE(q.dataset, ''::text) AS dataset,
    q.operation,
    q.class,
    sum(q.request_count)::bigint AS request_count,
    sum(q.failed_request_count)::bigint AS failed_request_count,
    sum(q.cost)::bigint AS booked_credits
   FROM ( SELECT (request.received_at AT TIME ZONE 'UTC'::text)::date AS date_day,
            request.account_id,
            request.dataset,
            request.operation,
            request.class,
            count(*) AS request_count,
            count(request.error_code) AS failed_request_count,
            sum(request.cost) AS cost
           FROM ops.request
          WHERE request.account_id <> 'import'::text
          GROUP BY ((request.received_at AT TIME ZONE 'UTC'::text)::date), request.account_id, request.dataset, request.operation, request.class
        UNION ALL
         SELECT past_spend_daily.date_day,
            past_spend_daily.account_id,
            past_spend_daily.dataset,
            past_spend_daily.operation,
            past_spend_daily.class,
            sum(past_spend_daily.request_count) AS sum,
            sum(past_spend_daily.failed_request_count) AS sum,
            sum(past_spend_daily.cost) AS sum
           FROM ops.past_spend_daily
          WHERE past_spend_daily.account_id <> 'import'::text
          GROUP BY past_spend_daily.date_day, past_spend_daily.account_id, past_spend_daily.dataset, past_spend_daily.operation, past_spend_daily.class) q
     LEFT JOIN ops.credit_account a ON a.account_id = q.account_id
  GROUP BY q.date_day, (COALESCE(a.account, ''::text)), (COALESCE(q.dataset, ''::text)), q.operation, q.class;

-- Datasets of the program, as configured in the process that planned last.
create table ops.dataset (
  dataset text not null, -- Dataset.
  stage text not null, -- portfolio (the tracked apps and keywords), listing (other lists from which later datasets are planned) or market.
  is_on boolean not null, -- True when a sync without dataset names includes it.
  is_switched_off boolean not null default false, -- True when the configuration switches it off: even a crontab line that names it does not plan it.
  off_from date, -- First day of the last period in which plannings found it switched off; null if none did.
  off_through date, -- Last day on which a planning found it switched off; null if none did. Nothing was due from off_from through this day.
  items_are_apps boolean not null default false, -- True when the items of its slices are apps: a track id (123), or a country and a track id (US:123).
  countries text[], -- Countries to which the configuration limits it; null if it covers all countries of the portfolio.
  constraint dataset_pkey PRIMARY KEY (dataset),
  constraint dataset_stage_check CHECK ((stage = ANY (ARRAY['portfolio'::text, 'listing'::text, 'market'::text])))
);

-- When each dataset is fetched again, according to the program and the configuration: one default per dataset, and one row for each scope with its own timing.
create table ops.dataset_timing (
  dataset text not null, -- Dataset.
  scope jsonb not null, -- Scope that the timing applies to; null as JSON for the default, which applies to all other scopes.
  is_default boolean not null, -- True for the row that applies to scopes without a row of their own.
  kind text not null, -- series (days), period (whole periods) or snapshot (only the current state can be requested).
  settle_days integer, -- Number of the newest days, including today, that are not published yet; null for a snapshot.
  lookback_days integer, -- Number of days before those that the source may still restate and that are fetched again; null for a snapshot.
  history_days integer, -- How many days back a sync without a start date reaches; null for a snapshot.
  first_day date, -- First day that is ever requested; null if history_days decides.
  pack_days integer, -- Number of days in one request, counted from Monday, 2007-01-01; null if each day is requested as soon as it is published.
  pack_is_full boolean, -- True if no request can cover more days than pack_days; else null.
  refresh_days integer, -- Days after which a snapshot is fetched again; null for other kinds.
  refresh_since date, -- Day since which refresh_days applies; null if it never changed.
  earlier_refresh_days integer, -- Value of refresh_days before refresh_since.
  empty_holds_days integer, -- Days after which an empty answer is fetched again; null if an empty answer is final.
  empty_until_days integer, -- Number of the newest days to which empty_holds_days applies; null if it applies to all days.
  empty_early_days integer, -- Number of days by which an empty answer, or one with status 404, becomes final later than others; null for a snapshot.
  keep_months integer, -- Number of whole months before the current one that are kept and requested; null without a limit.
  account text not null default ''::text, -- Account whose planning recorded it last; empty for that of API_TOKEN.
  constraint dataset_timing_pkey PRIMARY KEY (dataset, scope),
  constraint dataset_timing_kind_check CHECK ((kind = ANY (ARRAY['series'::text, 'period'::text, 'snapshot'::text])))
);

-- One row per app and country whose downloads, revenue or page views were requested: the days with an answer, and the days on which a device has none yet. For which days do we know all downloads?
create view ops.download_days (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country; null for requests that named none, so that they are about all countries.
  estimated_days datemultirange, -- Days for which there is an answer about estimates (download_revenue).
  unestimated_days datemultirange, -- Days for which the estimate of a requested device has no answer yet.
  reported_days datemultirange, -- Days for which there is an answer about downloads reported by the store (sales_metric).
  unreported_days datemultirange, -- Days for which the store's downloads on a requested device have no answer yet.
  revenue_days datemultirange, -- Days for which there is an answer about revenue reported by the store (sales_metric).
  unanswered_revenue_days datemultirange, -- Days for which the store's revenue on a requested device has no answer yet.
  page_view_days datemultirange, -- Days for which there is an answer about page views (sales_metric).
  unanswered_page_view_days datemultirange -- Days for which the page views on a requested device have no answer yet.
) as
 SELECT store,
    track_id,
    country_code,
    COALESCE(range_agg(answered_days) FILTER (WHERE dataset = 'download_revenue'::text), '{}'::datemultirange) AS estimated_days,
    COALESCE(range_agg(unanswered_days) FILTER (WHERE dataset = 'download_revenue'::text), '{}'::datemultirange) AS unestimated_days,
    COALESCE(range_agg(answered_days) FILTER (WHERE context = 'DOWNLOAD'::text), '{}'::datemultirange) AS reported_days,
    COALESCE(range_agg(unanswered_days) FILTER (WHERE context = 'DOWNLOAD'::text), '{}'::datemultirange) AS unreported_days,
    COALESCE(range_agg(answered_days) FILTER (WHERE context = 'REVENUE_TOTAL'::text), '{}'::datemultirange) AS revenue_days,
    COALESCE(range_agg(unanswered_days) FILTER (WHERE context = 'REVENUE_TOTAL'::text), '{}'::datemultirange) AS unanswered_revenue_days,
    COALESCE(range_agg(answered_days) FILTER (WHERE context = 'PAGE_VIEW'::text), '{}'::datemultirange) AS page_view_days,
    COALESCE(range_agg(unanswered_days) FILTER (WHERE context = 'PAGE_VIEW'::text), '{}'::datemultirange) AS unanswered_page_view_days
   FROM ops.partition_days n
  WHERE dataset = ANY (ARRAY['download_revenue'::text, 'sales_metric'::text])
  GROUP BY store, track_id, country_code;

-- Fields of answers that are not in the contract, each listed once.
create table ops.drift (
  operation text not null, -- Operation of the API.
  path text not null, -- Path of the field; [] stands for any item of a list, {} for any key of a map.
  kind text not null, -- Type of its value when it was first seen.
  first_seen_at timestamp with time zone not null, -- When it was first seen.
  last_seen_at timestamp with time zone not null, -- When an answer last had the field, accurate to the hour.
  slice_id bigint not null, -- Slice of the first answer that had the field.
  constraint drift_pkey PRIMARY KEY (operation, path, kind)
);

-- Months of facts and requests that retention dropped or detached, one row per dataset, table and month. Rows that are loaded for such a month later count again.
create table ops.dropped_month (
  dataset text not null, -- Dataset.
  table_name text not null, -- Fact table, or ops.request, which belongs to no dataset.
  month_start date not null, -- First day of the month.
  action text not null, -- drop or detach (the rows are then in the schema archive).
  rows_gone bigint not null, -- Rows of the month, of all datasets of the table.
  bytes_gone bigint not null, -- Bytes of its partitions, including indexes.
  dropped_by text not null, -- Database role that removed it.
  dropped_at timestamp with time zone not null, -- When it was removed. Slices that ended before then no longer have rows in this month.
  is_done boolean not null, -- False only within the transaction that removes the month. ops.remove_month removes no other month.
  constraint dropped_month_pkey PRIMARY KEY (dataset, table_name, month_start),
  constraint dropped_month_action_check CHECK ((action = ANY (ARRAY['drop'::text, 'detach'::text])))
);

-- One row per chart and day for which an answer of top_chart had no app. If a later answer has apps, they are in core.fact_top_chart. Which charts are empty?
create view ops.empty_chart (
  category_code text, -- Category: its id on iOS (36 is overall), its name on Android (OVERALL).
  country_key smallint, -- The country.
  chart text, -- FREE, PAID or GROSSING.
  device_key smallint, -- The device; 0 on Android.
  chart_version text, -- v1 or v2 of the iOS charts; empty on Android.
  date_day date -- Day of the chart.
) as
 SELECT s.scope ->> 'category_code'::text AS category_code,
    c.country_key,
    s.scope ->> 'chart'::text AS chart,
    d.device_key,
    COALESCE(s.scope ->> 'chart_version'::text, ''::text) AS chart_version,
    g.date_day
   FROM ops.slice s
     JOIN core.dim_country c ON c.country_code = (s.scope ->> 'country'::text)
     JOIN core.dim_device d ON d.device_code = (s.scope ->> 'device'::text)
     JOIN core.dim_date g ON g.date_day >= s.window_start AND g.date_day < s.window_end
  WHERE s.dataset = 'top_chart'::text AND s.state = 'empty'::text
  GROUP BY (s.scope ->> 'category_code'::text), c.country_key, (s.scope ->> 'chart'::text), d.device_key, (COALESCE(s.scope ->> 'chart_version'::text, ''::text)), g.date_day;

-- One row per keyword, country, store and day for which the answer of keyword_app was a list without apps. Which searches show nothing?
create view ops.empty_search_list (
  keyword_key integer, -- The keyword.
  country_key smallint, -- The country.
  store text, -- ios or android.
  date_day date -- Day of observation.
) as
 SELECT k.keyword_key,
    c.country_key,
    s.scope ->> 'store'::text AS store,
    s.window_start AS date_day
   FROM ops.slice s
     JOIN core.dim_keyword k ON k.keyword = (s.scope ->> 'keyword'::text)
     JOIN core.dim_country c ON c.country_code = (s.scope ->> 'country'::text)
  WHERE s.dataset = 'keyword_app'::text AND s.state = 'empty'::text
  GROUP BY k.keyword_key, c.country_key, (s.scope ->> 'store'::text), s.window_start;

-- Failed slices with a cell (item and day) that no newer slice of the same dataset and scope has resolved. A newer slice resolves a cell when it is loaded or empty, or when the service refused its request as invalid. A newer snapshot of any day resolves the items that it has in common with a failed one; if it failed as well, it replaces them. What must be retried?
create view ops.failed_slice (
  slice_id bigint, -- Number of the slice.
  dataset text, -- Dataset.
  operation text, -- Operation of the API for the slice.
  scope jsonb, -- Partition of the slice.
  batch_id bigint, -- List of the requested keywords or ids; null if the scope identifies the partition.
  window_start date, -- First requested day.
  window_end date, -- Day after the last requested day.
  run_id bigint, -- Run that it belongs to.
  plan_id bigint, -- Plan that it belongs to; null when it belongs to none.
  error_code text, -- Stable code of the last error.
  error_message text, -- Text of the last error, including what to do next.
  ended_at timestamp with time zone, -- When it failed.
  next_try_at timestamp with time zone -- When it is requested again: by a worker, or by the first sync after this time. Workers leave out what a person's sync or retry started, unless someone has agreed to its dataset by name, or to everything and it is on (ops.agreement). Null if only storehouse retry requests it.
) as
 SELECT f.slice_id,
    f.dataset,
    f.operation,
    f.scope,
    f.batch_id,
    f.window_start,
    f.window_end,
    f.run_id,
    f.plan_id,
    f.error_code,
    f.error_message,
    f.ended_at,
    f.due_at AS next_try_at
   FROM ops.slice_log f
     LEFT JOIN ops.batch b ON b.batch_id = f.batch_id
     CROSS JOIN LATERAL ( SELECT array_agg(n.slice_id) AS ids
           FROM ( SELECT s.slice_id,
                    s.dataset,
                    s.operation,
                    s.scope,
                    s.batch_id,
                    s.window_start,
                    s.window_end,
                    s.requested_end,
                    s.tail_of,
                    s.as_of,
                    s.fingerprint,
                    s.class,
                    s.state,
                    s.planned_requests,
                    s.planned_credits,
                    s.run_id,
                    s.plan_id,
                    s.queue_id,
                    s.turn,
                    s.worker_id,
                    s.attempt,
                    s.read_from_attempt,
                    s.failures,
                    s.later_tries,
                    s.broken_off_count,
                    s.broken_off_alone_count,
                    s.due_at,
                    s.retried_at,
                    s.error_code,
                    s.error_message,
                    s.rows_loaded,
                    s.rows_rejected,
                    s.answer_digest,
                    s.is_folded,
                    s.created_at,
                    s.started_at,
                    s.ended_at
                   FROM ops.slice s
                  WHERE hashtextextended(s.scope::text, 0::bigint) = hashtextextended(f.scope::text, 0::bigint) AND s.window_end > f.window_start AND s.window_start <
                        CASE
                            WHEN f.class = 'snapshot'::text THEN 'infinity'::date
                            ELSE f.window_end
                        END
                 OFFSET 0) n
          WHERE n.slice_id > f.slice_id AND n.dataset = f.dataset AND n.scope = f.scope AND ((n.state = ANY (ARRAY['loaded'::text, 'empty'::text])) OR n.state = 'skipped'::text AND (n.error_code = ANY (ARRAY['bad_request'::text, 'not_encodable'::text])) OR f.class = 'snapshot'::text AND n.state = 'failed'::text)) newer
  WHERE f.state = 'failed'::text AND (newer.ids IS NULL OR (EXISTS ( SELECT i.item,
            d.date_day
           FROM unnest(COALESCE(b.items, ARRAY[''::text])) i(item)
             CROSS JOIN generate_series(f.window_start::timestamp without time zone,
                CASE
                    WHEN f.class = 'snapshot'::text THEN f.window_start
                    ELSE f.window_end - 1
                END::timestamp without time zone, '1 day'::interval) d(date_day)
        EXCEPT
         SELECT i.item,
            d.date_day
           FROM ops.slice n
             LEFT JOIN ops.batch nb ON nb.batch_id = n.batch_id
             CROSS JOIN LATERAL unnest(COALESCE(nb.items, ARRAY[''::text])) i(item)
             CROSS JOIN LATERAL generate_series(
                CASE
                    WHEN f.class = 'snapshot'::text THEN f.window_start
                    ELSE GREATEST(n.window_start, f.window_start)
                END::timestamp without time zone,
                CASE
                    WHEN f.class = 'snapshot'::text THEN f.window_start
                    ELSE LEAST(n.window_end, f.window_end) - 1
                END::timestamp without time zone, '1 day'::interval) d(date_day)
          WHERE n.slice_id = ANY (newer.ids))));

-- Problems that processes noticed during their work and that someone should know about; each is an incident while it lasts.
create table ops.finding (
  kind text not null, -- Kind of incident that it becomes.
  subject text not null, -- Subject of the problem; empty if the kind needs none.
  account_id text not null, -- Account with the problem, as the shortened hash of its key; empty when the problem is in the warehouse.
  facts jsonb not null, -- Figures.
  found_at timestamp with time zone not null, -- When it was first found.
  stands_until timestamp with time zone, -- When it is over, unless it is found again; null if it lasts until a process ends it.
  constraint finding_pkey PRIMARY KEY (kind, subject, account_id)
);

-- Months whose slices were folded: adjacent slices with the same outcome became one. One row per dataset, month and state, even if nothing could be folded yet.
create table ops.folded_month (
  dataset text not null, -- Dataset.
  month_start date not null, -- First day of the month.
  state text not null, -- loaded or empty.
  slice_count bigint not null, -- Number of slices that were folded into others; they are deleted.
  rows_loaded bigint not null, -- Rows of their answers.
  checked_at timestamp with time zone not null, -- When the slices of the month were last checked for slices that can be folded.
  constraint folded_month_pkey PRIMARY KEY (dataset, month_start, state),
  constraint folded_month_state_check CHECK ((state = ANY (ARRAY['loaded'::text, 'empty'::text])))
);

-- One row per dataset and state: slices that were folded into others, which are in no other view, and the rows of their answers. How many slices were loaded in all?
create view ops.folded_slices (
  dataset text, -- Dataset.
  state text, -- loaded or empty.
  slice_count bigint, -- Number of deleted slices.
  rows_loaded bigint -- Rows of their answers.
) as
 SELECT dataset,
    state,
    sum(slice_count)::bigint AS slice_count,
    sum(rows_loaded)::bigint AS rows_loaded
   FROM ops.folded_month
  WHERE slice_count > 0
  GROUP BY dataset, state;

-- One row per requested dataset, app and country: its newest loaded day, the day that is due according to the timing of the dataset, and when it was loaded. Which apps are behind? How old is the data in a report?
create view ops.freshness (
  dataset text, -- Dataset.
  store text, -- ios or android; null if the dataset is about the account.
  track_id text, -- Track id of the app; null if the dataset is not about an app.
  country_code text, -- Country; null if the dataset does not distinguish countries.
  newest_day date, -- Newest day that is loaded or empty; null when there is none. For charts that are requested for all countries at once (resolution last_day), which name no day, it is the newest day of their rows.
  due_day date, -- Newest day that should be loaded by the end of today; null if nothing is due: the dataset is off or limited to other countries, it is fetched only once, the app, country or competitor is no longer in the portfolio, or nothing has been planned yet. Also null for charts of all countries at once (resolution last_day): it is not known in advance which day the service has.
  days_behind integer, -- Days from newest_day to due_day; 1 on each day until its run is over. Null if nothing is loaded or due_day is null.
  freshness_state text, -- on time: the due day is loaded, or only today's run is missing; late: requested, but all or some of it has no answer yet; stopped: due since yesterday or longer, and not requested; nothing due: nothing is due, the service does not have it (unavailable), or all answers are empty and requests continue.
  last_loaded_at timestamp with time zone, -- When the last answer was loaded.
  open_count bigint -- Number of slices that are waiting or running.
) as
 WITH answer AS (
         WITH many AS (
                 SELECT dataset.dataset
                   FROM ops.dataset
                  WHERE dataset.items_are_apps
                )
         SELECT s.dataset,
            s.scope,
            s.scope ->> 'app'::text AS track_id,
            s.scope ->> 'country'::text AS country_code,
            max(s.window_start) FILTER (WHERE s.state = ANY (ARRAY['loaded'::text, 'empty'::text])) AS newest_start,
            max(s.window_end) FILTER (WHERE s.state = ANY (ARRAY['loaded'::text, 'empty'::text])) AS newest_end,
            max(s.window_end) FILTER (WHERE (s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text])) OR s.state = 'failed'::text AND (s.slice_id IN ( SELECT f.slice_id
                   FROM ops.failed_slice f))) AS unanswered_end,
            max(s.ended_at) FILTER (WHERE s.state = ANY (ARRAY['loaded'::text, 'empty'::text])) AS last_loaded_at,
            max(s.as_of) AS last_requested,
            count(*) FILTER (WHERE s.state = 'loaded'::text) AS loaded_count,
            count(*) FILTER (WHERE s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text])) AS open_count,
            max(s.slice_id) FILTER (WHERE s.state = 'skipped'::text) = max(s.slice_id) AS is_unavailable
           FROM ops.slice s
          WHERE NOT (s.dataset IN ( SELECT m.dataset
                   FROM many m))
          GROUP BY s.dataset, s.scope
        UNION ALL
         SELECT d_1.dataset,
            l_1.scope,
            split_part(i_1.item, ':'::text, '-1'::integer) AS split_part,
            COALESCE(l_1.scope ->> 'country'::text,
                CASE
                    WHEN i_1.item ~~ '%:%'::text THEN split_part(i_1.item, ':'::text, 1)
                    ELSE NULL::text
                END) AS "coalesce",
            max(l_1.newest_start) AS max,
            max(l_1.newest_end) AS max,
            GREATEST(max(l_1.open_end),
                CASE
                    WHEN max(l_1.failed_id) > COALESCE(max(l_1.answered_id), 0::bigint) THEN max(l_1.failed_end)
                    ELSE NULL::date
                END) AS "greatest",
            max(l_1.last_loaded_at) AS max,
            max(l_1.last_requested) AS max,
            sum(l_1.loaded_count)::bigint AS sum,
            sum(l_1.open_count)::bigint AS sum,
            max(l_1.skipped_id) = max(l_1.newest_id)
           FROM many d_1
             CROSS JOIN LATERAL ( SELECT s.scope,
                    s.batch_id,
                    max(s.window_start) FILTER (WHERE s.state = ANY (ARRAY['loaded'::text, 'empty'::text])) AS newest_start,
                    max(s.window_end) FILTER (WHERE s.state = ANY (ARRAY['loaded'::text, 'empty'::text])) AS newest_end,
                    max(s.window_end) FILTER (WHERE s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text])) AS open_end,
                    max(s.window_end) FILTER (WHERE s.state = 'failed'::text) AS failed_end,
                    max(s.slice_id) FILTER (WHERE s.state = ANY (ARRAY['loaded'::text, 'empty'::text])) AS answered_id,
                    max(s.slice_id) FILTER (WHERE s.state = 'failed'::text) AS failed_id,
                    max(s.slice_id) FILTER (WHERE s.state = 'skipped'::text) AS skipped_id,
                    max(s.slice_id) AS newest_id,
                    max(s.ended_at) FILTER (WHERE s.state = ANY (ARRAY['loaded'::text, 'empty'::text])) AS last_loaded_at,
                    max(s.as_of) AS last_requested,
                    count(*) FILTER (WHERE s.state = 'loaded'::text) AS loaded_count,
                    count(*) FILTER (WHERE s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text])) AS open_count
                   FROM ops.slice s
                  WHERE s.dataset = d_1.dataset
                  GROUP BY s.scope, s.batch_id) l_1
             LEFT JOIN ops.batch b ON b.batch_id = l_1.batch_id
             LEFT JOIN LATERAL unnest(b.items) i_1(item) ON true
          GROUP BY d_1.dataset, l_1.scope, i_1.item
        ), due AS (
         SELECT a_1.dataset,
            a_1.scope,
            a_1.track_id,
            a_1.country_code,
            a_1.newest_start,
            a_1.newest_end,
            a_1.unanswered_end,
            a_1.last_loaded_at,
            a_1.last_requested,
            a_1.loaded_count,
            a_1.open_count,
            a_1.is_unavailable,
            a_1.scope ->> 'store'::text AS store,
            n_1.due_end,
            n_1.due_end_before
           FROM answer a_1
             LEFT JOIN ops.dataset_timing o_1 ON o_1.dataset = a_1.dataset AND o_1.scope = a_1.scope AND NOT o_1.is_default
             LEFT JOIN ops.dataset_timing b ON b.dataset = a_1.dataset AND b.is_default
             CROSS JOIN LATERAL ( SELECT ops.due_end(
                        CASE
                            WHEN o_1.dataset IS NULL THEN b.*
                            ELSE o_1.*
                        END, a_1.newest_start, a_1.newest_end, ops.today()) AS due_end,
                    ops.due_end(
                        CASE
                            WHEN o_1.dataset IS NULL THEN b.*
                            ELSE o_1.*
                        END, a_1.newest_start, a_1.newest_end, ops.today() - 1) AS due_end_before) n_1
        ), place AS (
         SELECT d_1.dataset,
            d_1.store,
            d_1.track_id,
            d_1.country_code,
            max(d_1.newest_end) AS newest_end,
            max(d_1.unanswered_end) AS unanswered_end,
            max(d_1.last_loaded_at) AS last_loaded_at,
            max(d_1.last_requested) AS last_requested,
            sum(d_1.loaded_count) AS loaded_count,
            sum(d_1.open_count)::bigint AS open_count,
            bool_and(COALESCE(d_1.is_unavailable, false)) AS is_unavailable,
            bool_or((d_1.scope ->> 'resolution'::text) = 'last_day'::text) AS is_of_last_day,
            (array_agg(d_1.due_end ORDER BY d_1.last_requested DESC, d_1.newest_end DESC NULLS LAST))[1] AS due_end,
            (array_agg(d_1.due_end_before ORDER BY d_1.last_requested DESC, d_1.newest_end DESC NULLS LAST))[1] AS due_end_before
           FROM due d_1
          GROUP BY d_1.dataset, d_1.store, d_1.track_id, d_1.country_code
        ), member AS (
         SELECT a_1.store,
            a_1.track_id,
            NULL::text AS country_code,
            COALESCE(t.valid_to, u.unread_since) AS valid_to
           FROM core.tracked_app t
             JOIN core.dim_app a_1 ON a_1.app_key = t.app_key
             LEFT JOIN ops.unread_account u ON u.account = t.account
        UNION ALL
         SELECT a_1.store,
            a_1.track_id,
            c_1.country_code,
            COALESCE(t.valid_to, u.unread_since) AS "coalesce"
           FROM core.tracked_country t
             JOIN core.dim_app a_1 ON a_1.app_key = t.app_key
             JOIN core.dim_country c_1 ON c_1.country_key = t.country_key
             LEFT JOIN ops.unread_account u ON u.account = t.account
        UNION ALL
         SELECT f.store,
            f.track_id,
                CASE f.part
                    WHEN 'country'::text THEN f.member
                    ELSE NULL::text
                END AS "case",
            f.valid_to
           FROM core.configured_portfolio f
          WHERE f.part = ANY (ARRAY['app'::text, 'country'::text])
        ), listed AS MATERIALIZED (
         SELECT g.store,
            g.track_id,
            g.country_code,
            g.left_on,
            max(g.left_on) FILTER (WHERE g.country_code IS NULL) OVER (PARTITION BY g.store, g.track_id) AS app_left_on
           FROM ( SELECT member.store,
                    member.track_id,
                    member.country_code,
                        CASE
                            WHEN bool_and(member.valid_to IS NOT NULL) THEN max(member.valid_to)
                            ELSE NULL::date
                        END AS left_on
                   FROM member
                  GROUP BY member.store, member.track_id, member.country_code) g
        ), competitor AS MATERIALIZED (
         SELECT k.store,
            k.track_id,
            c_1.country_code,
                CASE
                    WHEN bool_and(n_1.left_on IS NOT NULL) THEN max(n_1.left_on)
                    ELSE NULL::date
                END AS left_on
           FROM core.tracked_competitor t
             JOIN core.dim_app k ON k.app_key = t.competitor_app_key
             JOIN core.dim_app o_1 ON o_1.app_key = t.app_key
             JOIN listed c_1 ON c_1.store = o_1.store AND c_1.track_id = o_1.track_id
             LEFT JOIN ops.unread_account u ON u.account = t.account
             CROSS JOIN LATERAL ( SELECT COALESCE(t.valid_to, u.unread_since, GREATEST(c_1.app_left_on, c_1.left_on)) AS left_on) n_1
          GROUP BY k.store, k.track_id, c_1.country_code
        ), land AS MATERIALIZED (
         SELECT c_1.store,
            c_1.country_code,
                CASE
                    WHEN bool_and(n_1.left_on IS NOT NULL) THEN max(n_1.left_on)
                    ELSE NULL::date
                END AS left_on
           FROM listed c_1
             CROSS JOIN LATERAL ( SELECT GREATEST(c_1.app_left_on, c_1.left_on) AS left_on) n_1
          WHERE c_1.country_code IS NOT NULL
          GROUP BY c_1.store, c_1.country_code
        )
 SELECT p.dataset,
    p.store,
    p.track_id,
    p.country_code,
        CASE
            WHEN p.is_of_last_day THEN ( SELECT max(f.date_day) AS max
               FROM core.fact_category_rank f
              WHERE f.app_key = o.app_key AND f.resolution = 'last_day'::text)
            ELSE p.newest_end - 1
        END AS newest_day,
        CASE
            WHEN p.is_of_last_day IS NOT TRUE THEN w.due_end - 1
            ELSE NULL::date
        END AS due_day,
        CASE
            WHEN p.is_of_last_day IS NOT TRUE THEN
            CASE
                WHEN w.due_end > p.newest_end THEN w.due_end - p.newest_end
                WHEN w.due_end <= p.newest_end THEN 0
                ELSE NULL::integer
            END
            ELSE NULL::integer
        END AS days_behind,
        CASE
            WHEN w.due_end IS NULL AND p.open_count = 0 OR p.is_unavailable THEN 'nothing due'::text
            WHEN p.loaded_count = 0::numeric AND p.newest_end IS NOT NULL AND p.newest_end >= COALESCE(p.unanswered_end, '-infinity'::date) AND (w.due_end_before IS NULL OR p.newest_end >= w.due_end_before) THEN 'nothing due'::text
            WHEN p.unanswered_end >= w.due_end THEN 'late'::text
            WHEN p.newest_end >= w.due_end THEN 'on time'::text
            WHEN p.unanswered_end > COALESCE(p.newest_end, '-infinity'::date) THEN 'late'::text
            WHEN p.newest_end >= w.due_end_before THEN 'on time'::text
            ELSE 'stopped'::text
        END AS freshness_state,
    p.last_loaded_at,
    p.open_count
   FROM place p
     LEFT JOIN ops.dataset d ON d.dataset = p.dataset
     LEFT JOIN listed a ON a.store = p.store AND a.track_id = p.track_id AND a.country_code IS NULL
     LEFT JOIN listed c ON c.store = p.store AND c.track_id = p.track_id AND c.country_code = p.country_code
     LEFT JOIN competitor r ON r.store = p.store AND r.track_id = p.track_id AND r.country_code IS NULL
     LEFT JOIN competitor e ON e.store = p.store AND e.track_id = p.track_id AND e.country_code = p.country_code
     LEFT JOIN land n ON n.store = p.store AND n.country_code = p.country_code AND p.track_id IS NULL
     LEFT JOIN core.dim_app o ON o.store = p.store AND o.track_id = p.track_id AND p.is_of_last_day
     CROSS JOIN LATERAL ( SELECT GREATEST(a.left_on, c.left_on, n.left_on,
                CASE
                    WHEN a.store IS NULL OR a.left_on IS NOT NULL THEN GREATEST(r.left_on, e.left_on)
                    ELSE NULL::date
                END) >= p.last_requested AS has_left) l
     CROSS JOIN LATERAL ( SELECT (d.is_on IS NOT FALSE OR NOT d.is_switched_off AND (EXISTS ( SELECT
                   FROM ops.next_run r_1
                  WHERE p.dataset = ANY (r_1.datasets)))) AND l.has_left IS NOT TRUE AND (p.country_code = ANY (d.countries)) IS NOT FALSE AS is_due) i
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN i.is_due THEN p.due_end
                    ELSE NULL::date
                END AS due_end,
                CASE
                    WHEN i.is_due THEN p.due_end_before
                    ELSE NULL::date
                END AS due_end_before) w;

-- Calls that a gateway has under way: another gateway waits for the answer instead of paying for an equal call.
create table ops.gateway_call (
  call_hash bytea not null, -- Hash of the call, as in raw.answer.
  worker_id bigint not null, -- Process that has claimed it. The claim of a process that no longer runs does not count.
  claimed_at timestamp with time zone not null, -- When it was claimed.
  caller text not null default ''::text, -- Caller that pays for it.
  credits integer not null default 0, -- Credits that it is expected to take: until it is answered, other gateways count them against the daily credits of its caller.
  constraint gateway_call_pkey PRIMARY KEY (call_hash)
);

-- Keys of the callers of storehouse gateway, one for each caller. A new key replaces the previous one.
create table ops.gateway_key (
  caller text not null, -- Caller, by its name in gateway.callers.
  key_digest bytea not null, -- SHA-256 of the key, which has 256 random bits; the key itself is stored nowhere.
  made_at timestamp with time zone not null, -- When the key was made. For people: no program reads it.
  constraint gateway_key_pkey PRIMARY KEY (caller),
  constraint gateway_key_key_digest_key UNIQUE (key_digest)
);

-- Calls to the gateway that were not sent to the API, one row for each caller and day. Sent requests are in ops.request.
create table ops.gateway_use (
  caller text not null, -- Caller, by its name in gateway.callers.
  date_day date not null, -- Day (UTC) of the calls.
  hit_count bigint not null, -- Calls answered from a stored answer that was fresh.
  joined_count bigint not null, -- Calls answered by the answer to an equal call that was under way.
  saved_credits bigint not null, -- Credits that these calls would have cost.
  constraint gateway_use_pkey PRIMARY KEY (caller, date_day)
);

-- One row per day (UTC) and caller of the gateway: its calls that were answered from stored answers, its calls that were sent, and the credits that these saved and took. What did each caller cost? What did the gateway save?
create view ops.gateway_use_daily (
  date_day date, -- Day (UTC) of the calls.
  caller text, -- Caller, by its name in gateway.callers.
  hit_count bigint, -- Calls answered from a stored answer that was fresh.
  joined_count bigint, -- Calls answered by the answer to an equal call that was under way.
  request_count bigint, -- Requests that were sent for the caller, in months that are kept.
  credit_count bigint, -- Credits charged for these requests.
  saved_credits bigint -- Credits that these calls would have cost.
) as
 SELECT date_day,
    caller,
    sum(hit_count)::bigint AS hit_count,
    sum(joined_count)::bigint AS joined_count,
    sum(request_count) AS request_count,
    sum(cost) AS credit_count,
    sum(saved_credits)::bigint AS saved_credits
   FROM ( SELECT gateway_use.date_day,
            gateway_use.caller,
            gateway_use.hit_count,
            gateway_use.joined_count,
            0 AS request_count,
            0 AS cost,
            gateway_use.saved_credits
           FROM ops.gateway_use
        UNION ALL
         SELECT (request.received_at AT TIME ZONE 'UTC'::text)::date AS timezone,
            request.caller,
            0,
            0,
            1,
            request.cost,
            0
           FROM ops.request
          WHERE request.caller IS NOT NULL) q
  GROUP BY date_day, caller;

-- Answers about the portfolio that would remove more than half of the members of their scope. They are stored but not applied until someone confirms them, or an answer of a later day agrees with them.
create table ops.held_answer (
  slice_id bigint not null, -- Slice of the answer.
  dataset text not null, -- Dataset of the slice.
  scope jsonb not null, -- What the answer is about, as named values.
  date_day date not null, -- Day on which it was requested.
  held_at timestamp with time zone not null, -- When it was held.
  current_count integer not null, -- Members that are current in the scope.
  closing text[] not null, -- Keys of the members that the answer would remove.
  outcome text, -- agreed: someone confirmed it, and it was applied; confirmed: an answer of a later day agreed with it and was applied; contradicted: a later answer was applied that does not agree; superseded: a later answer is held. Null while it is held.
  constraint held_answer_pkey PRIMARY KEY (slice_id),
  constraint held_answer_outcome_check CHECK ((outcome = ANY (ARRAY['agreed'::text, 'confirmed'::text, 'contradicted'::text, 'superseded'::text])))
);

-- One row per answer about the portfolio that is held now. Which lists of the account are not applied until someone confirms them?
create view ops.held_list (
  slice_id bigint, -- Slice of the answer.
  dataset text, -- Dataset of the slice.
  scope jsonb, -- What the answer is about, as named values.
  date_day date, -- Day on which it was requested.
  held_at timestamp with time zone, -- When it was held.
  current_count integer, -- Members that are current in the scope.
  closing_count integer -- How many members the answer would remove.
) as
 SELECT slice_id,
    dataset,
    scope,
    date_day,
    held_at,
    current_count,
    cardinality(closing) AS closing_count
   FROM ops.held_answer h
  WHERE outcome IS NULL AND NOT (EXISTS ( SELECT
           FROM core.tracked_app t
             JOIN core.dim_app a ON a.app_key = t.app_key
          WHERE a.store = (h.scope ->> 'store'::text) AND a.track_id = (h.scope ->> 'app'::text) AND t.account = COALESCE(h.scope ->> 'account'::text, ''::text)
          GROUP BY t.app_key
         HAVING bool_and(t.is_current IS FALSE)));

-- Problems that the workers found, with their start, end and the times of the messages to the webhook.
create table ops.incident (
  incident_id bigint not null generated always as identity, -- Number of the incident. A receiver of messages can recognise a repeated message by it.
  kind text not null, -- Kind of the problem, such as api_unavailable; the documentation lists all.
  subject text not null, -- Subject of the problem: an app, a dataset with an error code, a dataset, or an operation; empty if the kind needs none.
  account_id text not null, -- Account with the problem, as the shortened hash of its key; empty when the problem is in the warehouse.
  summary text not null, -- Text: what happened, since when, what it means for the data, and which command to run.
  detail jsonb not null, -- Latest figures.
  opened_at timestamp with time zone not null, -- When a check first found it; since in the column detail shows when the problem began.
  last_seen_at timestamp with time zone not null, -- When it was last seen.
  clean_checks integer not null default 0, -- Checks in a row that did not find the problem; the tenth closes the incident.
  closed_at timestamp with time zone, -- When it was closed; null while it is open.
  notified_at timestamp with time zone, -- When the webhook last accepted a message about the open incident; null until then. Another message follows after notify.repeat_hours.
  close_notified_at timestamp with time zone, -- When the webhook accepted the message about the closing; null until then.
  constraint incident_pkey PRIMARY KEY (incident_id)
);
CREATE UNIQUE INDEX incident_open ON ops.incident USING btree (kind, subject, account_id) WHERE (closed_at IS NULL);
CREATE INDEX incident_unnotified ON ops.incident USING btree (incident_id) WHERE (close_notified_at IS NULL);

-- One row per incident, open or closed, with the times of the messages to the webhook. What is wrong now? How often was a dataset late last month?
create view ops.incident_log (
  incident_id bigint, -- Number of the incident.
  kind text, -- Kind of the problem, such as api_unavailable; the documentation lists all.
  subject text, -- Subject of the problem: an app, a dataset with an error code, a dataset, or an operation; empty if the kind needs none.
  account text, -- Name of the account with the problem, empty for that of API_TOKEN; null when the problem is in the warehouse.
  summary text, -- Text: what happened, since when, what it means for the data, and which command to run.
  opened_at timestamp with time zone, -- When a check first found it.
  last_seen_at timestamp with time zone, -- When it was last seen.
  closed_at timestamp with time zone, -- When it was closed; null while it is open.
  is_open boolean, -- True until it is closed.
  notified_at timestamp with time zone, -- When the webhook last accepted a message that it is open; null until then.
  close_notified_at timestamp with time zone, -- When the webhook accepted the message about the closing; null until then.
  detail jsonb -- Latest figures, as in messages to the webhook, such as the names of its datasets.
) as
 SELECT i.incident_id,
    i.kind,
    i.subject,
    c.account,
    i.summary,
    i.opened_at,
    i.last_seen_at,
    i.closed_at,
    i.closed_at IS NULL AS is_open,
    i.notified_at,
    i.close_notified_at,
    i.detail
   FROM ops.incident i
     LEFT JOIN ops.credit_account c ON c.account_id = i.account_id;

-- One row per keyword that is in a group: the names of its groups in one text. In which groups is a keyword?
create view ops.keyword_groups (
  keyword text, -- The keyword.
  keyword_groups text -- Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.
) as
 SELECT keyword,
    string_agg(group_name, ', '::text ORDER BY group_name) AS keyword_groups
   FROM mart.keyword_group g
  GROUP BY keyword;

-- One row per portfolio app, country, keyword and device: the newest rank, at most 6 days older than the newest day of the app in that country and on that device, so that a keyword stays in the list while its newest day is incomplete. Where do we rank now? Which keywords wait for their newest day?
create view ops.latest_keyword_rank (
  app_key integer, -- The app.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_key smallint, -- The country.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  device_key smallint, -- The device; 0 on Android.
  keyword_key integer, -- The keyword.
  date_day date, -- Day of the rank.
  rank integer, -- Position in the search results, 1 is the top; null when not ranked.
  requested_keyword_count bigint, -- Keywords requested for the newest day of the app in that country and on that device.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean -- True when all requested keywords of the newest day have an answer.
) as
 SELECT l.app_key,
    l.store,
    l.track_id,
    l.app_name,
    l.country_key,
    c.country_code,
    c.country_name,
    l.device_key,
    r.keyword_key,
    r.date_day,
    r.rank,
    w.answered_keyword_count + COALESCE(u.keyword_count, 0::bigint) AS requested_keyword_count,
    w.answered_keyword_count,
    u.keyword_count IS NULL AS is_complete
   FROM ops.newest_rank_day l
     JOIN core.dim_country c ON c.country_key = l.country_key
     CROSS JOIN LATERAL ( SELECT s.answered_keyword_count
           FROM core.fact_keyword_rank_summary s
          WHERE s.app_key = l.app_key AND s.date_day = l.date_day AND s.country_key = l.country_key AND s.device_key = l.device_key
         OFFSET 0) w
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (EXISTS ( SELECT
                       FROM ops.unanswered_rank_slice n
                      WHERE n.store = l.store AND n.track_id = l.track_id AND n.country_code = c.country_code AND n.window_end > l.date_day AND n.window_start <= l.date_day)) THEN ( SELECT NULLIF(count(*), 0) AS "nullif"
                       FROM ops.unanswered_keyword n
                      WHERE n.store = l.store AND n.track_id = l.track_id AND n.country_code = c.country_code AND n.date_day = l.date_day)
                    ELSE NULL::bigint
                END AS keyword_count) u
     CROSS JOIN LATERAL ( SELECT DISTINCT ON (f.keyword_key) f.keyword_key,
            f.date_day,
            f.rank
           FROM generate_series(0, 6) o(days)
             CROSS JOIN LATERAL ( SELECT n.keyword_key,
                    n.date_day,
                    n.rank
                   FROM core.fact_keyword_rank n
                  WHERE n.app_key = l.app_key AND n.date_day = (l.date_day - o.days) AND n.country_key = l.country_key AND n.device_key = l.device_key
                 OFFSET 0) f
          ORDER BY f.keyword_key, f.date_day DESC
         OFFSET 0) r;

-- One row per partition with its own timing, such as figures of an app that is not connected. How many days are collected until they are requested together?
create view ops.list_timing (
  dataset text, -- Dataset.
  scope jsonb, -- Scope that the timing applies to; null as JSON for the default, which applies to all other scopes.
  pack_days integer -- Number of days in one request, counted from Monday, 2007-01-01; null if each day is requested as soon as it is published.
) as
 SELECT dataset,
    scope,
    pack_days
   FROM ops.dataset_timing
  WHERE NOT is_default;

-- One row per account and app of its portfolio, as of the last planning. Which apps do plans request?
create view ops.listed_app (
  account text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  store text, -- ios or android.
  track_id text -- Track id of the app in its store.
) as
 SELECT t.account,
    a.store,
    a.track_id
   FROM core.tracked_app t
     JOIN core.dim_app a ON a.app_key = t.app_key
  WHERE t.valid_to IS NULL AND NOT (EXISTS ( SELECT
           FROM ops.unread_account u
          WHERE u.account = t.account AND u.unread_since IS NOT NULL))
UNION
 SELECT configured_portfolio.account,
    configured_portfolio.store,
    configured_portfolio.track_id
   FROM core.configured_portfolio
  WHERE configured_portfolio.part = 'app'::text AND configured_portfolio.valid_to IS NULL;

-- One row per app and last day of loaded slices of sales_metric or retention, so that plans request figures each night for apps that have some. Of which apps does the account get figures?
create view ops.loaded_figure (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  account text, -- Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.
  window_end date -- Day after the last one of the slice.
) as
 SELECT DISTINCT scope ->> 'store'::text AS store,
    scope ->> 'app'::text AS track_id,
    COALESCE(scope ->> 'account'::text, ''::text) AS account,
    window_end
   FROM ops.slice
  WHERE (dataset = ANY (ARRAY['sales_metric'::text, 'retention'::text])) AND state = 'loaded'::text;

-- Migrations that have run.
create table ops.migration (
  name text not null, -- File in migrations/, without its ending.
  ran_at timestamp with time zone not null, -- When it ran.
  constraint migration_pkey PRIMARY KEY (name)
);

-- One row per portfolio app, country and device with ranks: its newest day, complete or not. Up to which day do we have ranks?
create view ops.newest_rank_day (
  app_key integer, -- The app.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_key smallint, -- The country.
  device_key smallint, -- The device; 0 on Android.
  date_day date -- Newest day with a rank of any keyword.
) as
 SELECT p.app_key,
    p.store,
    p.track_id,
    p.app_name,
    l.country_key,
    l.device_key,
    l.date_day
   FROM ops.portfolio_app p
     CROSS JOIN LATERAL ( SELECT s.country_key,
            s.device_key,
            max(s.date_day) AS date_day
           FROM core.fact_keyword_rank_summary s
          WHERE s.app_key = p.app_key
          GROUP BY s.country_key, s.device_key) l;

-- One row per portfolio app, country and day with requested ranks without an answer. Only the newest day of the app in the country and the 6 days before it count, so older days that a backfill waits for have no row. Which of the newest days are incomplete?
create view ops.newest_unanswered_day (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  date_day date -- The day.
) as
 SELECT l.store,
    l.track_id,
    n.country_code,
    n.date_day
   FROM ( SELECT d.store,
            d.track_id,
            d.country_key,
            max(d.date_day) - 6 AS since_day
           FROM ops.newest_rank_day d
          GROUP BY d.store, d.track_id, d.country_key) l
     JOIN core.dim_country c ON c.country_key = l.country_key
     CROSS JOIN LATERAL ( SELECT u.country_code,
            u.date_day
           FROM ops.unanswered_keyword_daily u
          WHERE u.store = l.store AND u.track_id = l.track_id AND u.country_code = c.country_code AND u.date_day >= l.since_day
         OFFSET 0) n;

-- Next run of each crontab line that plans, priced by the worker that planned last.
create table ops.next_run (
  line_id text not null, -- Crontab line, by its id.
  datasets text[] not null, -- Datasets that the line names; empty for all that are on.
  runs_at timestamp with time zone not null, -- When it runs next.
  slices integer not null, -- Slices that it will plan, provided that earlier slices are loaded by then.
  requests integer not null, -- Requests that these slices are expected to need.
  credits bigint not null, -- Credits that these slices are expected to cost.
  priced_at timestamp with time zone not null, -- When the price was calculated.
  over_budget_slices integer not null default 0, -- Number of these slices that budgets are expected to put off to the next day or month.
  over_budget_credits bigint not null default 0, -- Credits that these slices are expected to cost.
  account text not null default ''::text, -- Account of the run; empty for that of API_TOKEN.
  constraint next_run_pkey PRIMARY KEY (account, line_id)
);

-- One row per account and crontab line that plans: its next run and what it is expected to cost. What will tonight cost?
create view ops.next_run_price (
  account text, -- Account of the run; empty for that of API_TOKEN.
  line_id text, -- Crontab line, by its id.
  datasets text[], -- Datasets that the line names; empty for all that are on.
  runs_at timestamp with time zone, -- When it runs next.
  slices integer, -- Slices that it will plan, provided that earlier slices are loaded by then.
  requests integer, -- Requests that these slices are expected to need.
  credits bigint, -- Credits that these slices are expected to cost.
  over_budget_slices integer, -- Number of these slices that budgets are expected to put off to the next day or month.
  over_budget_credits bigint, -- Credits that these slices are expected to cost.
  priced_at timestamp with time zone -- When the price was calculated.
) as
 SELECT account,
    line_id,
    datasets,
    runs_at,
    slices,
    requests,
    credits,
    over_budget_slices,
    over_budget_credits,
    priced_at
   FROM ops.next_run;

-- One row per app that an account named as a competitor and that was never in the portfolio. No other list contains it, and it has no ranks and no ratings. Which apps have a visibility score only for comparison? How many are there?
create view ops.outside_competitor (
  app_key integer, -- The app.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text -- Name of the app as last seen.
) as
 SELECT t.competitor_app_key AS app_key,
    o.store,
    o.track_id,
    o.app_name
   FROM core.tracked_competitor t
     JOIN core.dim_app o ON o.app_key = t.competitor_app_key
  WHERE NOT (EXISTS ( SELECT
           FROM core.tracked_app f
          WHERE f.app_key = t.competitor_app_key)) AND NOT (EXISTS ( SELECT
           FROM core.configured_portfolio f
          WHERE f.store = o.store AND f.track_id = o.track_id AND f.part = 'app'::text)) AND NOT (EXISTS ( SELECT
           FROM core.fact_keyword_rank_summary f
          WHERE f.app_key = t.competitor_app_key)) AND NOT (EXISTS ( SELECT
           FROM core.fact_app_rating f
          WHERE f.app_key = t.competitor_app_key))
  GROUP BY t.competitor_app_key, o.store, o.track_id, o.app_name;

-- One row per source of paid shares, country and period: the keywords whose advertisers were requested keyword by keyword, and the apps whose paid keywords were requested. For which periods are paid shares complete? How many keywords are missing?
create view ops.paid_voice_answer (
  share_source text, -- market or own keywords, as in mart.paid_share_of_voice.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  period_start date, -- First day of the period.
  period_end date, -- Last day of the period, inclusive.
  requested_keyword_count bigint, -- Requested keywords, with or without an answer; a keyword on which the account bids several times counts as many times. Null if only the keywords that apps pay for were requested.
  answered_keyword_count bigint, -- Requested keywords with an answer; null as above.
  unanswered_app_count bigint -- Apps whose paid keywords were requested and have no answer.
) as
 SELECT share_source,
    country_code,
    period_start,
    period_end,
    NULLIF(count(DISTINCT keyword), 0) AS requested_keyword_count,
        CASE
            WHEN count(keyword) > 0 THEN count(DISTINCT keyword) FILTER (WHERE is_answered)
            ELSE NULL::bigint
        END AS answered_keyword_count,
    count(DISTINCT track_id) - count(DISTINCT track_id) FILTER (WHERE is_answered) AS unanswered_app_count
   FROM ( SELECT 'market'::text AS share_source,
            s.scope ->> 'country'::text AS country_code,
            s.window_start AS period_start,
            s.window_end - 1 AS period_end,
            s.scope ->> 'keyword'::text AS keyword,
            s.scope ->> 'app'::text AS track_id,
            s.state = ANY (ARRAY['loaded'::text, 'empty'::text]) AS is_answered
           FROM ops.slice s
          WHERE (s.dataset = ANY (ARRAY['paying_app'::text, 'paid_keyword'::text])) AND s.state <> 'skipped'::text
        UNION ALL
         SELECT 'own keywords'::text,
            split_part(i.item, ' '::text, 1) AS split_part,
            s.window_start,
            s.window_end - 1,
            i.item,
            NULL::text,
            s.state = ANY (ARRAY['loaded'::text, 'empty'::text])
           FROM ops.slice s
             JOIN ops.batch b ON b.batch_id = s.batch_id
             CROSS JOIN LATERAL unnest(b.items) i(item)
          WHERE s.dataset = 'search_ads_top_app'::text AND s.state <> 'skipped'::text) u
  GROUP BY share_source, country_code, period_start, period_end;

-- One row per dataset and partition of an app, such as one device, kind of figure or chart version if each is requested separately: the days with an answer, and the days that wait for one. For which days does one device have an answer while another has none?
create view ops.partition_days (
  dataset text, -- Dataset.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country; null for requests that named none, so that they are about all countries.
  context text, -- Kind of figure of sales_metric: DOWNLOAD, REVENUE_TOTAL or PAGE_VIEW; null for other datasets.
  scope jsonb, -- The partition, as in ops.slice.
  answered_days datemultirange, -- Days with an answer, except those that retention has dropped since.
  unanswered_days datemultirange -- Requested days without an answer yet.
) as
 SELECT s.dataset,
    s.scope ->> 'store'::text AS store,
    s.scope ->> 'app'::text AS track_id,
    s.scope ->> 'country'::text AS country_code,
    s.scope ->> 'context'::text AS context,
    s.scope,
    COALESCE(range_agg(w.days * daterange(g.dropped_before, NULL::date)) FILTER (WHERE w.is_answered), '{}'::datemultirange) AS answered_days,
    COALESCE(range_agg(w.days) FILTER (WHERE NOT w.is_answered), '{}'::datemultirange) - COALESCE(range_agg(w.days) FILTER (WHERE w.is_answered), '{}'::datemultirange) AS unanswered_days
   FROM ops.slice s
     CROSS JOIN LATERAL ( SELECT daterange(s.window_start, s.window_end) AS days,
            ops.is_answer(s.state, s.error_code) AS is_answered) w
     CROSS JOIN LATERAL ( SELECT max((m.month_start + '1 mon'::interval)::date) AS dropped_before
           FROM ops.dropped_month m
          WHERE m.dataset = s.dataset AND m.dropped_at >= s.ended_at) g
  WHERE (w.is_answered OR (s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text, 'failed'::text]))) AND (s.scope ->> 'app'::text) IS NOT NULL
  GROUP BY s.dataset, (s.scope ->> 'store'::text), (s.scope ->> 'app'::text), (s.scope ->> 'country'::text), (s.scope ->> 'context'::text), s.scope;

-- One row per partition, list, operation and fingerprint: what slices say about past days, in the form that plans read. Up to which day do plans read this instead of slices?
create view ops.past_coverage (
  dataset text, -- Dataset.
  scope jsonb, -- Partition: store, app, country and device, as far as the dataset distinguishes them.
  scope_hash bigint, -- Hash of the scope, by which it is found.
  until_day date, -- The rows summarise every slice of the partition whose days are all before this day, and no other slice.
  final_days integer, -- Number of days after the last day of a slice from which it counts as final here. A plan that waits longer reads the slices.
  batch_id bigint, -- List of the requested keywords or ids; null if the scope identifies the partition.
  operation text, -- Operation of the API for the slices.
  fingerprint text, -- Fingerprint of the slices.
  slice_ids bigint[], -- Slices that are not final, except loaded or empty slices whose days are all final; null if there are none.
  starts integer[], -- First day of each of them, as days since 1970-01-01.
  ends integer[], -- Day after the last day of each of them, in the same format.
  planned integer[], -- Day on which each of them was planned, in the same format.
  kinds integer[], -- State of each of them as a number, plus 16 if the service refused the request, 32 if it is the tail of another slice, and 64 if it failed with an error that a later request may not meet.
  final_window datemultirange, -- Days that final slices cover; null if there are none.
  final_as_of date -- Newest day on which one of the final slices was planned.
) as
 SELECT dataset,
    scope,
    scope_hash,
    until_day,
    final_days,
    batch_id,
    operation,
    fingerprint,
    slice_ids,
    starts,
    ends,
    planned,
    kinds,
    final_window,
    final_as_of
   FROM ops.slice_past;

-- Credits charged for slices by requests whose months retention dropped.
create table ops.past_slice_spend (
  slice_id bigint not null, -- The slice.
  request_count integer not null, -- Requests.
  cost bigint not null, -- Credits charged for these requests.
  constraint past_slice_spend_pkey PRIMARY KEY (slice_id)
);

-- Sums over requests whose months retention dropped, so that charges still add up: one row per account, dataset, class, operation, app, country and month, for all days of the month that had the same sums.
create table ops.past_spend (
  month_start date not null, -- First day of the month.
  days integer not null, -- Days of the month with these sums: bit 0 is its first day.
  account_id text not null, -- Account that was charged; import for imported answers.
  dataset text, -- Dataset; null for requests about the account and for requests of a command.
  class text not null, -- Class for which credits were held.
  operation text not null, -- Operation of the API.
  store text, -- ios or android; null if the requests are not about a store.
  track_id text, -- Track id of the app; null if they are about several apps or none.
  country_code text, -- Country; null if they are about all countries or none.
  request_count integer not null, -- Requests on each of these days.
  failed_request_count integer not null, -- Number of these requests without a valid answer.
  cost integer not null -- Credits charged on each of these days.
);
CREATE INDEX past_spend_month ON ops.past_spend USING btree (month_start);

-- One row per day, account, dataset, class, operation, app and country of months whose requests retention dropped. The sums of ops.credit_spend_daily include them. What was charged before the oldest request on record?
create view ops.past_spend_daily (
  date_day date, -- Day of the answers, UTC.
  account_id text, -- Account that was charged; import for imported answers.
  dataset text, -- Dataset; null for requests about the account and for requests of a command.
  class text, -- Class for which credits were held.
  operation text, -- Operation of the API.
  store text, -- ios or android; null if the requests are not about a store.
  track_id text, -- Track id of the app; null if they are about several apps or none.
  country_code text, -- Country; null if they are about all countries or none.
  request_count integer, -- Requests on each of these days.
  failed_request_count integer, -- Number of these requests without a valid answer.
  cost integer -- Credits charged on each of these days.
) as
 SELECT d.date_day,
    p.account_id,
    p.dataset,
    p.class,
    p.operation,
    p.store,
    p.track_id,
    p.country_code,
    p.request_count,
    p.failed_request_count,
    p.cost
   FROM ops.past_spend p
     JOIN core.dim_date d ON d.month_start = p.month_start
  WHERE (p.days & (1 << (d.date_day - d.month_start))) <> 0;

-- One row per app, country and day for which both lists of the store have reviews and those of the plain list count (ops.review_days.plain_first_days). On which days does v2 have only a part of the reviews?
create view ops.plain_review_day (
  app_key integer, -- The app.
  country_key smallint, -- The country.
  date_day date -- Day on which the reviews were written or last edited.
) as
 WITH RECURSIVE plain(app_key) AS (
         SELECT min(r.app_key) AS min
           FROM core.review r
          WHERE r.source = 'plain'::text
        UNION ALL
         SELECT ( SELECT min(r.app_key) AS min
                   FROM core.review r
                  WHERE r.source = 'plain'::text AND r.app_key > p_1.app_key) AS min
           FROM plain p_1
          WHERE p_1.app_key IS NOT NULL
        )
 SELECT a.app_key,
    c.country_key,
    d.date_day
   FROM plain p
     JOIN core.dim_app a ON a.app_key = p.app_key
     CROSS JOIN LATERAL ( SELECT min(r.country_key) AS country_key
           FROM core.review r
          WHERE r.app_key = p.app_key AND r.source = 'v2'::text) o
     CROSS JOIN LATERAL ( SELECT q_1.country_code,
            q_1.plain_first_days
           FROM ops.review_days q_1
          WHERE o.country_key IS NOT NULL AND q_1.store = a.store AND q_1.track_id = a.track_id AND NOT isempty(q_1.plain_first_days)
         OFFSET 0) q
     JOIN core.dim_country c ON c.country_code = q.country_code
     CROSS JOIN LATERAL ( SELECT v.date_day
           FROM ( SELECT DISTINCT r.reviewed_at::date AS date_day
                   FROM core.review r
                  WHERE r.app_key = p.app_key AND r.country_key = c.country_key AND r.source = 'v2'::text AND q.plain_first_days @> r.reviewed_at::date) v
          WHERE (EXISTS ( SELECT
                   FROM core.review r
                  WHERE r.app_key = p.app_key AND r.country_key = c.country_key AND r.source = 'plain'::text AND r.reviewed_at >= v.date_day AND r.reviewed_at < (v.date_day + 1)))
         OFFSET 0) d;

-- Plans made by storehouse backfill. A plan runs exactly as it was made, or the command reports what changed since. Its runs are in ops.run.
create table ops.plan (
  plan_id bigint not null generated always as identity, -- Number of the plan, for storehouse backfill --plan.
  made_at timestamp with time zone not null, -- When it was made.
  as_of date not null, -- Day that counted as today. The days of the plan stay the same if it runs later.
  request jsonb not null, -- What was requested: datasets, days (half-open), apps, countries, which cells to fetch again, order, credit limit.
  basis jsonb not null, -- Inputs of the plan that may change: tracked keywords per app and country, learned prices, settings.
  newest_first boolean not null, -- True when the newest days run first; false when those days run first that the service drops first.
  digest text not null, -- SHA-256 over all its slices in order. If planning again gives the same digest, the plan is unchanged.
  slices integer not null, -- Slices of the plan.
  requests bigint not null, -- Requests that the slices are expected to need.
  credits bigint not null, -- Credits that the slices are expected to cost. A run of the plan never spends more.
  naive_credits bigint, -- Credits that the same cells would cost with one request per item and day; null when some slices were left out.
  left_out_slices integer not null, -- Requested slices that did not fit into the credit limit.
  left_out_credits bigint not null, -- Credits that the left-out slices are expected to cost.
  queued_at timestamp with time zone, -- When its slices were queued, all of them at once; null until the plan runs.
  past_credits bigint not null default 0, -- Credits that were charged for slices of the plan that were cancelled later or have since been folded into another slice, or for requests whose month was dropped.
  past_slice_count integer not null default 0, -- Loaded and empty slices of the plan that have since been folded into another slice (ops.slice.is_folded).
  cancelled_slice_count integer not null default 0, -- Slices of the plan that were cancelled. Their cells count as not requested, so that another plan requests them.
  taken_credits bigint not null default 0, -- Credits that calls for its slices took: held before a call is sent, then corrected to what was charged. Credits of a call without an answer stay taken. The sum never exceeds the price.
  account text not null default ''::text, -- Account of the plan; empty for that of API_TOKEN.
  constraint plan_pkey PRIMARY KEY (plan_id)
);

-- Slices of a plan, counted by dataset, class, operation, app and country.
create table ops.plan_line (
  plan_id bigint not null, -- The plan.
  dataset text not null, -- Dataset.
  class text not null, -- Credit class.
  operation text not null, -- Operation of the API.
  store text not null, -- ios or android; empty if the dataset does not distinguish stores.
  track_id text not null, -- Track id of the app; empty if the dataset is not about an app.
  country_code text not null, -- Country; empty if the dataset does not distinguish countries.
  slices integer not null, -- Slices.
  requests bigint not null, -- Requests that the slices are expected to need.
  credits bigint not null, -- Credits that the slices are expected to cost.
  constraint plan_line_pkey PRIMARY KEY (plan_id, dataset, class, operation, store, track_id, country_code),
  constraint plan_line_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES ops.plan(plan_id)
);

-- One row per app that is or was in the portfolio: tracked by the account, or with ranks, ratings, reviews, sales or estimates. Apps that were only seen in charts, searches or lists of competitors have no row. Which apps do marts report on? How many are there?
create view ops.portfolio_app (
  app_key integer, -- The app.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text -- Name of the app as last seen.
) as
 WITH RECURSIVE ranked(app_key) AS (
         SELECT min(fact_keyword_rank_summary.app_key) AS min
           FROM core.fact_keyword_rank_summary
        UNION ALL
         SELECT ( SELECT min(f.app_key) AS min
                   FROM core.fact_keyword_rank_summary f
                  WHERE f.app_key > r.app_key) AS min
           FROM ranked r
          WHERE r.app_key IS NOT NULL
        ), rated(app_key) AS (
         SELECT min(fact_app_rating.app_key) AS min
           FROM core.fact_app_rating
        UNION ALL
         SELECT ( SELECT min(f.app_key) AS min
                   FROM core.fact_app_rating f
                  WHERE f.app_key > r.app_key) AS min
           FROM rated r
          WHERE r.app_key IS NOT NULL
        ), estimated(app_key) AS (
         SELECT min(fact_download_revenue.app_key) AS min
           FROM core.fact_download_revenue
        UNION ALL
         SELECT ( SELECT min(f.app_key) AS min
                   FROM core.fact_download_revenue f
                  WHERE f.app_key > r.app_key) AS min
           FROM estimated r
          WHERE r.app_key IS NOT NULL
        ), sold(app_key) AS (
         SELECT min(fact_sales_metric.app_key) AS min
           FROM core.fact_sales_metric
        UNION ALL
         SELECT ( SELECT min(f.app_key) AS min
                   FROM core.fact_sales_metric f
                  WHERE f.app_key > r.app_key) AS min
           FROM sold r
          WHERE r.app_key IS NOT NULL
        ), visible(app_key) AS (
         SELECT min(fact_visibility.app_key) AS min
           FROM core.fact_visibility
        UNION ALL
         SELECT ( SELECT min(f.app_key) AS min
                   FROM core.fact_visibility f
                  WHERE f.app_key > r.app_key) AS min
           FROM visible r
          WHERE r.app_key IS NOT NULL
        ), known(app_key) AS (
         SELECT tracked_app.app_key
           FROM core.tracked_app
        UNION
         SELECT ranked.app_key
           FROM ranked
        UNION
         SELECT rated.app_key
           FROM rated
        UNION
         SELECT charted_app.app_key
           FROM ops.charted_app
        UNION
         SELECT reviewed_app.app_key
           FROM ops.reviewed_app
        UNION
         SELECT estimated.app_key
           FROM estimated
        UNION
         SELECT sold.app_key
           FROM sold
        UNION
         SELECT v.app_key
           FROM visible v
          WHERE NOT (EXISTS ( SELECT
                   FROM core.tracked_competitor n
                  WHERE n.competitor_app_key = v.app_key))
        )
 SELECT a.app_key,
    a.store,
    a.track_id,
    a.app_name
   FROM known k
     JOIN core.dim_app a ON a.app_key = k.app_key;

-- One row per dataset that lists what the account tracks, from which everything else is planned. Which datasets say nothing about the market?
create view ops.portfolio_list (
  dataset text -- Dataset.
) as
 SELECT dataset
   FROM ops.dataset
  WHERE stage = 'portfolio'::text;

-- One row per keyword of a partition of ranks that the service refused when it was the only one requested: plans leave it out. Which keywords have no ranks, and will have none?
create view ops.refused_keyword (
  scope jsonb, -- Partition of the slice.
  keyword text -- The keyword.
) as
 SELECT r.scope,
    b.items[1] AS keyword
   FROM ops.slice r
     JOIN ops.batch b ON b.batch_id = r.batch_id
  WHERE r.dataset = 'keyword_rank'::text AND r.state = 'skipped'::text AND (r.error_code = ANY (ARRAY['bad_request'::text, 'not_encodable'::text])) AND cardinality(b.items) = 1;

-- Invalid items of answers, each with its reason. The valid items of the same answer are loaded.
create table ops.reject (
  reject_id bigint not null generated always as identity, -- Number of the reject.
  slice_id bigint not null, -- Slice of the answer.
  dataset text not null, -- Dataset.
  reason text not null, -- Why the item is invalid.
  item jsonb not null, -- The item, unchanged.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint reject_pkey PRIMARY KEY (reject_id)
);
CREATE INDEX reject_slice ON ops.reject USING btree (slice_id);

-- One row per invalid item of an answer, with its reason. Which items are invalid, and why?
create view ops.reject_log (
  reject_id bigint, -- Number of the reject.
  slice_id bigint, -- Slice of the answer.
  dataset text, -- Dataset.
  reason text, -- Why the item is invalid.
  item jsonb, -- The item, unchanged.
  fetched_at timestamp with time zone -- When the answer was received.
) as
 SELECT reject_id,
    slice_id,
    dataset,
    reason,
    item,
    fetched_at
   FROM ops.reject;

-- Datasets that a replay has rebuilt in part, until the whole replay ends: if it is started again, it continues after that part.
create table ops.replay (
  dataset text not null, -- Dataset that is rebuilt.
  within_start date, -- First day that is rebuilt; null for all.
  within_end date, -- Day after the last day that is rebuilt; null for all.
  keep_pruned boolean not null, -- True if rows whose answers are no longer stored are kept.
  program text not null, -- Digest of the program that rebuilds; a different program starts from scratch.
  rebuilt_to date, -- Days before this one are rebuilt; infinity once all are.
  constraint replay_pkey PRIMARY KEY (dataset)
);

-- One row per answer of a DAILY report of search ads: the shape of its rows, from which plans choose the cheapest working way to fetch days. Do reports by day name their day?
create view ops.report_shape (
  org_id text, -- Search-ads organisation.
  report_level text, -- Level of the report.
  period_start date, -- First requested day.
  period_end date, -- Last requested day.
  shape text, -- days: rows name their day and their entity; totals: rows are totals; window: rows name their entity but no day.
  slice_id bigint, -- Slice that wrote the row.
  fetched_at timestamp with time zone -- When the answer was received.
) as
 SELECT org_id,
    report_level,
    period_start,
    period_end,
    shape,
    slice_id,
    fetched_at
   FROM ops.search_ads_report_shape;

-- One row per week of search-ads reports and digest of its figures, so that plans request only the days of weeks that changed. Which weeks did the service restate?
create view ops.report_week (
  org_id text, -- Search-ads organisation.
  report_level text, -- Level of the report.
  currency text, -- Requested currency of the money.
  attribution text, -- How redownloads were requested to be counted: WITH, WITHOUT, ONLY.
  goal_id text, -- Requested goal; '' for none.
  period_start date, -- First day of the week.
  digest text, -- SHA-256 over the counts and the money of all rows.
  last_seen_on date -- Last day on which an answer had this digest.
) as
 SELECT org_id,
    report_level,
    currency,
    attribution,
    goal_id,
    period_start,
    digest,
    last_seen_on
   FROM ops.search_ads_report_week;

-- Days whose figures the answer of another dataset reports and which are requested anyway, to compare both. If they differ, everything else that the other dataset reported to the account is requested again, and nothing more is taken from it.
create table ops.reported_check (
  dataset text not null, -- Dataset of the figures.
  scope jsonb not null, -- Partition of the figures.
  date_day date not null, -- Day of the figures.
  source text not null, -- Dataset whose answer reports them.
  account text not null, -- Account that requested it, as accounts in the configuration names it; empty for that of API_TOKEN.
  figures jsonb not null, -- Reported figures that are not compared yet, by item.
  compared_count integer not null default 0, -- Number of figures that were compared.
  differing_count integer not null default 0, -- Number of these figures that differ.
  constraint reported_check_pkey PRIMARY KEY (dataset, scope, date_day, source, account)
);

-- Every request that was sent: its slice, its outcome and its cost. A request with the error process_died was in flight when its process died; whether it was charged is unknown. The table holds no URL and no token.
create table ops.request (
  request_id bigint not null generated always as identity, -- Number of the request.
  account_id text not null, -- Account that was charged, as the shortened hash of its key; import for an answer that came from a file without a request.
  slice_id bigint, -- Slice of the request; null for requests about the account, for requests of a command, and for requests of a gateway caller from which no table was made.
  run_id bigint, -- Run to which the slice belonged when the request was sent, and for which the request counts; null for requests without a slice.
  attempt integer not null, -- Attempt of the slice.
  page integer not null, -- Page within the attempt, from 0.
  dataset text, -- Dataset; for a call of a gateway caller, the dataset that would have made it; null for requests about the account and for requests of a command.
  class text not null, -- Credit class of the request; person for a request of a command.
  operation text not null, -- Operation of the API.
  store text, -- Store of the slice or of a gateway caller's call, ios or android; null if it is about none. Together with the next two columns it shows whom a request was for after its slice is gone.
  track_id text, -- Track id of the app of the slice or of a gateway caller's call; null if it is about several apps or none.
  country_code text, -- Country of the slice; null if it is about all countries or none.
  params jsonb not null, -- Parameters by name, without lists, which are in the batch of the slice. For a request of a gateway caller, all parameters are here.
  status integer, -- HTTP status; null when no answer was received.
  error_code text, -- Stable code of the error; null when the answer was accepted.
  cost integer not null, -- Credits charged: the figure in the header of a successful call, 0 for a refused one.
  remaining integer, -- Credits left, as the header of the answer reports them.
  duration_ms integer not null, -- Milliseconds from sending to the last byte.
  byte_count integer not null, -- Bytes of the body, unpacked.
  worker_id bigint, -- Process that sent it.
  received_at timestamp with time zone not null, -- When the last byte was received, or when the call failed.
  caller text, -- Gateway caller for which it was sent, as named in gateway.callers; null for any other request.
  constraint request_pkey PRIMARY KEY (request_id, received_at)
) partition by range (received_at);
CREATE INDEX request_caller ON ONLY ops.request USING btree (caller, received_at) WHERE (caller IS NOT NULL);
CREATE INDEX request_day ON ONLY ops.request USING btree ((((received_at AT TIME ZONE 'UTC'::text))::date));
CREATE INDEX request_run ON ONLY ops.request USING btree (run_id) WHERE (run_id IS NOT NULL);
CREATE INDEX request_slice ON ONLY ops.request USING btree (slice_id);
CREATE INDEX request_time ON ONLY ops.request USING btree (received_at);

-- One row per request that was sent: its slice, its outcome and its cost. Which requests failed yesterday?
create view ops.request_log (
  request_id bigint, -- Number of the request.
  account_id text, -- Account that was charged, as the shortened hash of its key; import for an answer that came from a file without a request.
  slice_id bigint, -- Slice of the request; null for requests about the account, for requests of a command, and for requests of a gateway caller from which no table was made.
  run_id bigint, -- Run to which the slice belonged when the request was sent, and for which the request counts; null for requests without a slice.
  attempt integer, -- Attempt of the slice.
  page integer, -- Page within the attempt, from 0.
  dataset text, -- Dataset; for a call of a gateway caller, the dataset that would have made it; null for requests about the account and for requests of a command.
  class text, -- Credit class of the request; person for a request of a command.
  operation text, -- Operation of the API.
  store text, -- Store of the slice or of a gateway caller's call, ios or android; null if it is about none. Together with the next two columns it shows whom a request was for after its slice is gone.
  track_id text, -- Track id of the app of the slice or of a gateway caller's call; null if it is about several apps or none.
  country_code text, -- Country of the slice; null if it is about all countries or none.
  status integer, -- Status of the HTTP answer; null if there was none.
  error_code text, -- Stable code of the error in the answer; null for a valid answer.
  cost integer, -- Credits charged.
  remaining integer, -- Credits left, according to the answer; null if it does not report them.
  duration_ms integer, -- Duration in milliseconds.
  byte_count integer, -- Size of the answer in bytes.
  worker_id bigint, -- Process that sent it; null when it is not in ops.worker.
  received_at timestamp with time zone, -- When the last byte was received, or when the call failed.
  caller text, -- Gateway caller for which it was sent, as named in gateway.callers; null for any other request.
  received_day date -- Day (UTC) on which the last byte was received.
) as
 SELECT request_id,
    account_id,
    slice_id,
    run_id,
    attempt,
    page,
    dataset,
    class,
    operation,
    store,
    track_id,
    country_code,
    status,
    error_code,
    cost,
    remaining,
    duration_ms,
    byte_count,
    worker_id,
    received_at,
    caller,
    (received_at AT TIME ZONE 'UTC'::text)::date AS received_day
   FROM ops.request;

-- One row per app, country, device and day whose ranks were requested, whether they have an answer or not yet: counts and sums over the keywords with an answer, null if none has one. For which apps and days are ranks complete?
create view ops.requested_keyword_day (
  app_key integer, -- The app.
  country_key smallint, -- The country.
  device_key smallint, -- The device; 0 on Android.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  app_name text, -- Name of the app.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  country_name text, -- Name of the country.
  device_code text, -- IPHONE, IPAD, or ALL on Android. Choose one: figures of several devices cannot be added up.
  date_day date, -- Calendar day on which the service crawled the store.
  requested_keyword_count bigint, -- Requested keywords, whether they have an answer or not yet; without those whose rank was rejected (ops.reject), which mart.keyword_not_requested_daily names.
  answered_keyword_count bigint, -- Requested keywords with an answer, ranked or not.
  is_complete boolean, -- True when all requested keywords have an answer.
  ranked_keyword_count bigint, -- Answered keywords for which the app ranks.
  top_1_keyword_count bigint, -- Keywords for which the app is the first result.
  top_3_keyword_count bigint, -- Keywords for which the app is among the first 3 results.
  top_10_keyword_count bigint, -- Keywords for which the app is among the first 10 results.
  top_50_keyword_count bigint, -- Keywords for which the app is among the first 50 results.
  rank_sum bigint, -- Sum of the ranks.
  voice_sum numeric -- Sum of 1 / rank.
) as
 SELECT app_key,
    country_key,
    device_key,
    store,
    track_id,
    app_name,
    country_code,
    country_name,
    device_code,
    date_day,
    (sum(answered) + sum(unanswered))::bigint AS requested_keyword_count,
    sum(answered)::bigint AS answered_keyword_count,
    sum(unanswered) = 0::numeric AS is_complete,
    max(ranked) AS ranked_keyword_count,
    max(top_1) AS top_1_keyword_count,
    max(top_3) AS top_3_keyword_count,
    max(top_10) AS top_10_keyword_count,
    max(top_50) AS top_50_keyword_count,
    max(rank_sum) AS rank_sum,
    round(max(voice_billionths)::numeric / 1000000000.0, 9) AS voice_sum
   FROM ( SELECT a.app_key,
            c.country_key,
            d.device_key,
            a.store,
            a.track_id,
            a.app_name,
            c.country_code,
            c.country_name,
            d.device_code,
            s.date_day,
            s.answered_keyword_count AS answered,
            0::bigint AS unanswered,
            s.ranked_keyword_count AS ranked,
            s.top_1_keyword_count AS top_1,
            s.top_3_keyword_count AS top_3,
            s.top_10_keyword_count AS top_10,
            s.top_50_keyword_count AS top_50,
            s.rank_sum,
            s.voice_billionths
           FROM core.fact_keyword_rank_summary s
             JOIN core.dim_app a ON a.app_key = s.app_key
             JOIN core.dim_country c ON c.country_key = s.country_key
             JOIN core.dim_device d ON d.device_key = s.device_key
        UNION ALL
         SELECT a.app_key,
            c.country_key,
            d.device_key,
            a.store,
            a.track_id,
            a.app_name,
            c.country_code,
            c.country_name,
            d.device_code,
            n.date_day,
            0,
            n.keyword_count,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint
           FROM ops.unanswered_keyword_daily n
             JOIN core.dim_app a ON a.store = n.store AND a.track_id = n.track_id
             JOIN core.dim_country c ON c.country_code = n.country_code
             JOIN core.dim_device d ON (d.device_key = 0) = (a.store = 'android'::text)) u
  GROUP BY app_key, country_key, device_key, date_day, store, track_id, app_name, country_code, country_name, device_code;

-- Former values of restated facts, written in the transaction in which a newer answer changes a row or leaves it out. A row that never changed has no entry and was first seen at its own fetched_at. Any other row was first seen at its oldest seen_at here and last changed at its own fetched_at. See ops.reported_at.
create table ops.restated_value (
  table_name text not null, -- Table of the row, schema and name.
  row_key jsonb not null, -- Primary key of the row by column.
  row_hash uuid not null generated always as ((md5((row_key)::text))::uuid) stored, -- MD5 of the key, because the key itself may be too long for an index.
  date_day date, -- First day of the row; null if rows have no day.
  changed_at timestamp with time zone not null, -- When the answer that changed the row was received.
  seen_at timestamp with time zone, -- When the answer with the former values was received.
  slice_id bigint not null, -- Slice that changed the row.
  was jsonb not null, -- Changed columns with their former values; all columns if the row was left out.
  became jsonb, -- The same columns with their new values; null if the row was left out.
  constraint restated_value_pkey PRIMARY KEY (table_name, row_hash, changed_at)
);
CREATE INDEX restated_value_withdrawn ON ops.restated_value USING btree (table_name, row_hash, changed_at) WHERE (became IS NULL);

-- One row per dataset, table and month that retention dropped or detached. Which months are gone, and since when?
create view ops.retention_log (
  dataset text, -- Dataset.
  table_name text, -- Fact table, or ops.request, which belongs to no dataset.
  month_start date, -- First day of the month.
  action text, -- drop or detach (the rows are then in the schema archive).
  rows_gone bigint, -- Rows of the month, of all datasets of the table.
  bytes_gone bigint, -- Bytes of its partitions, including indexes.
  dropped_by text, -- Database role that removed it.
  dropped_at timestamp with time zone, -- When it was removed. Slices that ended before then no longer have rows in this month.
  is_done boolean -- False only within the transaction that removes the month. ops.remove_month removes no other month.
) as
 SELECT dataset,
    table_name,
    month_start,
    action,
    rows_gone,
    bytes_gone,
    dropped_by,
    dropped_at,
    is_done
   FROM ops.dropped_month;

-- One row per app and country whose reviews were requested: the days for which there is an answer. On which days were there no reviews, and for which days is that unknown? How far back do reviews go?
create view ops.review_days (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country; ALL on Android, and if all countries were requested and no review is known.
  days datemultirange, -- Days with an answer, with or without reviews. A day does not count if the answers cover only reviews with a reply, only reviews without one, or only some languages.
  unanswered_days datemultirange, -- Requested days without an answer yet: they are pending, running, deferred or failed.
  plain_first_days datemultirange -- Days whose reviews are taken from the plain list if it has any. On these days v2 has no answer about all reviews, or it has one received while the service still restated the day and the plain list has a final one. On other days v2 comes first.
) as
 WITH listed AS (
         SELECT s.scope ->> 'store'::text AS store,
            s.scope ->> 'app'::text AS track_id,
            s.scope ->> 'source'::text AS source,
            s.scope ->> 'replied'::text AS replied,
            s.batch_id,
            COALESCE(range_agg(w.days) FILTER (WHERE w.is_answered), '{}'::datemultirange) AS days,
            COALESCE(range_agg(w.days * daterange(NULL::date, s.as_of + 1 - t.settle_days - t.lookback_days)) FILTER (WHERE w.is_answered), '{}'::datemultirange) AS final_days,
            COALESCE(range_agg(w.days) FILTER (WHERE s.state <> ALL (ARRAY['loaded'::text, 'empty'::text])), '{}'::datemultirange) AS waiting_days
           FROM ops.slice s
             LEFT JOIN ops.dataset_timing t ON t.dataset = s.dataset AND t.is_default
             CROSS JOIN LATERAL ( SELECT daterange(s.window_start, s.window_end) AS days,
                    (s.state = ANY (ARRAY['loaded'::text, 'empty'::text])) AND NOT ((s.scope ->> 'store'::text) = 'android'::text AND s.batch_id IS NOT NULL) AS is_answered) w
          WHERE s.dataset = 'review'::text AND (s.state = ANY (ARRAY['loaded'::text, 'empty'::text, 'pending'::text, 'running'::text, 'deferred'::text, 'failed'::text]))
          GROUP BY (s.scope ->> 'store'::text), (s.scope ->> 'app'::text), (s.scope ->> 'source'::text), (s.scope ->> 'replied'::text), s.batch_id
        ), answered AS (
         SELECT l.store,
            l.track_id,
            COALESCE(i.item, o.country_code, 'ALL'::text) AS country_code,
            COALESCE(range_agg(l.days) FILTER (WHERE l.source = 'plain'::text), '{}'::datemultirange) AS plain_days,
            COALESCE(range_agg(l.final_days) FILTER (WHERE l.source = 'plain'::text), '{}'::datemultirange) AS final_plain_days,
            COALESCE(range_agg(l.days) FILTER (WHERE l.source = 'v2'::text AND l.replied IS NULL), '{}'::datemultirange) + COALESCE(range_agg(l.days) FILTER (WHERE l.source = 'v2'::text AND l.replied = 'yes'::text), '{}'::datemultirange) * COALESCE(range_agg(l.days) FILTER (WHERE l.source = 'v2'::text AND l.replied = 'no'::text), '{}'::datemultirange) AS v2_days,
            COALESCE(range_agg(l.final_days) FILTER (WHERE l.source = 'v2'::text AND l.replied IS NULL), '{}'::datemultirange) + COALESCE(range_agg(l.final_days) FILTER (WHERE l.source = 'v2'::text AND l.replied = 'yes'::text), '{}'::datemultirange) * COALESCE(range_agg(l.final_days) FILTER (WHERE l.source = 'v2'::text AND l.replied = 'no'::text), '{}'::datemultirange) AS final_v2_days,
            range_agg(l.waiting_days) AS waiting_days
           FROM listed l
             LEFT JOIN ops.batch b ON b.batch_id = l.batch_id AND l.store = 'ios'::text
             LEFT JOIN LATERAL unnest(b.items) i(item) ON true
             LEFT JOIN LATERAL ( SELECT DISTINCT c.country_code
                   FROM core.dim_app a
                     JOIN core.review r ON r.app_key = a.app_key
                     JOIN core.dim_country c ON c.country_key = r.country_key
                  WHERE l.store = 'ios'::text AND l.batch_id IS NULL AND a.store = l.store AND a.track_id = l.track_id) o ON true
          GROUP BY l.store, l.track_id, (COALESCE(i.item, o.country_code, 'ALL'::text))
        )
 SELECT store,
    track_id,
    country_code,
    v2_days + plain_days AS days,
    waiting_days - v2_days - plain_days AS unanswered_days,
    plain_days - v2_days + (final_plain_days - final_v2_days) AS plain_first_days
   FROM answered q
  WHERE NOT isempty(v2_days + plain_days + waiting_days);

-- One row per app with reviews. For which apps do we have reviews?
create view ops.reviewed_app (
  app_key integer -- Key of the app in core.dim_app.
) as
 WITH RECURSIVE step(app_key) AS (
         SELECT min(review.app_key) AS min
           FROM core.review
        UNION ALL
         SELECT ( SELECT min(f.app_key) AS min
                   FROM core.review f
                  WHERE f.app_key > r_1.app_key) AS min
           FROM step r_1
          WHERE r_1.app_key IS NOT NULL
        )
 SELECT app_key
   FROM step r
  WHERE app_key IS NOT NULL;

-- Runs: each row is one planning with its slices.
create table ops.run (
  run_id bigint not null generated always as identity, -- Number of the run.
  kind text not null, -- sync, backfill, schedule, retry, import (of answer files) or gateway (answers to its callers, one run a day).
  worker_id bigint, -- Foreground process that runs the slices; null when any worker may run them, as in a retry that a worker started automatically.
  plan_id bigint, -- Plan that it runs; null when it does not use a saved plan.
  as_of date not null, -- Day that counted as today.
  datasets text[] not null, -- Datasets that were planned.
  plans_after text[] not null default '{}'::text[], -- Datasets that workers plan once lists among its slices are loaded, if these come from earlier runs; if empty, those in datasets, and nothing after a sync.
  days daterange, -- Days that a person named for a sync; null if none were named: each dataset then has its own.
  max_credits integer, -- Credit limit of the run; null without a limit, and for an import, which spends nothing.
  account text not null default ''::text, -- Account that its requests are charged to; empty for that of API_TOKEN. It is the account of its slices too.
  shared_queue_id bigint not null default 0, -- Queue that the workers of the account share: the queue of its slices if worker_id is null.
  planned_slices integer not null default 0, -- Slices that the run has planned so far, or that it runs again.
  planned_credits bigint not null default 0, -- Credits that those slices were expected to cost.
  naive_credits bigint not null default 0, -- Credits that the same cells would cost with one request per item and day.
  started_at timestamp with time zone not null, -- When it started.
  ended_at timestamp with time zone, -- When its process ended, or its planning if it has no process (once its requests were dropped: its last answer); null until then, or when its process was killed. ops.run_summary shows when its last slice was answered.
  outcome text, -- State in which its process left it: planned (a scheduled run, whose slices any worker then runs), loaded, failed, deferred, aborted or interrupted. ops.run_summary shows the state of its slices now.
  error_code text, -- Stable code of the error that aborted it; null if none did.
  error_message text, -- Text of that error, including what to do next.
  past_request_count integer not null default 0, -- Number of its requests whose month was dropped.
  past_credits bigint not null default 0, -- Credits charged for these requests.
  past_loaded_count integer not null default 0, -- Its loaded slices that have since been folded into another slice (ops.slice.is_folded).
  past_empty_count integer not null default 0, -- Its empty slices that have since been folded into another slice.
  past_rows_loaded bigint not null default 0, -- Rows of the answers of both kinds of folded slices.
  noted_slice_id bigint, -- Newest slice when its planning recorded which days are lost; null if it did not get that far. The next run that records lost days considers the slices after the highest of these.
  constraint run_pkey PRIMARY KEY (run_id),
  constraint run_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES ops.plan(plan_id),
  constraint run_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES ops.worker(worker_id)
);
CREATE INDEX run_noted ON ops.run USING btree (noted_slice_id) WHERE (noted_slice_id IS NOT NULL);
CREATE INDEX run_plan ON ops.run USING btree (plan_id) WHERE (plan_id IS NOT NULL);

-- One row per run in the state in which its process left it, without the sums of ops.run_summary, which read its slices. Which runs have not ended?
create view ops.run_log (
  run_id bigint, -- Number of the run.
  kind text, -- sync, backfill, schedule, retry, import (of answer files) or gateway (answers to its callers, one run a day).
  account text, -- Account that its requests are charged to; empty for that of API_TOKEN. It is the account of its slices too.
  worker_id bigint, -- Foreground process that runs the slices; null when any worker may run them, as in a retry that a worker started automatically.
  plan_id bigint, -- Plan that it runs; null when it does not use a saved plan.
  as_of date, -- Day that counted as today.
  datasets text[], -- Datasets that were planned.
  days daterange, -- Days that a person named for a sync; null if none were named: each dataset then has its own.
  max_credits integer, -- Credit limit of the run; null without a limit, and for an import, which spends nothing.
  planned_slices integer, -- Slices that the run has planned so far, or that it runs again.
  planned_credits bigint, -- Credits that those slices were expected to cost.
  started_at timestamp with time zone, -- When it started.
  ended_at timestamp with time zone, -- When its process ended, or its planning if it has no process (once its requests were dropped: its last answer); null until then, or when its process was killed. ops.run_summary shows when its last slice was answered.
  outcome text, -- State in which its process left it: planned (a scheduled run, whose slices any worker then runs), loaded, failed, deferred, aborted or interrupted. ops.run_summary shows the state of its slices now.
  error_code text, -- Stable code of the error that aborted it; null if none did.
  error_message text, -- Text of that error, including what to do next.
  past_loaded_count integer, -- Its loaded slices that have since been folded into another slice (ops.slice.is_folded).
  past_empty_count integer -- Its empty slices that have since been folded into another slice.
) as
 SELECT run_id,
    kind,
    account,
    worker_id,
    plan_id,
    as_of,
    datasets,
    days,
    max_credits,
    planned_slices,
    planned_credits,
    started_at,
    ended_at,
    outcome,
    error_code,
    error_message,
    past_loaded_count,
    past_empty_count
   FROM ops.run;

-- Parts of the planning of a scheduled run, while it is being planned: some apps, or what belongs to no single app. Any worker of the account takes the next shard that no other worker has locked, and plans and queues it in one transaction. The last shard ends the planning.
create table ops.run_shard (
  run_id bigint not null, -- The run.
  step text not null, -- Stage of the datasets that are planned, or end for what follows the last shard. The shards of a stage are written once those of the previous stage have planned nothing.
  shard integer not null, -- Number of the shard: 0 for what belongs to no single app, from 1 for apps.
  shards integer not null, -- Number of shards by app into which the portfolio is split; 1 if shard 0 has everything.
  planned_at timestamp with time zone, -- When it was planned; null until then.
  planned_slices integer not null default 0, -- Number of slices that it planned.
  timings jsonb, -- Timings that it found for single scopes, for ops.dataset_timing.
  constraint run_shard_pkey PRIMARY KEY (run_id, step, shard),
  constraint run_shard_step_check CHECK ((step = ANY (ARRAY['portfolio'::text, 'listing'::text, 'market'::text, 'end'::text]))),
  constraint run_shard_run_id_fkey FOREIGN KEY (run_id) REFERENCES ops.run(run_id)
);

-- One row per run (a sync, a backfill, a retry, a scheduled run): its plan and its result. What did last night cost? Which runs left failures?
create view ops.run_summary (
  run_id bigint, -- Number of the run.
  kind text, -- sync, backfill, schedule, retry or import.
  account text, -- Account that its requests are charged to; empty for that of API_TOKEN.
  as_of date, -- Day that counted as today.
  plan_id bigint, -- Plan that it ran; null when it ran none.
  started_at timestamp with time zone, -- When it started.
  ended_at timestamp with time zone, -- When it ended; null while it runs, or when its process was killed. A run without a process of its own (a scheduled run, a retry by workers) ends with its last answer, and not while slices of it wait.
  outcome text, -- Its result so far: loaded, failed, deferred (slices wait for credits, a budget or the API), unfinished (slices wait or run), limited (its credit limit did not pay for more, or slices of its plan were cancelled, and nothing of it waits), unrequested (nothing of it was requested: its slices were cancelled, or other runs have them), aborted or interrupted (stopped or killed); null while its process runs.
  error_code text, -- Stable code of the error that aborted it; null if none did.
  error_message text, -- Text of that error, including what to do next.
  planned_slice_count integer, -- Planned slices.
  planned_credits bigint, -- Planned credits.
  naive_credits bigint, -- Credits that the same cells would cost with one request per item and day.
  loaded_count bigint, -- Number of its loaded slices.
  empty_count bigint, -- Number of its slices for which the service returned no rows.
  skipped_count bigint, -- Number of its unavailable slices.
  failed_count bigint, -- Number of its failed slices.
  open_count bigint, -- Number of its slices that are pending or running.
  deferred_count bigint, -- Number of its slices that wait for credits, a budget or the API.
  rows_loaded bigint, -- Rows of its answers.
  rows_rejected bigint, -- Number of invalid items of its answers.
  request_count bigint, -- Requests that were sent for it.
  booked_credits bigint -- Credits charged for the requests of its slices.
) as
 SELECT r.run_id,
    r.kind,
    r.account,
    r.as_of,
    r.plan_id,
    r.started_at,
        CASE
            WHEN r.worker_id IS NOT NULL OR r.ended_at IS NULL THEN r.ended_at
            WHEN (s.open_count + s.deferred_count) = 0 THEN GREATEST(r.ended_at, q.answered_at)
            ELSE NULL::timestamp with time zone
        END AS ended_at,
        CASE
            WHEN e.is_over AND
            CASE
                WHEN r.plan_id IS NULL THEN r.max_credits IS NOT NULL
                ELSE (EXISTS ( SELECT
                   FROM ops.plan l
                  WHERE l.plan_id = r.plan_id AND l.cancelled_slice_count > 0))
            END THEN 'limited'::text
            WHEN p.was_killed THEN 'interrupted'::text
            WHEN ((r.outcome = ANY (ARRAY['planned'::text, 'loaded'::text])) OR e.is_over OR r.outcome = 'deferred'::text AND r.max_credits IS NULL AND r.plan_id IS NULL) IS NOT TRUE THEN r.outcome
            WHEN s.open_count > 0 THEN 'unfinished'::text
            WHEN s.deferred_count > 0 THEN 'deferred'::text
            WHEN s.failed_count > 0 THEN 'failed'::text
            WHEN r.planned_slices > 0 AND s.slice_count = 0 AND (r.past_loaded_count + r.past_empty_count) = 0 AND (r.past_request_count + q.request_count) = 0 THEN 'unrequested'::text
            ELSE 'loaded'::text
        END AS outcome,
    r.error_code,
    r.error_message,
    r.planned_slices AS planned_slice_count,
    r.planned_credits,
    r.naive_credits,
    r.past_loaded_count + s.loaded_count AS loaded_count,
    r.past_empty_count + s.empty_count AS empty_count,
    s.skipped_count,
    s.failed_count,
    s.open_count,
    s.deferred_count,
    r.past_rows_loaded + s.rows_loaded AS rows_loaded,
    s.rows_rejected,
    r.past_request_count + q.request_count AS request_count,
    r.past_credits + q.booked_credits AS booked_credits
   FROM ops.run r
     CROSS JOIN LATERAL ( SELECT count(*) AS slice_count,
            count(*) FILTER (WHERE slice.state = 'loaded'::text) AS loaded_count,
            count(*) FILTER (WHERE slice.state = 'empty'::text) AS empty_count,
            count(*) FILTER (WHERE slice.state = 'skipped'::text) AS skipped_count,
            count(*) FILTER (WHERE slice.state = 'failed'::text) AS failed_count,
            count(*) FILTER (WHERE slice.state = ANY (ARRAY['pending'::text, 'running'::text])) AS open_count,
            count(*) FILTER (WHERE slice.state = 'deferred'::text) AS deferred_count,
            COALESCE(sum(slice.rows_loaded), 0::bigint) AS rows_loaded,
            COALESCE(sum(slice.rows_rejected), 0::bigint) AS rows_rejected
           FROM ops.slice
          WHERE slice.run_id = r.run_id) s
     CROSS JOIN LATERAL ( SELECT (r.outcome = 'deferred'::text OR r.outcome = 'loaded'::text AND r.plan_id IS NOT NULL AND s.failed_count = 0) AND (s.open_count + s.deferred_count) = 0 AND NOT (EXISTS ( SELECT
                   FROM ops.slice o
                  WHERE o.plan_id = r.plan_id AND (o.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text])))) AS is_over) e
     CROSS JOIN LATERAL ( SELECT r.outcome IS NULL AND r.ended_at IS NULL AND r.worker_id IS NOT NULL AND NOT pg_is_in_recovery() AND NOT (EXISTS ( SELECT
                   FROM ops.worker_status w
                  WHERE w.worker_id = r.worker_id AND w.is_running)) AS was_killed) p
     CROSS JOIN LATERAL ( SELECT count(*) AS request_count,
            COALESCE(sum(a.cost), 0::bigint) AS booked_credits,
            max(a.received_at) AS answered_at
           FROM ops.request a
          WHERE a.run_id = r.run_id) q;

-- One row per day for which every search-ads organisation has an answer, in the currency and attribution of ops.search_ads_default. An organisation counts from its first answer on, and from the first day that was requested of it while it has none. If its last answer is a week older than the newest of all, it counts only up to that, unless newer days of it were requested within the last week and have failed or wait. For which days is spend complete?
create view ops.search_ads_answered_day (
  date_day date -- The day.
) as
 WITH requested AS (
         SELECT s.scope ->> 'org_id'::text AS org_id,
            w.window_start,
            s.window_end,
            s.as_of,
            ops.is_answer(s.state, s.error_code) AS is_answered
           FROM ops.search_ads_default d
             JOIN ops.slice s ON (s.scope ->> 'currency'::text) = d.currency AND (s.scope ->> 'attribution'::text) = d.attribution
             CROSS JOIN LATERAL ( SELECT GREATEST(s.window_start, max((m.month_start + '1 mon'::interval)::date)) AS window_start
                   FROM ops.dropped_month m
                  WHERE m.dataset = s.dataset AND m.dropped_at >= s.ended_at) w
          WHERE s.dataset = 'search_ads_report'::text AND (ops.is_answer(s.state, s.error_code) OR (s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text, 'failed'::text]))) AND (s.scope ->> 'report_level'::text) = 'CAMPAIGN'::text AND (s.scope ->> 'grain'::text) = 'day'::text AND (s.scope ->> 'goal_id'::text) IS NULL AND s.window_end > w.window_start
        ), org AS (
         SELECT r.org_id,
            COALESCE(range_agg(daterange(r.window_start, r.window_end)) FILTER (WHERE r.is_answered), '{}'::datemultirange) AS days,
            min(r.window_start) FILTER (WHERE NOT r.is_answered) AS first_unanswered,
            max(r.window_end) FILTER (WHERE NOT r.is_answered) AS unanswered_end,
            max(r.as_of) FILTER (WHERE NOT r.is_answered) AS unanswered_as_of,
            max(r.as_of) AS newest_as_of
           FROM requested r
          GROUP BY r.org_id
        ), newest AS (
         SELECT max(upper(o.days)) AS newest_end,
            max(o.newest_as_of) AS newest_as_of
           FROM org o
        ), lasting AS (
         SELECT o.days,
            COALESCE(lower(o.days), o.first_unanswered) AS first_day,
                CASE
                    WHEN upper(o.days) > (n.newest_end - 7) OR o.unanswered_end > COALESCE(upper(o.days), '-infinity'::date) AND o.unanswered_as_of > (n.newest_as_of - 7) THEN n.newest_end
                    ELSE upper(o.days)
                END AS until
           FROM org o
             CROSS JOIN newest n
        )
 SELECT g.date_day
   FROM lasting l
     JOIN core.dim_date g ON g.date_day >= l.first_day AND g.date_day < l.until
  GROUP BY g.date_day
 HAVING bool_and(l.days @> g.date_day);

-- One row once there are reports: the currency and the attribution in which figures of the search-ads marts may be added up across organisations. In which currency are our sums? Which installs do they count?
create view ops.search_ads_default (
  currency text, -- The requested currency with the most days of reports: for each organisation the days from its first to its last report, added up. Among equals, the currency of the most organisations wins, then the one that is the own currency of the most organisations, then USD, then the first in alphabetical order.
  attribution text, -- The requested attribution with the most days of reports, by the same count. Among equals, the attribution of the most organisations wins, then WITH, then WITHOUT.
  left_out_org_count bigint -- Number of organisations with reports but none in this currency and attribution: sums leave them out.
) as
 WITH RECURSIVE step(org_id, report_level, grain, currency, attribution) AS (
        ( SELECT f.org_id,
            f.report_level,
            f.grain,
            f.currency,
            f.attribution
           FROM core.fact_search_ads_report f
          ORDER BY f.org_id, f.report_level, f.grain, f.currency, f.attribution
         LIMIT 1)
        UNION ALL
         SELECT n.org_id,
            n.report_level,
            n.grain,
            n.currency,
            n.attribution
           FROM step p
             CROSS JOIN LATERAL ( SELECT f.org_id,
                    f.report_level,
                    f.grain,
                    f.currency,
                    f.attribution
                   FROM core.fact_search_ads_report f
                  WHERE (ROW(f.org_id, f.report_level, f.grain, f.currency, f.attribution) > ROW(p.org_id, p.report_level, p.grain, p.currency, p.attribution))
                  ORDER BY f.org_id, f.report_level, f.grain, f.currency, f.attribution
                 LIMIT 1) n
        ), span AS (
         SELECT p.org_id,
            p.currency,
            p.attribution,
            COALESCE(d.day_count, 0) AS day_count
           FROM step p
             CROSS JOIN LATERAL ( SELECT max(f.period_start) - min(f.period_start) + 1 AS day_count
                   FROM core.fact_search_ads_report f
                  WHERE f.org_id = p.org_id AND f.report_level = p.report_level AND f.grain = p.grain AND f.currency = p.currency AND f.attribution = p.attribution AND f.goal_id = ''::text) d
        ), chosen AS (
         SELECT ( SELECT p.currency
                   FROM ( SELECT s.currency,
                            s.org_id,
                            max(s.day_count) AS day_count
                           FROM span s
                          GROUP BY s.currency, s.org_id) p
                  GROUP BY p.currency
                  ORDER BY (sum(p.day_count)) DESC, (count(*)) DESC, (count(*) FILTER (WHERE (EXISTS ( SELECT
                           FROM core.search_ads_integration i
                          WHERE i.org_id = p.org_id AND i.valid_to IS NULL AND i.currency = p.currency)))) DESC, (p.currency <> 'USD'::text), p.currency
                 LIMIT 1) AS currency,
            ( SELECT p.attribution
                   FROM ( SELECT s.attribution,
                            s.org_id,
                            max(s.day_count) AS day_count
                           FROM span s
                          GROUP BY s.attribution, s.org_id) p
                  GROUP BY p.attribution
                  ORDER BY (sum(p.day_count)) DESC, (count(*)) DESC, (array_position('{WITH,WITHOUT,ONLY}'::text[], p.attribution))
                 LIMIT 1) AS attribution
          WHERE (EXISTS ( SELECT
                   FROM step))
        )
 SELECT currency,
    attribution,
    ( SELECT count(DISTINCT p.org_id) - count(DISTINCT p.org_id) FILTER (WHERE p.currency = c.currency AND p.attribution = c.attribution)
           FROM step p) AS left_out_org_count
   FROM chosen c;

-- One row per search-ads organisation whose currency is known, including those that have been disconnected since: its own currency as last seen. In which currency does the organisation pay?
create view ops.search_ads_own_currency (
  org_id text, -- Id of the organisation.
  currency text -- Its own currency as last seen, which is the currency of the amounts under original in reports.
) as
 SELECT DISTINCT ON (org_id) org_id,
    currency
   FROM core.search_ads_integration i
  WHERE currency IS NOT NULL
  ORDER BY org_id, valid_to DESC, valid_from DESC, currency DESC;

-- Shape of the rows of DAILY reports, one row per answer. The contract does not document the shape; if rows lack their day, each day is fetched as a REPORT instead.
create table ops.search_ads_report_shape (
  org_id text not null, -- Search-ads organisation.
  report_level text not null, -- Level of the report.
  period_start date not null, -- First requested day.
  period_end date not null, -- Last requested day.
  shape text, -- days: rows name their day and their entity; totals: rows are totals; window: rows name their entity but no day.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint search_ads_report_shape_pkey PRIMARY KEY (org_id, report_level, period_start, period_end),
  constraint search_ads_report_shape_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day),
  constraint search_ads_report_shape_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day)
);

-- Digests of weekly reports, one row per week and digest. If DAILY reports name no day, the days of a week long past are requested again only when its digest has changed.
create table ops.search_ads_report_week (
  org_id text not null, -- Search-ads organisation.
  report_level text not null, -- Level of the report.
  currency text not null, -- Requested currency of the money.
  attribution text not null, -- How redownloads were requested to be counted: WITH, WITHOUT, ONLY.
  goal_id text not null, -- Requested goal; '' for none.
  period_start date not null, -- First day of the week.
  digest text not null, -- SHA-256 over the counts and the money of all rows.
  period_end date, -- Last day of the week.
  last_seen_on date, -- Last day on which an answer had this digest.
  slice_id bigint not null, -- Slice that wrote the row.
  fetched_at timestamp with time zone not null, -- When the answer was received.
  constraint search_ads_report_week_pkey PRIMARY KEY (org_id, report_level, currency, attribution, goal_id, period_start, digest),
  constraint search_ads_report_week_period_end_fkey FOREIGN KEY (period_end) REFERENCES core.dim_date(date_day),
  constraint search_ads_report_week_period_start_fkey FOREIGN KEY (period_start) REFERENCES core.dim_date(date_day)
);

-- Slices: one partition and window of a dataset. A slice is the unit that is planned, priced, run and retried.
create table ops.slice (
  slice_id bigint not null generated always as identity, -- Number of the slice. Every fact row names the slice that wrote it.
  dataset text not null, -- Dataset.
  operation text not null, -- Operation of the API for the slice.
  scope jsonb not null, -- Partition of the slice: store, app, country and device, as far as the dataset distinguishes them.
  batch_id bigint, -- List of the requested keywords or ids; null if the scope identifies the partition.
  window_start date not null, -- First requested day.
  window_end date not null, -- Day after the last requested day, or after the last answered day if the answer ended earlier.
  requested_end date, -- Day after the last requested day, if the answer ended earlier; else null. The days in between are a separate slice (tail_of).
  tail_of bigint, -- Slice whose answer ended before these days; null for a slice that was planned.
  as_of date not null, -- Day that counted as today when it was requested or, if it has not been requested yet, when it was planned. It shows how final the answer was.
  fingerprint text not null, -- Facts of the portfolio that affect the answer: if they differ from those of today, the answer is stale. Instead of them: "changed since" if a command changed them after the answer was received; "never requested" for a lost day for which no request was sent; "reported by" and a dataset if the answer of that dataset reported these cells.
  class text not null, -- Credit class: how much of the credit reserve the slice may use.
  state text not null, -- pending, running, deferred (waits for credits, a budget or the API), loaded, empty (the answer has no rows), skipped (unavailable), failed (due_at shows when it is requested again; storehouse retry does that now) or lost (a snapshot whose time is over: it can no longer be requested).
  planned_requests integer not null, -- Expected number of requests. Corrected when a page of the answer reports the number of pages.
  planned_credits integer not null, -- Expected credits: the expected requests times the price in the plan.
  run_id bigint not null, -- Run to which it belongs now.
  plan_id bigint, -- Plan that it belongs to; null when it belongs to none.
  queue_id bigint not null default 0, -- Queue in which it waits: number of the foreground process that runs it, 0 for the queue that the workers of API_TOKEN share, or below zero for that of another account (ops.account).
  turn integer not null default 0, -- Place in the queue, lower first: class × 100000 + day, newest first or in the order of its plan. Snapshots go by the last day on which they can be requested. The tail of a slice of a plan comes after all slices of the plan (+ 500000). An operation that the API refuses to the account, or refused within the last day, comes after all others (+ 1000000; + 2000000 if the same organisation or app was refused).
  worker_id bigint, -- Process that runs it or ran it last.
  attempt integer not null default 0, -- Number of starts. A worker commits only if this is still the number with which it started, so that a slow worker cannot overwrite its successor.
  read_from_attempt integer not null default 0, -- The next attempt does not read stored pages of attempts before this one; it requests them again.
  failures integer not null default 0, -- Attempts that ended with a temporary error. Deferring a slice does not count.
  later_tries integer not null default 0, -- How often it was requested again automatically after all attempts had failed.
  broken_off_count integer not null default 0, -- Attempts during which the process died or its lease expired. After the second, the slice runs alone in its process.
  broken_off_alone_count integer not null default 0, -- Number of these attempts during which the process ran no other slice. After the second, the slice waits ten minutes; after the third, it fails.
  due_at timestamp with time zone, -- Earliest start; null when it may start immediately, or when a deferred slice waits for a new run. For a failed slice: when it is requested again, by a worker or the first sync after this time; null if a retry cannot help.
  retried_at timestamp with time zone, -- When it was first requested again automatically after it had failed; null when it was not. Its cost from then on counts against credits.retries_a_day.
  error_code text, -- Stable code of the last error; null when the last attempt succeeded.
  error_message text, -- Text of the last error, including what to do next.
  rows_loaded integer not null default 0, -- Rows of the answer, changed or not.
  rows_rejected integer not null default 0, -- Number of invalid items of the answer; ops.reject lists them.
  answer_digest bytea, -- SHA-256 over the request, the answer and the program that read it; null unless all of the answer was loaded. An unchanged answer is not loaded again unless another slice has written its cells.
  is_folded boolean not null default false, -- True if other slices of its list and month have been folded into it: slices with the same outcome whose days, together with its own, form an unbroken range. They are deleted, and ops.folded_month has their number. All its days are final; its other columns are its own.
  created_at timestamp with time zone not null, -- When it was planned; for a folded slice, when the first of its slices was planned.
  started_at timestamp with time zone, -- When the last attempt started.
  ended_at timestamp with time zone, -- When it reached its state; for a folded slice, when the last of its slices did.
  constraint slice_pkey PRIMARY KEY (slice_id),
  constraint slice_check CHECK ((window_start < window_end)),
  constraint slice_class_check CHECK ((class = ANY (ARRAY['snapshot'::text, 'daily'::text, 'lookback'::text, 'history'::text]))),
  constraint slice_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text, 'loaded'::text, 'empty'::text, 'skipped'::text, 'failed'::text, 'lost'::text]))),
  constraint slice_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES ops.batch(batch_id),
  constraint slice_run_id_fkey FOREIGN KEY (run_id) REFERENCES ops.run(run_id),
  constraint slice_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES ops.worker(worker_id)
);
CREATE INDEX slice_answer ON ops.slice USING btree (answer_digest) WHERE (answer_digest IS NOT NULL);
CREATE INDEX slice_app ON ops.slice USING btree (((scope ->> 'app'::text)), dataset, window_end, window_start);
CREATE INDEX slice_by_state ON ops.slice USING btree (dataset, state, window_end);
CREATE INDEX slice_coverage ON ops.slice USING btree (dataset, window_start);
CREATE INDEX slice_due ON ops.slice USING btree (queue_id, due_at) WHERE ((state = ANY (ARRAY['pending'::text, 'deferred'::text])) AND (due_at IS NOT NULL));
CREATE INDEX slice_failed ON ops.slice USING btree (dataset) WHERE (state = 'failed'::text);
CREATE INDEX slice_later ON ops.slice USING btree (due_at) WHERE ((state = 'failed'::text) AND (due_at IS NOT NULL));
CREATE INDEX slice_lost ON ops.slice USING btree (dataset, window_start) WHERE (state = 'lost'::text);
CREATE UNIQUE INDEX slice_open ON ops.slice USING btree (dataset, hashtextextended((scope)::text, (0)::bigint), COALESCE(batch_id, (0)::bigint), window_start, window_end, scope) WHERE (state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text]));
CREATE INDEX slice_plan ON ops.slice USING btree (plan_id, state) WHERE (plan_id IS NOT NULL);
CREATE INDEX slice_ready ON ops.slice USING btree (queue_id, turn, slice_id) WHERE ((state = 'pending'::text) AND (due_at IS NULL));
CREATE INDEX slice_refused ON ops.slice USING btree (dataset, hashtextextended((scope)::text, (0)::bigint)) WHERE ((state = 'skipped'::text) AND (error_code = ANY (ARRAY['bad_request'::text, 'not_encodable'::text])));
CREATE INDEX slice_rejects ON ops.slice USING btree (dataset) WHERE (rows_rejected > 0);
CREATE INDEX slice_reported ON ops.slice USING btree (dataset, window_start) WHERE (fingerprint ~~ 'reported by %'::text);
CREATE INDEX slice_retried ON ops.slice USING btree (retried_at) WHERE (retried_at IS NOT NULL);
CREATE INDEX slice_run ON ops.slice USING btree (run_id, state);
CREATE INDEX slice_running ON ops.slice USING btree (worker_id) WHERE (state = 'running'::text);
CREATE INDEX slice_scope ON ops.slice USING btree (hashtextextended((scope)::text, (0)::bigint), dataset, window_end, window_start);
CREATE INDEX slice_suspect ON ops.slice USING btree (queue_id, turn, slice_id) WHERE ((state = 'pending'::text) AND (broken_off_count > 1));
CREATE TRIGGER slice_added AFTER INSERT ON ops.slice REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ops.forget_changed_slices();
CREATE TRIGGER slice_changed AFTER UPDATE ON ops.slice FOR EACH ROW WHEN (((old.state <> ALL (ARRAY['pending'::text, 'running'::text, 'deferred'::text])) AND (((((((((((old.dataset IS DISTINCT FROM new.dataset) OR (old.scope IS DISTINCT FROM new.scope)) OR (old.operation IS DISTINCT FROM new.operation)) OR (old.batch_id IS DISTINCT FROM new.batch_id)) OR (old.window_start IS DISTINCT FROM new.window_start)) OR (old.window_end IS DISTINCT FROM new.window_end)) OR (old.tail_of IS DISTINCT FROM new.tail_of)) OR (old.as_of IS DISTINCT FROM new.as_of)) OR (old.fingerprint IS DISTINCT FROM new.fingerprint)) OR (old.state IS DISTINCT FROM new.state)) OR (old.error_code IS DISTINCT FROM new.error_code)))) EXECUTE FUNCTION ops.forget_changed_slice();
CREATE TRIGGER slice_emptied AFTER TRUNCATE ON ops.slice FOR EACH STATEMENT EXECUTE FUNCTION ops.forget_changed_slices();
CREATE TRIGGER slice_gone AFTER DELETE ON ops.slice REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ops.forget_changed_slices();

-- One row per list of keywords or ids that slices request by name; ops.slice_log names it. Which keywords does a list have?
create view ops.slice_batch (
  batch_id bigint, -- Number of the list.
  items text[] -- The items, sorted.
) as
 SELECT batch_id,
    items
   FROM ops.batch;

-- One row per slice: up to which day its answer is final, and which days a sync without dates requests. A loaded day on or after final_before and within those requested days is stale, unless another slice has a final answer for it. Which answers were received while the source still restated them?
create view ops.slice_finality (
  slice_id bigint, -- Number of the slice.
  dataset text, -- Dataset.
  scope jsonb, -- Partition of the slice.
  batch_id bigint, -- List of the requested keywords or ids; null if the scope identifies the partition.
  window_start date, -- First requested day.
  window_end date, -- Day after the last requested day.
  state text, -- State of the slice.
  rows_rejected integer, -- Number of invalid items of its answer.
  kind text, -- series, period (final only as a whole) or snapshot (final until refresh_days have passed); null before the first planning.
  final_before date, -- Days before this one are final; infinity for a slice that waits, runs or was requested today; -infinity if none of its days is still final.
  request_from date, -- First day that a sync requests; null for a snapshot.
  request_before date, -- Day after the last day that a sync requests; null for a snapshot.
  dropped_before date -- Days before this one were dropped by retention after the slice ended; null if none were.
) as
 SELECT s.slice_id,
    s.dataset,
    s.scope,
    s.batch_id,
    s.window_start,
    s.window_end,
    s.state,
    s.rows_rejected,
    t.kind,
        CASE
            WHEN s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text]) THEN 'infinity'::date
            WHEN t.kind = 'snapshot'::text THEN
            CASE
                WHEN s.as_of > (ops.today() - t.refresh_days) AND s.fingerprint <> 'changed since'::text THEN 'infinity'::date
                ELSE '-infinity'::date
            END
            WHEN s.as_of >= ops.today() THEN 'infinity'::date
            WHEN (s.state = ANY (ARRAY['empty'::text, 'skipped'::text])) AND s.as_of <= (r.repeat_day - t.empty_holds_days) AND
            CASE
                WHEN t.empty_until_days IS NULL THEN s.tail_of IS NULL
                ELSE t.pack_is_full IS NULL OR s.tail_of IS NOT NULL OR (s.window_end - s.window_start) <= t.empty_until_days
            END THEN
            CASE
                WHEN t.empty_until_days IS NULL THEN '-infinity'::date
                ELSE LEAST(s.as_of + 1 - t.settle_days - t.lookback_days, r.requested_until + 1 - t.settle_days - t.empty_until_days)
            END
            ELSE s.as_of + 1 - t.settle_days - t.lookback_days -
            CASE
                WHEN t.empty_until_days IS NULL AND s.as_of < r.repeat_day AND (s.state = 'empty'::text OR s.state = 'skipped'::text AND (COALESCE(s.error_code, ''::text) <> ALL (ARRAY['bad_request'::text, 'not_encodable'::text]))) THEN t.empty_early_days
                ELSE 0
            END
        END AS final_before,
    GREATEST(COALESCE(t.first_day, r.request_before - t.history_days), (date_trunc('month'::text, ops.today()::timestamp without time zone) - make_interval(months => t.keep_months))::date) AS request_from,
    r.request_before,
    ( SELECT max((m.month_start + '1 mon'::interval)::date) AS max
           FROM ops.dropped_month m
          WHERE m.dataset = s.dataset AND m.dropped_at >= s.ended_at AND (s.state = ANY (ARRAY['loaded'::text, 'empty'::text]))) AS dropped_before
   FROM ops.slice s
     LEFT JOIN ops.dataset_timing o ON o.dataset = s.dataset AND o.scope = s.scope AND NOT o.is_default
     LEFT JOIN ops.dataset_timing b ON b.dataset = s.dataset AND b.is_default
     CROSS JOIN LATERAL ( SELECT (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).dataset AS dataset,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).scope AS scope,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).is_default AS is_default,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).kind AS kind,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).settle_days AS settle_days,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).lookback_days AS lookback_days,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).history_days AS history_days,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).first_day AS first_day,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).pack_days AS pack_days,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).pack_is_full AS pack_is_full,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).refresh_days AS refresh_days,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).refresh_since AS refresh_since,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).earlier_refresh_days AS earlier_refresh_days,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).empty_holds_days AS empty_holds_days,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).empty_until_days AS empty_until_days,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).empty_early_days AS empty_early_days,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).keep_months AS keep_months,
            (
                CASE
                    WHEN o.dataset IS NULL THEN b.*
                    ELSE o.*
                END).account AS account) t
     CROSS JOIN LATERAL ( SELECT ops.today() + 1 - t.settle_days AS published) p
     CROSS JOIN LATERAL ( SELECT p.published -
                CASE
                    WHEN t.pack_days IS NULL THEN 0
                    ELSE (p.published - '2007-01-01'::date) % t.pack_days
                END AS packed_end) e
     CROSS JOIN LATERAL ( SELECT e.packed_end AS request_before,
                CASE
                    WHEN t.pack_is_full THEN ops.today()
                    ELSE e.packed_end - 1 + t.settle_days
                END AS repeat_day,
                CASE
                    WHEN t.pack_is_full OR t.pack_days IS NULL THEN ops.today()
                    ELSE s.as_of + t.empty_holds_days
                END AS requested_until) r;

-- One row per slice that requests keywords or ids by name, with the list of them.
create view ops.slice_item (
  slice_id bigint, -- Number of the slice.
  dataset text, -- Dataset.
  items text[] -- The keywords or ids, sorted.
) as
 SELECT s.slice_id,
    s.dataset,
    b.items
   FROM ops.slice s
     JOIN ops.batch b ON b.batch_id = s.batch_id;

-- One row per slice in its current state, without the sums of ops.slice_status, which read its requests. What was requested for an app, and when?
create view ops.slice_log (
  slice_id bigint, -- Number of the slice. Every fact row names the slice that wrote it.
  dataset text, -- Dataset.
  operation text, -- Operation of the API for the slice.
  scope jsonb, -- Partition of the slice: store, app, country and device, as far as the dataset distinguishes them.
  batch_id bigint, -- List of the requested keywords or ids; null if the scope identifies the partition.
  window_start date, -- First requested day.
  window_end date, -- Day after the last requested day, or after the last answered day if the answer ended earlier.
  requested_end date, -- Day after the last requested day, if the answer ended earlier; else null. The days in between are a separate slice (tail_of).
  tail_of bigint, -- Slice whose answer ended before these days; null for a slice that was planned.
  as_of date, -- Day that counted as today when it was requested or, if it has not been requested yet, when it was planned. It shows how final the answer was.
  fingerprint text, -- Facts of the portfolio that affect the answer: if they differ from those of today, the answer is stale. Instead of them: "changed since" if a command changed them after the answer was received; "never requested" for a lost day for which no request was sent; "reported by" and a dataset if the answer of that dataset reported these cells.
  class text, -- Credit class: how much of the credit reserve the slice may use.
  state text, -- pending, running, deferred (waits for credits, a budget or the API), loaded, empty (the answer has no rows), skipped (unavailable), failed (due_at shows when it is requested again; storehouse retry does that now) or lost (a snapshot whose time is over: it can no longer be requested).
  planned_requests integer, -- Expected number of requests. Corrected when a page of the answer reports the number of pages.
  planned_credits integer, -- Expected credits: the expected requests times the price in the plan.
  run_id bigint, -- Run to which it belongs now.
  plan_id bigint, -- Plan that it belongs to; null when it belongs to none.
  worker_id bigint, -- Process that runs it or ran it last.
  attempt integer, -- Number of starts. A worker commits only if this is still the number with which it started, so that a slow worker cannot overwrite its successor.
  failures integer, -- Attempts that ended with a temporary error. Deferring a slice does not count.
  due_at timestamp with time zone, -- Earliest start; null when it may start immediately, or when a deferred slice waits for a new run. For a failed slice: when it is requested again, by a worker or the first sync after this time; null if a retry cannot help.
  error_code text, -- Stable code of the last error; null when the last attempt succeeded.
  error_message text, -- Text of the last error, including what to do next.
  rows_loaded integer, -- Rows of the answer, changed or not.
  rows_rejected integer, -- Number of invalid items of the answer; ops.reject lists them.
  is_folded boolean, -- True if other slices of its list and month have been folded into it: slices with the same outcome whose days, together with its own, form an unbroken range. They are deleted, and ops.folded_month has their number. All its days are final; its other columns are its own.
  created_at timestamp with time zone, -- When it was planned; for a folded slice, when the first of its slices was planned.
  started_at timestamp with time zone, -- When the last attempt started.
  ended_at timestamp with time zone -- When it reached its state; for a folded slice, when the last of its slices did.
) as
 SELECT slice_id,
    dataset,
    operation,
    scope,
    batch_id,
    window_start,
    window_end,
    requested_end,
    tail_of,
    as_of,
    fingerprint,
    class,
    state,
    planned_requests,
    planned_credits,
    run_id,
    plan_id,
    worker_id,
    attempt,
    failures,
        CASE
            WHEN state <> 'failed'::text THEN due_at
            WHEN class = 'snapshot'::text AND as_of < ops.today() THEN NULL::timestamp with time zone
            WHEN (EXISTS ( SELECT
               FROM ops.dataset d
              WHERE d.dataset = s.dataset AND (d.is_switched_off OR NOT d.is_on AND s.plan_id IS NULL AND NOT (EXISTS ( SELECT
                       FROM ops.run r
                      WHERE r.run_id = s.run_id AND (r.kind = 'schedule'::text OR r.kind = 'retry'::text AND r.worker_id IS NULL)))))) THEN NULL::timestamp with time zone
            ELSE due_at
        END AS due_at,
    error_code,
    error_message,
    rows_loaded,
    rows_rejected,
    is_folded,
    created_at,
    started_at,
    ended_at
   FROM ops.slice s;

-- What the slices of a partition say about past days, in the form that a plan reads, so that a nightly run need not read years of slices: one row per list, operation and fingerprint. The rows are derived: a plan that finds none reads the slices. When one of these slices changes, the rows of its partition are deleted, and a later night writes them again.
create table ops.slice_past (
  dataset text not null, -- Dataset.
  scope jsonb not null, -- Partition: store, app, country and device, as far as the dataset distinguishes them.
  scope_hash bigint not null, -- Hash of the scope, by which it is found.
  until_day date not null, -- The rows summarise every slice of the partition whose days are all before this day, and no other slice.
  final_days integer not null, -- Number of days after the last day of a slice from which it counts as final here. A plan that waits longer reads the slices.
  batch_id bigint, -- List of the requested keywords or ids; null if the scope identifies the partition.
  operation text not null, -- Operation of the API for the slices.
  fingerprint text not null, -- Fingerprint of the slices.
  slice_ids bigint[], -- Slices that are not final, except loaded or empty slices whose days are all final; null if there are none.
  starts integer[], -- First day of each of them, as days since 1970-01-01.
  ends integer[], -- Day after the last day of each of them, in the same format.
  planned integer[], -- Day on which each of them was planned, in the same format.
  kinds integer[], -- State of each of them as a number, plus 16 if the service refused the request, 32 if it is the tail of another slice, and 64 if it failed with an error that a later request may not meet.
  final_window datemultirange, -- Days that final slices cover; null if there are none.
  final_as_of date -- Newest day on which one of the final slices was planned.
);
CREATE INDEX slice_past_scope ON ops.slice_past USING btree (scope_hash, dataset);

-- One row per slice: partition, window, state and cost. What did this slice cost? Which slices of an app are waiting, and for what?
create view ops.slice_status (
  slice_id bigint, -- Number of the slice.
  dataset text, -- Dataset.
  operation text, -- Operation of the API for the slice.
  store text, -- ios or android; null if the dataset is about the account.
  track_id text, -- Track id of the app; null if the dataset is not about an app.
  country_code text, -- Country; null if the dataset does not distinguish countries.
  device_code text, -- Device; null if the dataset does not distinguish devices.
  scope jsonb, -- Partition of the slice, with all its parts.
  item_count integer, -- Number of requested keywords or ids; 0 if the scope identifies the partition.
  first_day date, -- First requested day.
  last_day date, -- Last requested day.
  class text, -- Class for which credits are held for it.
  state text, -- pending, running, deferred (waits for credits, a budget or the API), loaded, empty, skipped (unavailable) or failed.
  attempt integer, -- Number of starts.
  failure_count integer, -- Attempts that failed.
  planned_request_count integer, -- Expected number of requests.
  planned_credits integer, -- Expected credits.
  request_count bigint, -- Requests that were sent for it.
  booked_credits bigint, -- Credits that were charged for it.
  rows_loaded integer, -- Rows of its answer.
  rows_rejected integer, -- Invalid items of its answer; they are in ops.reject.
  due_at timestamp with time zone, -- Earliest next start; null when it may start immediately or has ended for good. For a failed slice: when it is requested again, by a worker or the first sync after this time.
  error_code text, -- Stable code of the last error.
  error_message text, -- Text of the last error, including what to do next.
  run_id bigint, -- Run that it belongs to.
  plan_id bigint, -- Plan that it belongs to; null when it belongs to none.
  created_at timestamp with time zone, -- When it was planned.
  started_at timestamp with time zone, -- When its last attempt started.
  ended_at timestamp with time zone, -- When it ended.
  effective_state text -- Its state, or superseded if newer slices have fetched or will fetch all of its cells, or stale if a cell of its answer is due again.
) as
 SELECT s.slice_id,
    s.dataset,
    s.operation,
    s.scope ->> 'store'::text AS store,
    s.scope ->> 'app'::text AS track_id,
    s.scope ->> 'country'::text AS country_code,
    s.scope ->> 'device'::text AS device_code,
    s.scope,
    COALESCE(cardinality(b.items), 0) AS item_count,
    s.window_start AS first_day,
    s.window_end - 1 AS last_day,
    s.class,
    s.state,
    s.attempt,
    s.failures AS failure_count,
    s.planned_requests AS planned_request_count,
    s.planned_credits,
    (( SELECT count(*) AS count
           FROM ops.request r
          WHERE r.slice_id = s.slice_id)) + COALESCE(( SELECT p.request_count
           FROM ops.past_slice_spend p
          WHERE p.slice_id = s.slice_id), 0) AS request_count,
    (( SELECT COALESCE(sum(r.cost), 0::bigint) AS "coalesce"
           FROM ops.request r
          WHERE r.slice_id = s.slice_id)) + COALESCE(( SELECT p.cost
           FROM ops.past_slice_spend p
          WHERE p.slice_id = s.slice_id), 0::bigint) AS booked_credits,
    s.rows_loaded,
    s.rows_rejected,
    s.due_at,
    s.error_code,
    s.error_message,
    s.run_id,
    s.plan_id,
    s.created_at,
    s.started_at,
    s.ended_at,
        CASE
            WHEN s.state <> ALL (ARRAY['loaded'::text, 'empty'::text, 'failed'::text]) THEN s.state
            ELSE ( SELECT
                    CASE
                        WHEN count(*) = 0 THEN 'superseded'::text
                        WHEN s.state <> 'failed'::text AND bool_or(
                        CASE f.kind
                            WHEN 'series'::text THEN c.date_day >= f.final_before AND c.date_day >= f.request_from AND c.date_day < f.request_before
                            WHEN 'period'::text THEN f.window_end > f.final_before AND f.window_end > f.request_from AND f.window_end <= f.request_before
                            ELSE f.final_before = '-infinity'::date
                        END) THEN 'stale'::text
                        ELSE s.state
                    END AS state
               FROM ops.slice_finality f
                 CROSS JOIN LATERAL ( SELECT i.item,
                        d.date_day::date AS date_day
                       FROM unnest(COALESCE(b.items, ARRAY[''::text])) i(item)
                         CROSS JOIN generate_series(s.window_start::timestamp without time zone, (s.window_end - 1)::timestamp without time zone, '1 day'::interval) d(date_day)
                    EXCEPT
                     SELECT i.item,
                        d.date_day::date AS date_day
                       FROM ( SELECT y.slice_id,
                                y.dataset,
                                y.operation,
                                y.scope,
                                y.batch_id,
                                y.window_start,
                                y.window_end,
                                y.requested_end,
                                y.tail_of,
                                y.as_of,
                                y.fingerprint,
                                y.class,
                                y.state,
                                y.planned_requests,
                                y.planned_credits,
                                y.run_id,
                                y.plan_id,
                                y.queue_id,
                                y.turn,
                                y.worker_id,
                                y.attempt,
                                y.read_from_attempt,
                                y.failures,
                                y.later_tries,
                                y.broken_off_count,
                                y.broken_off_alone_count,
                                y.due_at,
                                y.retried_at,
                                y.error_code,
                                y.error_message,
                                y.rows_loaded,
                                y.rows_rejected,
                                y.answer_digest,
                                y.is_folded,
                                y.created_at,
                                y.started_at,
                                y.ended_at
                               FROM ops.slice y
                              WHERE hashtextextended(y.scope::text, 0::bigint) = hashtextextended(s.scope::text, 0::bigint) AND y.window_end > s.window_start AND y.window_start <
                                    CASE
WHEN s.class = 'snapshot'::text THEN 'infinity'::date
ELSE s.window_end
                                    END
                             OFFSET 0) n
                         LEFT JOIN ops.batch nb ON nb.batch_id = n.batch_id
                         CROSS JOIN LATERAL unnest(COALESCE(nb.items, ARRAY[''::text])) i(item)
                         CROSS JOIN LATERAL generate_series(
                            CASE
                                WHEN s.class = 'snapshot'::text THEN s.window_start
                                ELSE GREATEST(n.window_start, s.window_start)
                            END::timestamp without time zone, (
                            CASE
                                WHEN s.class = 'snapshot'::text THEN s.window_end
                                ELSE LEAST(n.window_end, s.window_end)
                            END - 1)::timestamp without time zone, '1 day'::interval) d(date_day)
                      WHERE n.slice_id > s.slice_id AND n.dataset = s.dataset AND n.scope = s.scope AND (n.state <> ALL (ARRAY['failed'::text, 'skipped'::text, 'lost'::text]))) c
              WHERE f.slice_id = s.slice_id)
        END AS effective_state
   FROM ops.slice_log s
     LEFT JOIN ops.batch b ON b.batch_id = s.batch_id;

-- One row per dataset, app, country, device, kind of figure and day for which downloads, estimated or reported by the store, were requested and have no answer yet. For which days do we have the downloads of some devices only?
create view ops.unanswered_download_daily (
  dataset text, -- download_revenue: estimates; sales_metric: figures reported by the store.
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country; null if the request named none, so that it is about all countries.
  device_code text, -- Device; null if the request named none.
  context text, -- Kind of figure of sales_metric: DOWNLOAD, REVENUE_TOTAL or PAGE_VIEW; null for estimates.
  date_day date -- The day.
) as
 SELECT s.dataset,
    s.scope ->> 'store'::text AS store,
    s.scope ->> 'app'::text AS track_id,
    s.scope ->> 'country'::text AS country_code,
    s.scope ->> 'device'::text AS device_code,
    s.scope ->> 'context'::text AS context,
    d.date_day
   FROM ops.slice s
     JOIN core.dim_date d ON d.date_day >= s.window_start AND d.date_day < s.window_end
  WHERE (s.dataset = ANY (ARRAY['download_revenue'::text, 'sales_metric'::text])) AND (s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text, 'failed'::text])) AND NOT (EXISTS ( SELECT
           FROM ops.slice n
          WHERE hashtextextended(n.scope::text, 0::bigint) = hashtextextended(s.scope::text, 0::bigint) AND n.window_end > d.date_day AND n.window_start <= d.date_day AND n.dataset = s.dataset AND n.scope = s.scope AND ops.is_answer(n.state, n.error_code)))
  GROUP BY s.dataset, (s.scope ->> 'store'::text), (s.scope ->> 'app'::text), (s.scope ->> 'country'::text), (s.scope ->> 'device'::text), (s.scope ->> 'context'::text), d.date_day;

-- One row per app, country, day and keyword whose rank was requested and has no answer: it is pending, running, deferred or failed, or unavailable while other keywords of the day have an answer. While a backfill waits, choose a few weeks only. Which keywords are missing?
create view ops.unanswered_keyword (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  date_day date, -- The day.
  keyword text -- The keyword.
) as
 SELECT o.store,
    o.track_id,
    o.country_code,
    o.date_day,
    i.item AS keyword
   FROM ( SELECT w.store,
            w.track_id,
            w.country_code,
            w.scope,
            w.batch_id,
            d.date_day,
            bool_and(w.is_unavailable) AS is_unavailable,
            ARRAY( SELECT f.keyword_key
                   FROM core.fact_keyword_rank f
                  WHERE f.app_key = w.app_key AND f.date_day = d.date_day AND f.country_key = w.country_key) AS answered
           FROM ops.unanswered_rank_slice w
             CROSS JOIN LATERAL ( SELECT g.g::date AS date_day
                   FROM generate_series(w.window_start::timestamp without time zone, (w.window_end - 1)::timestamp without time zone, '1 day'::interval) g(g)) d
          WHERE NOT (EXISTS ( SELECT
                   FROM ops.dropped_month m
                  WHERE m.table_name = 'core.fact_keyword_rank'::text AND m.is_done AND m.dropped_at >= w.ended_at AND m.month_start = date_trunc('month'::text, d.date_day::timestamp without time zone)::date))
          GROUP BY w.store, w.track_id, w.country_code, w.scope, w.batch_id, w.app_key, w.country_key, d.date_day) o
     JOIN ops.batch b ON b.batch_id = o.batch_id
     CROSS JOIN LATERAL unnest(b.items) i(item)
     LEFT JOIN core.dim_keyword k ON k.keyword = i.item
  WHERE (k.keyword_key = ANY (o.answered)) IS NOT TRUE AND (NOT o.is_unavailable OR cardinality(o.answered) > 0) AND NOT ((o.scope, i.item) IN ( SELECT r.scope,
            r.keyword
           FROM ops.refused_keyword r))
  GROUP BY o.store, o.track_id, o.country_code, o.date_day, i.item;

-- One row per app, country and day with keywords whose ranks were requested and have no answer: their number. Which days of ranks are incomplete? How many keywords are missing?
create view ops.unanswered_keyword_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  date_day date, -- The day.
  keyword_count bigint -- Keywords that are pending, running, deferred or failed, or unavailable (404 or an empty answer) while other keywords of the day have an answer.
) as
 SELECT s.store,
    s.track_id,
    s.country_code,
    d.date_day,
    c.keyword_count
   FROM ( SELECT w.store,
            w.track_id,
            w.country_code,
            w.scope,
            max(w.app_key) AS app_key,
            max(w.country_key) AS country_key,
            min(w.window_start) AS first_day,
            max(w.window_end) AS end_day,
            array_agg(w.batch_id) AS batch_ids,
            array_agg(w.window_start) AS starts,
            array_agg(w.window_end) AS ends,
            array_agg(w.ended_at) AS ended,
            array_agg(w.is_unavailable) AS unavailable
           FROM ops.unanswered_rank_slice w
          GROUP BY w.store, w.track_id, w.country_code, w.scope) s
     CROSS JOIN LATERAL ( SELECT (s.scope IN ( SELECT r.scope
                   FROM ops.refused_keyword r)) AS has_refused,
            ( SELECT bool_or(o.is_twice) AS bool_or
                   FROM ( SELECT u.window_end > lead(u.window_start) OVER (PARTITION BY u.batch_id ORDER BY u.window_start, u.window_end) AS is_twice
                           FROM UNNEST(s.batch_ids, s.starts, s.ends) u(batch_id, window_start, window_end)) o) OR (EXISTS ( SELECT
                   FROM ( SELECT DISTINCT u.batch_id
                           FROM unnest(s.batch_ids) u(batch_id)) q
                     JOIN ops.batch b ON b.batch_id = q.batch_id
                     CROSS JOIN LATERAL unnest(b.items) i(item)
                  GROUP BY i.item
                 HAVING count(*) > 1)) AS is_shared,
            COALESCE(( SELECT range_agg(daterange(f.date_day, f.date_day + 1)) AS range_agg
                   FROM core.fact_keyword_rank_summary f
                  WHERE f.app_key = s.app_key AND f.country_key = s.country_key AND f.date_day >= s.first_day AND f.date_day < s.end_day), '{}'::datemultirange) AS answered_days
         OFFSET 0) x
     CROSS JOIN LATERAL ( SELECT g.date_day,
            sum(t.item_count)::bigint AS item_count,
            range_agg(t.keyword_keys) AS keyword_keys,
            sum(t.unnamed_count)::bigint AS unnamed_count
           FROM ( SELECT u.window_start,
                    u.window_end,
                    u.ended_at,
                    u.is_unavailable,
                    sum(n.item_count) AS item_count,
                    range_agg(n.keyword_keys) AS keyword_keys,
                    sum(n.unnamed_count) AS unnamed_count
                   FROM UNNEST(s.batch_ids, s.starts, s.ends, s.ended, s.unavailable) u(batch_id, window_start, window_end, ended_at, is_unavailable)
                     JOIN ops.batch b ON b.batch_id = u.batch_id
                     CROSS JOIN LATERAL ( SELECT count(*) AS item_count,
                            COALESCE(range_agg(int4range(k.keyword_key, k.keyword_key + 1)) FILTER (WHERE k.keyword_key IS NOT NULL), '{}'::int4multirange) AS keyword_keys,
                            count(*) FILTER (WHERE k.keyword_key IS NULL) AS unnamed_count
                           FROM unnest(b.items) i(item)
                             LEFT JOIN core.dim_keyword k ON k.keyword = i.item
                          WHERE (x.is_shared OR x.has_refused OR x.answered_days && datemultirange(daterange(u.window_start, u.window_end))) AND NOT ((s.scope, i.item) IN ( SELECT r.scope,
                                    r.keyword
                                   FROM ops.refused_keyword r))
                         HAVING x.is_shared OR x.has_refused OR x.answered_days && datemultirange(daterange(u.window_start, u.window_end))
                        UNION ALL
                         SELECT cardinality(b.items) AS cardinality,
                            '{}'::int4multirange,
                            0
                          WHERE (x.is_shared OR x.has_refused OR x.answered_days && datemultirange(daterange(u.window_start, u.window_end))) IS NOT TRUE) n
                  GROUP BY u.window_start, u.window_end, u.ended_at, u.is_unavailable) t
             CROSS JOIN LATERAL ( SELECT n.n::date AS date_day
                   FROM generate_series(t.window_start::timestamp without time zone, (t.window_end - 1)::timestamp without time zone, '1 day'::interval) n(n)) g
          WHERE (NOT t.is_unavailable OR x.answered_days @> g.date_day) AND (t.ended_at IS NULL OR NOT (EXISTS ( SELECT
                   FROM ops.dropped_month m
                  WHERE m.table_name = 'core.fact_keyword_rank'::text AND m.is_done AND m.dropped_at >= t.ended_at AND m.month_start = date_trunc('month'::text, g.date_day::timestamp without time zone)::date)))
          GROUP BY g.date_day) d
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (x.is_shared OR x.answered_days @> d.date_day) IS NOT TRUE THEN d.item_count
                    ELSE (( SELECT COALESCE(sum(upper(r.span) - lower(r.span)), 0::bigint) AS "coalesce"
                       FROM unnest(d.keyword_keys) r(span))) - (( SELECT count(DISTINCT n.keyword_key) AS count
                       FROM core.fact_keyword_rank n
                      WHERE n.app_key = s.app_key AND n.date_day = d.date_day AND n.country_key = s.country_key AND n.keyword_key <@ d.keyword_keys)) +
                    CASE
                        WHEN d.unnamed_count = 0 OR x.is_shared IS NOT TRUE THEN d.unnamed_count
                        ELSE ( SELECT count(DISTINCT i.item) AS count
                           FROM UNNEST(s.batch_ids, s.starts, s.ends, s.ended, s.unavailable) u(batch_id, window_start, window_end, ended_at, is_unavailable)
                             JOIN ops.batch b ON b.batch_id = u.batch_id
                             CROSS JOIN LATERAL unnest(b.items) i(item)
                          WHERE u.window_start <= d.date_day AND u.window_end > d.date_day AND (NOT u.is_unavailable OR x.answered_days @> d.date_day) AND (u.ended_at IS NULL OR NOT (EXISTS ( SELECT
                                   FROM ops.dropped_month m
                                  WHERE m.table_name = 'core.fact_keyword_rank'::text AND m.is_done AND m.dropped_at >= u.ended_at AND m.month_start = date_trunc('month'::text, d.date_day::timestamp without time zone)::date))) AND NOT (EXISTS ( SELECT
                                   FROM core.dim_keyword k
                                  WHERE k.keyword = i.item)) AND NOT ((s.scope, i.item) IN ( SELECT r.scope,
                                    r.keyword
                                   FROM ops.refused_keyword r)))
                    END
                END AS keyword_count
         OFFSET 0) c
  WHERE c.keyword_count > 0;

-- One row per slice of ranks that is pending, running, deferred, failed, or (apart from history) unavailable while other keywords of its days have an answer, without a newer answer of the same list; with the keys of its app and country. Which requests for ranks have no answer?
create view ops.unanswered_rank_slice (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  window_start date, -- First requested day.
  window_end date, -- Day after the last requested day.
  batch_id bigint, -- List of the requested keywords.
  scope jsonb, -- Partition of the slice.
  app_key integer, -- The app.
  country_key smallint, -- The country.
  ended_at timestamp with time zone, -- When it failed or was unavailable; null if it waits for its first answer.
  is_unavailable boolean -- True if the service has no data for it (404 or an empty answer).
) as
 SELECT s.scope ->> 'store'::text AS store,
    s.scope ->> 'app'::text AS track_id,
    s.scope ->> 'country'::text AS country_code,
    s.window_start,
    s.window_end,
    s.batch_id,
    s.scope,
    a.app_key,
    c.country_key,
    s.ended_at,
    false AS is_unavailable
   FROM ops.slice s
     LEFT JOIN core.dim_app a ON a.store = (s.scope ->> 'store'::text) AND a.track_id = (s.scope ->> 'app'::text)
     LEFT JOIN core.dim_country c ON c.country_code = (s.scope ->> 'country'::text)
  WHERE s.dataset = 'keyword_rank'::text AND (s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text, 'failed'::text])) AND NOT (s.state = 'failed'::text AND (EXISTS ( SELECT
           FROM ops.slice n
          WHERE hashtextextended(n.scope::text, 0::bigint) = hashtextextended(s.scope::text, 0::bigint) AND n.window_end >= s.window_end AND n.window_start <= s.window_start AND n.dataset = s.dataset AND n.scope = s.scope AND n.batch_id = s.batch_id AND n.slice_id > s.slice_id AND (n.state = ANY (ARRAY['loaded'::text, 'empty'::text])))))
UNION ALL
 SELECT s.scope ->> 'store'::text AS store,
    s.scope ->> 'app'::text AS track_id,
    s.scope ->> 'country'::text AS country_code,
    s.window_start,
    s.window_end,
    s.batch_id,
    s.scope,
    a.app_key,
    c.country_key,
    s.ended_at,
    true AS is_unavailable
   FROM ops.slice s
     CROSS JOIN LATERAL ( SELECT n.app_key
           FROM core.dim_app n
          WHERE n.store = (s.scope ->> 'store'::text) AND n.track_id = (s.scope ->> 'app'::text)
         OFFSET 0) a
     JOIN core.dim_country c ON c.country_code = (s.scope ->> 'country'::text)
  WHERE s.dataset = 'keyword_rank'::text AND s.class <> 'history'::text AND (s.state = ANY (ARRAY['empty'::text, 'skipped'::text])) AND (s.state = 'empty'::text OR s.error_code = 'not_found'::text) AND (EXISTS ( SELECT
           FROM core.fact_keyword_rank_summary f
          WHERE f.app_key = a.app_key AND f.country_key = c.country_key AND f.date_day >= s.window_start AND f.date_day < s.window_end AND f.has_rows)) AND NOT (EXISTS ( SELECT
           FROM ops.slice n
          WHERE hashtextextended(n.scope::text, 0::bigint) = hashtextextended(s.scope::text, 0::bigint) AND n.window_end >= s.window_end AND n.window_start <= s.window_start AND n.dataset = s.dataset AND n.scope = s.scope AND n.batch_id = s.batch_id AND n.slice_id > s.slice_id AND (n.state = ANY (ARRAY['loaded'::text, 'empty'::text]))));

-- One row per app, country and day whose visibility score was requested and has no answer: not yet, or never if it can no longer be requested. Which days of visibility are incomplete? Whose scores are missing?
create view ops.unanswered_visibility_daily (
  store text, -- ios or android.
  track_id text, -- Track id of the app in its store.
  country_code text, -- Country, ISO 3166-1 alpha-2.
  date_day date -- The day.
) as
 SELECT s.scope ->> 'store'::text AS store,
    split_part(i.item, ':'::text, 2) AS track_id,
    split_part(i.item, ':'::text, 1) AS country_code,
    d.date_day
   FROM ops.slice s
     JOIN ops.batch b ON b.batch_id = s.batch_id
     CROSS JOIN LATERAL unnest(b.items) i(item)
     JOIN core.dim_date d ON d.date_day >= s.window_start AND d.date_day < s.window_end
  WHERE s.dataset = 'visibility'::text AND (s.state = ANY (ARRAY['pending'::text, 'running'::text, 'deferred'::text, 'failed'::text, 'lost'::text])) AND NOT (EXISTS ( SELECT
           FROM core.dim_app a
             JOIN core.dim_country c ON c.country_code = split_part(i.item, ':'::text, 1)
             JOIN core.fact_visibility f ON f.app_key = a.app_key AND f.date_day = d.date_day AND f.country_key = c.country_key
          WHERE a.store = (s.scope ->> 'store'::text) AND a.track_id = split_part(i.item, ':'::text, 2))) AND NOT (EXISTS ( SELECT
           FROM ops.slice n
             JOIN ops.batch o ON o.batch_id = n.batch_id
          WHERE hashtextextended(n.scope::text, 0::bigint) = hashtextextended(s.scope::text, 0::bigint) AND n.window_end > d.date_day AND n.window_start <= d.date_day AND n.dataset = s.dataset AND n.scope = s.scope AND n.slice_id > s.slice_id AND (n.state = ANY (ARRAY['loaded'::text, 'empty'::text, 'skipped'::text])) AND (i.item = ANY (o.items))))
  GROUP BY (s.scope ->> 'store'::text), (split_part(i.item, ':'::text, 2)), (split_part(i.item, ':'::text, 1)), d.date_day;

-- One row per sync that ended before it had requested everything that it planned. It has no row once runs of its account that began later, or syncs that ended later, have planned each of its datasets that is on, for at least the same days. Slices that had not begun were cancelled, so no slice shows what is missing. Which syncs have to be run again?
create view ops.unfinished_sync (
  run_id bigint, -- Number of the run.
  account text, -- Account that its requests are charged to; empty for that of API_TOKEN. It is the account of its slices too.
  ended_as text -- interrupted (stopped or killed), aborted (by an error that concerns everything), or limited (by its credit limit or the agreed price).
) as
 WITH run AS MATERIALIZED (
         SELECT r_1.run_id,
            r_1.account,
            r_1.datasets,
            r_1.days,
            r_1.kind,
            r_1.ended_at,
                CASE
                    WHEN r_1.kind <> 'sync'::text THEN NULL::text
                    WHEN r_1.outcome = ANY (ARRAY['interrupted'::text, 'aborted'::text]) THEN r_1.outcome
                    WHEN r_1.outcome = 'deferred'::text AND r_1.max_credits IS NOT NULL THEN 'limited'::text
                    WHEN r_1.outcome IS NULL AND NOT (EXISTS ( SELECT
                       FROM ops.worker_status w
                      WHERE w.worker_id = r_1.worker_id AND w.is_running)) THEN 'interrupted'::text
                    ELSE NULL::text
                END AS ended_as
           FROM ops.run r_1
          WHERE r_1.kind = ANY (ARRAY['sync'::text, 'schedule'::text])
        ), planned AS MATERIALIZED (
         SELECT run.account,
            dataset.dataset,
            run.days,
            max(run.run_id) AS run_id,
            max(run.ended_at) FILTER (WHERE run.kind = 'sync'::text) AS ended_at
           FROM run,
            LATERAL unnest(run.datasets) dataset(dataset)
          WHERE run.ended_as IS NULL
          GROUP BY run.account, dataset.dataset, run.days
        )
 SELECT run_id,
    account,
    ended_as
   FROM run r
  WHERE ended_as IS NOT NULL AND (EXISTS ( SELECT
           FROM unnest(r.datasets) d(dataset)
          WHERE NOT (EXISTS ( SELECT
                   FROM planned p
                  WHERE p.account = r.account AND p.dataset = d.dataset AND (p.run_id > r.run_id OR p.ended_at > r.ended_at) AND (p.days IS NULL OR p.days @> r.days))) AND NOT (EXISTS ( SELECT
                   FROM ops.dataset o
                  WHERE o.dataset = d.dataset AND NOT o.is_on))));

-- Accounts whose lists were read once but, as of the last planning, no longer are: portfolio.source is config, or the account is no longer in the configuration. Rows of core.tracked_* stay as they were last read and have no effect.
create table ops.unread_account (
  account text not null, -- Name of the account; empty for that of API_TOKEN.
  unread_since date, -- First day on which a planning found that its lists are no longer read; null if they are read again.
  constraint unread_account_pkey PRIMARY KEY (account)
);

-- One row with which the workers take turns: earliest time of the next message to the webhook, and time of the last ping.
create table ops.watch (
  is_only boolean not null default true, -- Always true, so that the table has one row.
  notify_after timestamp with time zone, -- Earliest time of the next message to the webhook: another worker sends one now, or the webhook did not accept the last one.
  pinged_at timestamp with time zone, -- When a worker last requested NOTIFY_PING_URL.
  notify_failures integer not null default 0, -- Messages in a row that the webhook did not accept. The wait grows with their number.
  constraint watch_pkey PRIMARY KEY (is_only),
  constraint watch_is_only_check CHECK (is_only)
);

-- Checks for problems of the warehouse and of each account, with which the workers take turns. Only the workers of an account check that account.
create table ops.watch_check (
  account_id text not null, -- Account, as the shortened hash of its key; empty for the warehouse.
  checked_at timestamp with time zone not null, -- When a worker last started a check.
  full_check_at timestamp with time zone not null, -- When a worker last checked for every kind of problem. Without new requests this happens every ten minutes.
  constraint watch_check_pkey PRIMARY KEY (account_id)
);

-- Processes that send requests to the API. A running process holds an advisory lock on its id and updates its heartbeat every few seconds.
create table ops.worker (
  worker_id bigint not null generated always as identity, -- Number of the process.
  kind text not null, -- foreground (sync, backfill and retry: runs its own slices), worker (runs the shared queue), command (sends the requests of one command) or gateway (sends those of its callers).
  host text not null, -- Machine.
  pid integer not null, -- Process id on that machine.
  session_name text not null default ''::text, -- Name of its sessions in pg_stat_activity. When its lease has expired, another process ends those sessions.
  started_at timestamp with time zone not null, -- When it registered, by the clock of the database.
  heartbeat_at timestamp with time zone not null, -- Time of its last heartbeat, by the clock of the database.
  stopped_at timestamp with time zone, -- When it stopped, or when its lease expired. Its slices, credits and jobs are then released, and a process that still runs has to register again.
  ended_as text, -- How it ended: stopped, died, or the code of the error that ended it. waiting means that its process waits until the API accepts the account again, or was killed while it waited: its last heartbeat is then old. Null while it runs.
  job_pool text, -- Name under which it locks jobs of the queue; null for a process that runs none.
  schedule_digest text, -- Digest of the crontab and of the settings that decide what it plans; null for a process without a schedule.
  account text not null default ''::text, -- Account that it works with; empty for that of API_TOKEN.
  constraint worker_pkey PRIMARY KEY (worker_id)
);

-- One row per process that sends requests to the API. Which workers run now, and since when?
create view ops.worker_status (
  worker_id bigint, -- Number of the process.
  kind text, -- foreground (sync, backfill and retry: runs its own slices), worker (runs the shared queue), command (sends the requests of one command) or gateway (sends those of its callers).
  account text, -- Account that it works with; empty for that of API_TOKEN.
  host text, -- Machine.
  pid integer, -- Process id on that machine.
  started_at timestamp with time zone, -- When it registered, by the clock of the database.
  heartbeat_at timestamp with time zone, -- Time of its last heartbeat, by the clock of the database.
  stopped_at timestamp with time zone, -- When it stopped, or when its lease expired. Its slices, credits and jobs are then released, and a process that still runs has to register again.
  ended_as text, -- How it ended: stopped, died, or the code of the error that ended it. waiting means that its process waits until the API accepts the account again, or was killed while it waited: its last heartbeat is then old. Null while it runs.
  is_running boolean -- True while it holds the advisory lock on its number; a frozen process still holds it.
) as
 SELECT worker_id,
    kind,
    account,
    host,
    pid,
    started_at,
    heartbeat_at,
    stopped_at,
    ended_as,
    stopped_at IS NULL AND (EXISTS ( SELECT
           FROM pg_locks l
          WHERE l.locktype = 'advisory'::text AND l.granted AND l.database = (( SELECT pg_database.oid
                   FROM pg_database
                  WHERE pg_database.datname = current_database())) AND l.classid = '01010011010101000100111101010010'::"bit"::integer::oid AND l.objid = w.worker_id::oid AND l.objsubid = 2)) AS is_running
   FROM ops.worker w;

-- Bodies of answers, committed before they are read, so that no paid answer is lost.
create table raw.answer (
  answer_id bigint not null generated always as identity, -- Number of the answer.
  request_id bigint not null, -- Request that it answers.
  slice_id bigint, -- Slice that it was fetched for; null for an answer to a gateway caller from which no table was made.
  attempt integer not null, -- Attempt of the slice.
  page integer not null, -- Page within the attempt, from 0.
  operation text not null, -- Operation of the API.
  body bytea storage external not null, -- Body, compressed with zstd by the program. Postgres stores it without compressing it again.
  byte_count integer not null, -- Bytes of the body, unpacked.
  fetched_at timestamp with time zone not null, -- When the last byte was received.
  call_hash bytea, -- Hash of the call, equal for equal calls, by which the gateway finds an answer. Half of a SHA-256.
  is_unreadable boolean not null default false, -- True if its attempt ended with an error that this page may have caused: then the page does not count as paid for in the price of its slice.
  constraint answer_pkey PRIMARY KEY (answer_id)
);
CREATE INDEX answer_call_hash ON raw.answer USING btree (call_hash, fetched_at);
CREATE INDEX answer_slice ON raw.answer USING btree (slice_id, attempt, page);
CREATE INDEX answer_unread ON raw.answer USING btree (fetched_at) WHERE (slice_id IS NULL);

-- An amount in the reporting currency, by the newest rate of core.reporting_rate on or before the day, less than 31 days old; null if there is none. An amount that is already in the reporting currency stays as it is.
CREATE OR REPLACE FUNCTION core.in_reporting_currency(amount numeric, currency text, day date)
 RETURNS numeric
 LANGUAGE sql
 STABLE
RETURN (amount * CASE WHEN (EXISTS (SELECT FROM core.reporting_currency o WHERE (o.currency = in_reporting_currency.currency))) THEN (1)::numeric ELSE (SELECT r.rate FROM core.reporting_rate r WHERE ((r.currency = in_reporting_currency.currency) AND (r.date_day <= in_reporting_currency.day) AND (r.date_day > (in_reporting_currency.day - 31))) ORDER BY r.date_day DESC LIMIT 1) END);

-- Adds a foreign key to the dimension for each key column of a table (app_key, country_key, date_day ...), so that BI tools can join. The loader takes every key of a fact from its dimension, so Postgres 18 and later record the keys of facts without checking each row again; older versions check them.
CREATE OR REPLACE FUNCTION ops.add_foreign_keys(relation regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  clause text := case when starts_with(relation::text, 'core.fact_') and current_setting('server_version_num')::integer >= 180000 then 'not enforced' else '' end;
  link   record;
begin
  for link in
    select a.attname as column_name, d.dimension, d.key
    from   (values ('app_key', 'core.dim_app', 'app_key'), ('country_key', 'core.dim_country', 'country_key'),
                   ('keyword_key', 'core.dim_keyword', 'keyword_key'), ('device_key', 'core.dim_device', 'device_key'),
                   ('date_day', 'core.dim_date', 'date_day'), ('period_start', 'core.dim_date', 'date_day'),
                   ('period_end', 'core.dim_date', 'date_day')) as d (suffix, dimension, key)
    join   pg_catalog.pg_attribute as a on a.attrelid = relation and a.attnum > 0 and a.attname ~ ('(^|_)' || d.suffix || '$')
    order  by a.attnum
  loop
    execute format('alter table %s add foreign key (%I) references %s (%I) %s', relation, link.column_name, link.dimension, link.key, clause);
  end loop;
end
$function$;

-- Comments each column of a table or view that has no comment yet: with the comment of the column of the same name in the model, if one is given, else with the comment that the column has in every table.
CREATE OR REPLACE FUNCTION ops.comment_columns(relation regclass, model regclass DEFAULT NULL::regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  missing record;
begin
  for missing in
    select a.attname as column_name, coalesce(m.comment, s.comment) as comment
    from   pg_catalog.pg_attribute as a
    left   join (
      select b.attname, pg_catalog.col_description(b.attrelid, b.attnum) as comment
      from   pg_catalog.pg_attribute as b
      where  b.attrelid = model and b.attnum > 0) as m on m.attname = a.attname
    left   join (values
      ('account',        'Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.'),
      ('store',          'ios or android.'),
      ('track_id',       'Track id of the app in its store.'),
      ('app_key',        'The app.'),
      ('app_name',       'Name of the app.'),
      ('country_key',    'The country.'),
      ('country_code',   'Country, ISO 3166-1 alpha-2.'),
      ('country_name',   'Name of the country.'),
      ('keyword_key',    'The keyword.'),
      ('keyword',        'The keyword.'),
      ('keyword_groups', 'Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.'),
      ('app_groups',     'Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.'),
      ('device_key',     'The device; 0 on Android.'),
      ('device_code',    'IPHONE, IPAD, or ALL on Android.'),
      ('date_day',       'The day.'),
      ('valid_from',     'First day on which these values were seen.'),
      ('valid_to',       'First day on which other values were seen; null while these are current.'),
      ('is_current',     'True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.'),
      ('developer_id',   'Id of the developer in the store.'),
      ('developer_name', 'Name of the developer.'),
      ('icon_url',       'Address of the icon.'),
      ('category_name',  'Name of the category.'),
      ('org_id',         'Search-ads organisation.'),
      ('org_name',       'Name of the organisation.'),
      ('campaign_name',  'Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.'),
      ('ad_group_name',  'Name of the ad group as reported with the row. A renamed ad group has several names, so group by its id.'),
      ('dataset',        'Dataset.'),
      ('operation',      'Operation of the API.'),
      ('extra',          'Fields of the answer that have no column of their own; null when there are none.'),
      ('slice_id',       'Slice that wrote the row.'),
      ('fetched_at',     'When the answer was received.')
    ) as s (column_name, comment) on s.column_name = a.attname
    where  a.attrelid = relation and a.attnum > 0 and pg_catalog.col_description(a.attrelid, a.attnum) is null
    and    coalesce(m.comment, s.comment) is not null
  loop
    execute format('comment on column %s.%I is %L', relation, missing.column_name, missing.comment);
  end loop;
end
$function$;

-- Number of days in closed ranges of days; 0 for none.
CREATE OR REPLACE FUNCTION ops.day_count(days datemultirange)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT COALESCE(sum((upper(r.span) - lower(r.span))), (0)::bigint) AS "coalesce" FROM unnest(day_count.days) r(span));

-- Day after the newest day that a dataset with this timing should have by the end of the given day; newest_start and newest_end are the bounds of its newest answer. Null if nothing is due: the snapshot is fetched only once, or there is no timing.
CREATE OR REPLACE FUNCTION ops.due_end(timing ops.dataset_timing, newest_start date, newest_end date, today date)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE (timing).kind WHEN 'snapshot'::text THEN CASE WHEN ((timing).refresh_days < 3650) THEN ((today + 2) - (timing).refresh_days) ELSE NULL::date END WHEN 'series'::text THEN (((today + 1) - (timing).settle_days) - CASE WHEN ((timing).pack_days IS NULL) THEN 0 ELSE ((((today + 1) - (timing).settle_days) - '2007-01-01'::date) % (timing).pack_days) END) WHEN 'period'::text THEN CASE WHEN ((EXTRACT(day FROM newest_start) = (1)::numeric) AND (newest_end = ((newest_start + '1 mon'::interval))::date)) THEN (date_trunc('month'::text, (((today + 1) - (timing).settle_days))::timestamp without time zone))::date ELSE COALESCE(GREATEST(newest_end, (newest_end + (((((today + 1) - (timing).settle_days) - newest_end) / (newest_end - newest_start)) * (newest_end - newest_start)))), ((today + 1) - (timing).settle_days)) END ELSE NULL::date END;

-- Deletes the rows of a partition from ops.slice_past when one of its ended slices changes.
CREATE OR REPLACE FUNCTION ops.forget_changed_slice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- a folded slice covers the same days as the slices folded into it, so the summary stays valid
  if coalesce(current_setting('storehouse.folding', true), '') = 'on' then return null; end if;
  perform pg_advisory_xact_lock_shared(hashtext('storehouse past slices'));
  -- a separate statement: its snapshot is taken after the lock was granted, so it sees what was committed meanwhile
  delete from ops.slice_past as p
  where  p.scope_hash in (hashtextextended(old.scope::text, 0), hashtextextended(new.scope::text, 0)) and p.dataset in (old.dataset, new.dataset)
  and    p.until_day > least(old.window_start, new.window_start);
  return null;
end $function$;

-- Deletes the rows of partitions from ops.slice_past when slices of theirs are added or deleted.
CREATE OR REPLACE FUNCTION ops.forget_changed_slices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'TRUNCATE' then
    delete from ops.slice_past;
  elsif coalesce(current_setting('storehouse.folding', true), '') <> 'on' and exists (select from changed) then
    perform pg_advisory_xact_lock_shared(hashtext('storehouse past slices'));
    delete from ops.slice_past as p
    using  (select hashtextextended(scope::text, 0) as scope_hash, dataset, min(window_start) as first_day from changed group by 1, 2) as c
    where  p.scope_hash = c.scope_hash and p.dataset = c.dataset and p.until_day > c.first_day;
  end if;
  return null;
end $function$;

-- Gathers the statistics of ops.slice, unless another session vacuums or alters the table. The caller needs the right to execute the function and no other.
CREATE OR REPLACE FUNCTION ops.gather_slice_statistics()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  analyze (skip_locked) ops.slice;
end
$function$;
revoke all on function ops.gather_slice_statistics() from public;

-- Keeps other sessions from storing requests of a month until the transaction ends, so that its sums stay correct. Requests of other months can be stored meanwhile.
CREATE OR REPLACE FUNCTION ops.hold_request_month(month date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  execute format('lock table parts.%I in share mode', 'request' || to_char(month, '"_"YYYY"_"MM'));
end
$function$;
revoke all on function ops.hold_request_month(date) from public;

-- True for a slice with an answer, with or without rows, also if the service does not know its app or item (404); false for a refused request (400), which says nothing of it.
CREATE OR REPLACE FUNCTION ops.is_answer(state text, error_code text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((state = ANY (ARRAY['loaded'::text, 'empty'::text])) OR ((state = 'skipped'::text) AND (NOT (error_code IS DISTINCT FROM 'not_found'::text))));

-- Creates the partition of a fact that holds a day: the partition of its month or, with by_day, that of the single day, unless the month already has partitions of the other kind. Returns the days of the partition and whether it is new. The caller only needs the right to execute the function, not the right to create tables.
CREATE OR REPLACE FUNCTION ops.make_partition(fact regclass, day date, by_day boolean DEFAULT false, OUT held daterange, OUT is_new boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  fact_name  text;
  month      date := date_trunc('month', day::timestamp)::date;
  month_leaf text;
  leaf_name  text;
begin
  select c.relname into fact_name
  from   pg_catalog.pg_partitioned_table as p
  join   pg_catalog.pg_class             as c on c.oid = p.partrelid
  join   pg_catalog.pg_attribute         as a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
  where  c.oid = fact and c.relnamespace = 'core'::regnamespace and p.partstrat = 'r' and p.partnatts = 1 and a.atttypid = 'date'::regtype;
  if fact_name is null then
    raise exception '% is no fact with partitions by day', fact using errcode = 'invalid_parameter_value';
  end if;
  if day is null or not isfinite(day) or day not between '1970-01-01' and '2199-12-31' then
    raise exception '% is no day between 1970 and 2199', coalesce(day::text, 'null') using errcode = 'invalid_parameter_value';
  end if;
  month_leaf := fact_name || to_char(month, '"_"YYYY"_"MM');
  -- two workers may want the same month at once; the second finds it there
  perform pg_advisory_xact_lock(hashtext('storehouse partition ' || month_leaf));
  -- a month stays as it was begun: rows need not move when the setting changes
  if to_regclass(format('parts.%I', month_leaf)) is not null then
    by_day := false;
  elsif exists (select from pg_catalog.pg_class where relnamespace = 'parts'::regnamespace and relname ~ ('^' || month_leaf || '_[0-9]{2}$')) then
    by_day := true;
  end if;
  leaf_name := month_leaf || case when by_day then to_char(day, '"_"DD') else '' end;
  held := case when by_day then daterange(day, day + 1) else daterange(month, (month + interval '1 month')::date) end;
  is_new := to_regclass(format('parts.%I', leaf_name)) is null;
  if not is_new then
    return;
  end if;
  execute format('create table parts.%I (like core.%I including defaults including constraints)', leaf_name, fact_name);
  -- attaching takes a lighter lock on the parent than `create table ... partition of`, so loads beside it go on
  execute format('alter table core.%I attach partition parts.%I for values from (%L) to (%L)', fact_name, leaf_name, lower(held), upper(held));
end
$function$;
revoke all on function ops.make_partition(regclass,date,boolean) from public;

-- Creates the partitions of ops.request for the months of the given days and for those of requests that have none, and moves these requests there. Returns how many it created. The caller needs the right to execute the function and no right to create tables.
CREATE OR REPLACE FUNCTION ops.make_request_months(months date[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  month     date;
  leaf_name text;
  made      integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('storehouse partition request'));
  for month in
    select date_trunc('month', m)::date from unnest(months) as m
    union  select date_trunc('month', received_at at time zone 'UTC')::date from parts.request_other
    order  by 1
  loop
    leaf_name := 'request' || to_char(month, '"_"YYYY"_"MM');
    continue when to_regclass(format('parts.%I', leaf_name)) is not null;
    -- nothing of the month may be stored elsewhere between the move and the attaching
    lock table parts.request_other in access exclusive mode;
    execute format('create table parts.%I (like ops.request including defaults including constraints including indexes)', leaf_name);
    execute format('with moved as (delete from parts.request_other where received_at >= %1$L and received_at < %2$L returning *)
                    insert into parts.%3$I select * from moved',
                   month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC', leaf_name);
    execute format('alter table ops.request attach partition parts.%I for values from (%L) to (%L)', leaf_name,
                   month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
    made := made + 1;
  end loop;
  return made;
end
$function$;
revoke all on function ops.make_request_months(date[]) from public;

-- Drops the partitions of a month of a fact or of ops.request, or moves them to the schema archive, if ops.dropped_month has a row for it with is_done false; returns false when there are none. The caller only needs the right to execute the function, not the right to drop tables.
CREATE OR REPLACE FUNCTION ops.remove_month(fact regclass, month date, to_archive boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  schema     text;
  fact_name  text;
  month_leaf text;
  leaf_name  text;
  taken      integer;
  index_name text;
  is_gone    boolean := false;
begin
  select c.relnamespace::regnamespace, c.relname into schema, fact_name
  from   pg_catalog.pg_partitioned_table as p
  join   pg_catalog.pg_class             as c on c.oid = p.partrelid
  where  c.oid = fact and (c.relnamespace = 'core'::regnamespace or c.oid = 'ops.request'::regclass) and p.partstrat = 'r';
  if fact_name is null then
    raise exception '% is no fact with monthly partitions', fact using errcode = 'invalid_parameter_value';
  end if;
  if not exists (select from ops.dropped_month as d where d.table_name = schema || '.' || fact_name and d.month_start = month and not d.is_done) then
    raise exception 'the month % of % is not noted as one that goes', coalesce(month::text, 'null'), fact using errcode = 'invalid_parameter_value';
  end if;
  month_leaf := fact_name || to_char(month, '"_"YYYY"_"MM');
  -- a process that creates a partition of the same month waits until it is removed
  perform pg_advisory_xact_lock(hashtext('storehouse partition ' || month_leaf));
  for leaf_name in select c.relname from pg_catalog.pg_class as c
                   where  c.relnamespace = 'parts'::regnamespace and c.relkind = 'r' and c.relname ~ ('^' || month_leaf || '(_[0-9]{2})?$')
                   order  by c.relname
  loop
    is_gone := true;
    if exists (select from pg_catalog.pg_inherits as i where i.inhparent = fact and i.inhrelid = to_regclass(format('parts.%I', leaf_name))) then
      execute format('alter table %I.%I detach partition parts.%I', schema, fact_name, leaf_name);
    end if;
    if not to_archive then
      execute format('drop table parts.%I', leaf_name);
      continue;
    end if;
    -- what was detached before, loaded anew and detached again gets a number behind its name, and so do its indexes
    select count(*) into taken
    from   pg_catalog.pg_class as c
    where  c.relnamespace = 'archive'::regnamespace and c.relkind = 'r' and c.relname ~ ('^' || leaf_name || '(_copy_[0-9]+)?$');
    if taken > 0 then
      for index_name in select c.relname from pg_catalog.pg_index as i join pg_catalog.pg_class as c on c.oid = i.indexrelid
                        where i.indrelid = to_regclass(format('parts.%I', leaf_name))
      loop
        -- a name that is cut at its end would be the one that is taken
        execute format('alter index parts.%I rename to %I', index_name, left(index_name, 63 - length('_copy_' || taken + 1)) || '_copy_' || taken + 1);
      end loop;
      execute format('alter table parts.%I rename to %I', leaf_name, leaf_name || '_copy_' || taken + 1);
      leaf_name := leaf_name || '_copy_' || taken + 1;
    end if;
    execute format('alter table parts.%I set schema archive', leaf_name);
  end loop;
  return is_gone;
end
$function$;
revoke all on function ops.remove_month(regclass,date,boolean) from public;

-- Rows of a restated fact as they were at a given time, as JSON, without months that retention removed. What did we report at that time? select * from jsonb_populate_recordset(null::core.fact_search_ads_report, (select jsonb_agg(r) from ops.reported_at('core.fact_search_ads_report', now() - interval '7 days') as r)).
CREATE OR REPLACE FUNCTION ops.reported_at(reported regclass, at timestamp with time zone)
 RETURNS SETOF jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  keys text;
begin
  -- the books of former values are closed to readers, and so is every table outside core
  if not exists (select from pg_catalog.pg_class as c where c.oid = reported and c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p')) then
    raise exception '% is no table of core', reported using errcode = 'invalid_parameter_value';
  end if;
  select string_agg(format('t.%I', a.attname), ', ' order by k.place) into keys
  from   pg_catalog.pg_index as i
  cross  join lateral unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
  join   pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum
  where  i.indrelid = reported and i.indisprimary;
  return query execute format($query$
    with now as (
      select (select to_jsonb(v) from (select %1$s) as v) as row_key, to_jsonb(t) - '{slice_id,fetched_at}'::text[] as row_values, t.fetched_at
      from   %2$s as t
    ), since as (
      select r.row_key, (array_agg(r.seen_at order by r.changed_at))[1] as seen_at, jsonb_object_agg(w.name, w.value order by r.changed_at desc) as was
      from   ops.restated_value as r
      cross  join lateral jsonb_each(r.was) as w (name, value)
      where  r.table_name = %3$L and r.changed_at > $1
      -- of rows of months that retention removed since only the columns that changed are left
      and    not exists (select from ops.dropped_month as o
                         where  o.table_name = r.table_name and o.is_done and o.month_start = date_trunc('month', r.date_day::timestamp)::date
                         and    o.dropped_at >= r.changed_at)
      group  by r.row_key
    )
    select coalesce(now.row_values, since.row_key) || coalesce(since.was, '{}')
    from   now
    full   join since on since.row_key = now.row_key
    where  case when since.row_key is null then now.fetched_at <= $1 else since.seen_at <= $1 end$query$,
    keys, reported, (select n.nspname || '.' || c.relname from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where c.oid = reported))
  using at;
end
$function$;
revoke all on function ops.reported_at(regclass,timestamp with time zone) from public;

-- Stored pages of a slice, which its next attempt may read instead of requesting them again.
CREATE OR REPLACE FUNCTION ops.stored_pages(of_slice bigint)
 RETURNS integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select count(distinct a.page)::integer
  from   ops.slice  as s
  join   raw.answer as a on a.slice_id = s.slice_id and a.attempt >= s.read_from_attempt and not a.is_unreadable
  where  s.slice_id = of_slice
$function$;

-- Day that counts as today: the current day in UTC, or the session setting storehouse.today.
CREATE OR REPLACE FUNCTION ops.today()
 RETURNS date
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE((NULLIF(current_setting('storehouse.today'::text, true), ''::text))::date, ((now() AT TIME ZONE 'UTC'::text))::date);
