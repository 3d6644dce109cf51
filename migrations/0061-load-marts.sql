-- What an analyst has to know of the load: how fresh data is and what it costs.

create view mart.data_freshness as
select f.dataset, f.store, f.track_id, coalesce(a.app_name, f.track_id) as app_name, f.country_code, f.newest_day, f.due_day, f.days_behind, f.freshness_state,
       f.last_loaded_at, f.open_count as open_slice_count
from   ops.freshness as f
left   join core.dim_app as a on a.store = f.store and a.track_id = f.track_id;
comment on view   mart.data_freshness                  is 'One row per dataset, app and country that was requested: its newest loaded day and the day that is due by the timing of the dataset. Add up open_slice_count over any rows; days are not added up. May I trust yesterday''s figures? Which apps are behind?';
comment on column mart.data_freshness.store            is 'ios or android; null where the dataset is about the account.';
comment on column mart.data_freshness.track_id         is 'Track id of the app; null where the dataset is not about an app.';
comment on column mart.data_freshness.app_name         is 'Name of the app, or its track id where no name is known; null where the dataset is not about an app.';
comment on column mart.data_freshness.country_code     is 'Country, ISO 3166-1 alpha-2; null where the dataset does not distinguish countries.';
comment on column mart.data_freshness.open_slice_count is 'Slices that wait or run.';
select ops.comment_columns('mart.data_freshness', 'ops.freshness');

create view mart.credit_spend_daily as
select date_day, dataset, operation, class as credit_class, request_count, failed_request_count, booked_credits as credit_count
from   ops.credit_spend_daily;
comment on view   mart.credit_spend_daily                      is 'One row per day (UTC), dataset, operation and class: requests that were sent (imported answers are none) and the credits charged for them. Counts may be added up over everything. What did keyword ranks cost last month? On which day was most spent?';
comment on column mart.credit_spend_daily.date_day             is 'Day of the answer, UTC.';
comment on column mart.credit_spend_daily.dataset              is 'Dataset; empty for requests of a command.';
comment on column mart.credit_spend_daily.credit_class         is 'Class in which credits were held.';
comment on column mart.credit_spend_daily.request_count        is 'Requests.';
comment on column mart.credit_spend_daily.failed_request_count is 'Requests without a valid answer.';
comment on column mart.credit_spend_daily.credit_count         is 'Credits charged.';
select ops.comment_columns('mart.credit_spend_daily');
