-- What a run in the foreground paid for, without reading every request that was made since it began.

create index request_worker on ops.request (worker_id) where worker_id is not null;
