-- The competitors that the account names for its apps, and what it says of them.

create table core.tracked_competitor (
  app_key            integer not null references core.dim_app (app_key),
  competitor_app_key integer not null references core.dim_app (app_key),
  valid_from         date    not null,
  valid_to           date,
  is_current         boolean not null,
  slice_id           bigint      not null,
  fetched_at         timestamptz not null,
  primary key (app_key, competitor_app_key, valid_from)
);
create index tracked_competitor_by_competitor on core.tracked_competitor (competitor_app_key);
comment on table  core.tracked_competitor                    is 'Apps that the account names as competitors of an app that it tracks; one row a stretch of days in which one was named for the other.';
comment on column core.tracked_competitor.app_key            is 'The app that the account tracks.';
comment on column core.tracked_competitor.competitor_app_key is 'Its competitor, which need not be followed itself.';
comment on column core.tracked_competitor.valid_from         is 'First day on which it was seen as named.';
comment on column core.tracked_competitor.valid_to           is 'Day on which it was first seen as no longer named; null while it is.';
comment on column core.tracked_competitor.is_current         is 'True while it is named.';
comment on column core.tracked_competitor.slice_id           is 'Slice that wrote the row.';
comment on column core.tracked_competitor.fetched_at         is 'When the answer was received.';

comment on column core.dim_app.described_by is 'What described the app: app_history (its page in the store) stands above tracked_app (the list of the account), and that above tracked_competitor (what the list says of competitors); null until one was read.';
