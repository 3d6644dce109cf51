-- The same app in both stores.

create table core.app_match (
  ios_track_id     text        not null,
  android_track_id text        not null,
  slice_id         bigint      not null,
  fetched_at       timestamptz not null,
  primary key (ios_track_id, android_track_id)
);
comment on table  core.app_match                  is 'Pairs of an iOS app and an Android app that are the same app. Ids are those of core.dim_app.track_id.';
comment on column core.app_match.ios_track_id     is 'Track id in the iOS store.';
comment on column core.app_match.android_track_id is 'Track id in the Android store.';
select ops.comment_columns('core.app_match');
