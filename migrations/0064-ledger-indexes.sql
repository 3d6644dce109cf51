-- What is asked of the whole ledger: slices by state, what did not fit, credits by day.

create index slice_standing on ops.slice (dataset, state, window_end);
create index slice_rejects  on ops.slice (dataset) where rows_rejected > 0;
create index request_day    on ops.request (((received_at at time zone 'UTC')::date));
