-- Who may call the gateway.

create table ops.gateway_key (
  caller     text        primary key,
  key_digest bytea       not null unique,
  made_at    timestamptz not null
);
comment on table  ops.gateway_key            is 'Keys of the callers of storehouse gateway, one for each caller. A new key replaces the previous one.';
comment on column ops.gateway_key.caller     is 'Caller, by its name in gateway.callers.';
comment on column ops.gateway_key.key_digest is 'SHA-256 of the key, which has 256 random bits; the key itself is stored nowhere.';
comment on column ops.gateway_key.made_at    is 'When the key was made. For people: no program reads it.';

create table ops.gateway_call (
  call_hash  bytea       primary key,
  worker_id  bigint      not null,
  claimed_at timestamptz not null,
  caller     text        not null default '',
  credits    integer     not null default 0
);
comment on table  ops.gateway_call            is 'Calls that a gateway has under way: another gateway waits for the answer instead of paying for an equal call.';
comment on column ops.gateway_call.call_hash  is 'Hash of the call, as in raw.answer.';
comment on column ops.gateway_call.worker_id  is 'Process that has claimed it. The claim of a process that no longer runs does not count.';
comment on column ops.gateway_call.claimed_at is 'When it was claimed.';
comment on column ops.gateway_call.caller     is 'Caller that pays for it.';
comment on column ops.gateway_call.credits    is 'Credits that it is expected to take: until it is answered, other gateways count them against the daily credits of its caller.';

create table ops.gateway_use (
  caller        text    not null,
  date_day      date    not null,
  hit_count     bigint  not null,
  joined_count  bigint  not null,
  saved_credits bigint  not null,
  primary key (caller, date_day)
);
comment on table  ops.gateway_use               is 'Calls to the gateway that were not sent to the API, one row for each caller and day. Sent requests are in ops.request.';
comment on column ops.gateway_use.caller        is 'Caller, by its name in gateway.callers.';
comment on column ops.gateway_use.date_day      is 'Day (UTC) of the calls.';
comment on column ops.gateway_use.hit_count     is 'Calls answered from a stored answer that was fresh.';
comment on column ops.gateway_use.joined_count  is 'Calls answered by the answer to an equal call that was under way.';
comment on column ops.gateway_use.saved_credits is 'Credits that these calls would have cost.';

create view ops.gateway_use_daily as
select date_day, caller, sum(hit_count)::bigint as hit_count, sum(joined_count)::bigint as joined_count, sum(request_count)::bigint as request_count,
       sum(cost)::bigint as credit_count, sum(saved_credits)::bigint as saved_credits
from   (select date_day, caller, hit_count, joined_count, 0 as request_count, 0 as cost, saved_credits
        from   ops.gateway_use
        union  all
        select (received_at at time zone 'UTC')::date, caller, 0, 0, 1, cost, 0
        from   ops.request
        where  caller is not null) as q
group  by date_day, caller;
comment on view   ops.gateway_use_daily               is 'One row per day (UTC) and caller of the gateway: its calls that were answered from stored answers, its calls that were sent, and the credits that these saved and took. What did each caller cost? What did the gateway save?';
comment on column ops.gateway_use_daily.date_day      is 'Day (UTC) of the calls.';
comment on column ops.gateway_use_daily.caller        is 'Caller, by its name in gateway.callers.';
comment on column ops.gateway_use_daily.request_count is 'Requests that were sent for the caller, in months that are kept.';
comment on column ops.gateway_use_daily.credit_count  is 'Credits charged for these requests.';
select ops.comment_columns('ops.gateway_use_daily', 'ops.gateway_use');
