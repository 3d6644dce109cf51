-- What an analyst has to know of the load: how fresh data is and what it costs.

create view mart.data_freshness as
select f.dataset, f.store, f.track_id, coalesce(a.app_name, f.track_id) as app_name, f.country_code, f.newest_day, f.due_day, f.days_behind, f.freshness_state,
       f.last_loaded_at, f.open_count as open_slice_count
from   ops.freshness as f
left   join core.dim_app as a on a.store = f.store and a.track_id = f.track_id;
comment on view   mart.data_freshness                  is 'One row per requested dataset, app and country: its newest loaded day and the day that is due according to the timing of the dataset. open_slice_count may be added up across any rows; do not add up days. Can I trust yesterday''s figures? Which apps are behind?';
comment on column mart.data_freshness.store            is 'ios or android; null if the dataset is about the account.';
comment on column mart.data_freshness.track_id         is 'Track id of the app; null if the dataset is not about an app.';
comment on column mart.data_freshness.app_name         is 'Name of the app, or its track id if no name is known; null if the dataset is not about an app.';
comment on column mart.data_freshness.country_code     is 'Country, ISO 3166-1 alpha-2; null if the dataset does not distinguish countries.';
comment on column mart.data_freshness.open_slice_count is 'Number of slices that are waiting or running.';
select ops.comment_columns('mart.data_freshness', 'ops.freshness');

create view mart.credit_spend_daily as
select date_day, account, dataset, operation, class as credit_class, request_count, failed_request_count, booked_credits as credit_count
from   ops.credit_spend_daily;
comment on view   mart.credit_spend_daily                      is 'One row per day (UTC), account, dataset, operation and class: the requests that were sent (imported answers do not count) and the credits charged for them. Counts may be added up across everything. What did keyword ranks cost last month? On which day did we spend most?';
comment on column mart.credit_spend_daily.date_day             is 'Day (UTC) of the answer.';
comment on column mart.credit_spend_daily.dataset              is 'Dataset; empty for requests that a command sent for a person.';
comment on column mart.credit_spend_daily.credit_class         is 'Class for which credits were held.';
comment on column mart.credit_spend_daily.request_count        is 'Requests.';
comment on column mart.credit_spend_daily.failed_request_count is 'Requests without a valid answer.';
comment on column mart.credit_spend_daily.credit_count         is 'Credits charged.';
select ops.comment_columns('mart.credit_spend_daily');

create view mart.credit_spend_by_app_daily as
select q.date_day, q.store, q.track_id, coalesce(a.app_name, q.track_id) as app_name, q.country_code, coalesce(q.dataset, '') as dataset,
       q.class as credit_class, coalesce(c.account, '') as account, sum(q.request_count)::bigint as request_count, sum(q.cost)::bigint as credit_count
from   (select (received_at at time zone 'UTC')::date as date_day, account_id, store, track_id, country_code, dataset, class, 1 as request_count, cost
        from   ops.request
        where  account_id <> 'import'
        union  all
        select date_day, account_id, store, track_id, country_code, dataset, class, request_count, cost
        from   ops.past_spend_daily
        where  account_id <> 'import') as q
left   join core.dim_app as a on a.store = q.store and a.track_id = q.track_id
left   join ops.credit_account as c on c.account_id = q.account_id
group  by 1, 2, 3, 4, 5, 6, 7, 8;
comment on view   mart.credit_spend_by_app_daily               is 'One row per day (UTC), account, app, country, dataset and class: the requests that were sent and the credits charged for them. Counts may be added up across everything, and their totals are those of credit_spend_daily. What does each app cost per month? Which country costs most?';
comment on column mart.credit_spend_by_app_daily.date_day      is 'Day (UTC) of the answer.';
comment on column mart.credit_spend_by_app_daily.store         is 'ios or android; null for requests that are not about a store.';
comment on column mart.credit_spend_by_app_daily.track_id      is 'Track id of the app; null for requests about several apps or none, such as lists, charts and commands.';
comment on column mart.credit_spend_by_app_daily.app_name      is 'Name of the app, or its track id if no name is known; null if track_id is null.';
comment on column mart.credit_spend_by_app_daily.country_code  is 'Country, ISO 3166-1 alpha-2; null for requests about all countries or none.';
comment on column mart.credit_spend_by_app_daily.dataset       is 'Dataset; empty for requests that a command sent for a person.';
comment on column mart.credit_spend_by_app_daily.credit_class  is 'Class for which credits were held.';
comment on column mart.credit_spend_by_app_daily.request_count is 'Requests.';
comment on column mart.credit_spend_by_app_daily.credit_count  is 'Credits charged.';
select ops.comment_columns('mart.credit_spend_by_app_daily');
