-- Plans of backfills: priced work that a person looks at first, and that is then run exactly so or not at all.

create table ops.plan (
  plan_id          bigint primary key generated always as identity,
  made_at          timestamptz not null,
  as_of            date        not null,
  request          jsonb       not null,
  basis            jsonb       not null,
  newest_first     boolean     not null,
  digest           text        not null,
  slices           integer     not null,
  requests         bigint      not null,
  credits          bigint      not null,
  naive_credits    bigint,
  left_out_slices  integer     not null,
  left_out_credits bigint      not null,
  queued_at        timestamptz
);
comment on table  ops.plan                  is 'Plans made by storehouse backfill. A plan is run exactly as it was made, or it says what changed since. What was run with it: ops.run.';
comment on column ops.plan.plan_id          is 'Number of the plan, for storehouse backfill --plan.';
comment on column ops.plan.made_at          is 'When it was made.';
comment on column ops.plan.as_of            is 'The day that counted as today; its days stay those of that day, whenever it is run.';
comment on column ops.plan.request          is 'What was asked for: datasets, days (half-open), apps, countries, which cells again, order, most credits.';
comment on column ops.plan.basis            is 'What it was planned from and can change: keywords followed an app and country, learned prices, settings.';
comment on column ops.plan.newest_first     is 'True when the newest days run first; else those that fall out of the history first.';
comment on column ops.plan.digest           is 'SHA-256 over all its slices in order; planned again, an equal digest is the same plan.';
comment on column ops.plan.slices           is 'Slices of the plan.';
comment on column ops.plan.requests         is 'Requests that they are expected to take.';
comment on column ops.plan.credits          is 'Credits that they are expected to cost; running it never spends more.';
comment on column ops.plan.naive_credits    is 'Credits that a program would pay for the same cells that asks for one thing at a time; null when something was left out.';
comment on column ops.plan.left_out_slices  is 'Slices that were asked for and did not fit under the most credits.';
comment on column ops.plan.left_out_credits is 'Credits that those are expected to cost.';
comment on column ops.plan.queued_at        is 'When its slices were queued, all at once; null while it was never run.';

create table ops.plan_line (
  plan_id      bigint  not null references ops.plan (plan_id),
  dataset      text    not null,
  class        text    not null,
  operation    text    not null,
  store        text    not null,
  track_id     text    not null,
  country_code text    not null,
  slices       integer not null,
  requests     bigint  not null,
  credits      bigint  not null,
  primary key (plan_id, dataset, class, operation, store, track_id, country_code)
);
comment on table  ops.plan_line              is 'What a plan holds, by dataset, class, operation, app and country.';
comment on column ops.plan_line.plan_id      is 'The plan.';
comment on column ops.plan_line.dataset      is 'Dataset.';
comment on column ops.plan_line.class        is 'Credit class.';
comment on column ops.plan_line.operation    is 'Operation of the API.';
comment on column ops.plan_line.store        is 'ios or android; empty where the dataset tells none apart.';
comment on column ops.plan_line.track_id     is 'Track id of the app; empty where the dataset is not about an app.';
comment on column ops.plan_line.country_code is 'Country; empty where the dataset tells none apart.';
comment on column ops.plan_line.slices       is 'Slices.';
comment on column ops.plan_line.requests     is 'Requests that they are expected to take.';
comment on column ops.plan_line.credits      is 'Credits that they are expected to cost.';

alter table ops.run add column plan_id bigint references ops.plan (plan_id);
create index run_plan on ops.run (plan_id) where plan_id is not null;
comment on column ops.run.plan_id is 'The plan that it runs; null when it planned by itself.';
comment on column ops.run.kind    is 'sync, schedule, retry or backfill.';

alter table ops.slice add column plan_id bigint;
create index slice_plan on ops.slice (plan_id, state) where plan_id is not null;
comment on column ops.slice.plan_id is 'The plan that it belongs to, whichever run has it now; null when it belongs to none.';
