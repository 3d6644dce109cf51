-- Who may call the gateway.

create table ops.gateway_key (
  caller     text        primary key,
  key_digest bytea       not null unique,
  made_at    timestamptz not null
);
comment on table  ops.gateway_key            is 'Keys of the callers of storehouse gateway, one each. A new key replaces the one before.';
comment on column ops.gateway_key.caller     is 'Caller, as gateway.callers names it.';
comment on column ops.gateway_key.key_digest is 'SHA-256 of the key, which has 256 random bits; the key itself is stored nowhere.';
comment on column ops.gateway_key.made_at    is 'When the key was made.';

create table ops.gateway_call (
  question   bytea       primary key,
  worker_id  bigint      not null,
  claimed_at timestamptz not null,
  caller     text        not null default '',
  credits    integer     not null default 0
);
comment on table  ops.gateway_call            is 'Calls that a gateway has under way: another gateway waits for the answer instead of paying for an equal call.';
comment on column ops.gateway_call.question   is 'Hash of the call, as in raw.answer.';
comment on column ops.gateway_call.worker_id  is 'Process that has claimed it. The claim of a process that is gone counts for nothing.';
comment on column ops.gateway_call.claimed_at is 'When it was claimed.';
comment on column ops.gateway_call.caller     is 'Caller that pays for it.';
comment on column ops.gateway_call.credits    is 'Credits that it is expected to take: until it is answered they count against the day of its caller in other gateways.';

create table ops.gateway_use (
  caller        text    not null,
  date_day      date    not null,
  hit_count     bigint  not null,
  joined_count  bigint  not null,
  saved_credits bigint  not null,
  primary key (caller, date_day)
);
comment on table  ops.gateway_use               is 'Calls to the gateway that were not sent to the API, a row for each caller and day. What was sent is in ops.request.';
comment on column ops.gateway_use.caller        is 'Caller, as gateway.callers names it.';
comment on column ops.gateway_use.date_day      is 'Day of the calls, UTC.';
comment on column ops.gateway_use.hit_count     is 'Calls that an answer answered which was stored and fresh.';
comment on column ops.gateway_use.joined_count  is 'Calls that the answer to an equal call under way answered.';
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
comment on view   ops.gateway_use_daily               is 'One row per day (UTC) and caller of the gateway: its calls that were answered from what is stored, those that were sent, and the credits that both took and saved. What did each caller cost? What did the gateway save?';
comment on column ops.gateway_use_daily.date_day      is 'Day of the calls, UTC.';
comment on column ops.gateway_use_daily.caller        is 'Caller, as gateway.callers names it.';
comment on column ops.gateway_use_daily.request_count is 'Requests that were sent for it, of months that are kept.';
comment on column ops.gateway_use_daily.credit_count  is 'Credits charged for them.';
select ops.comment_columns('ops.gateway_use_daily', 'ops.gateway_use');
