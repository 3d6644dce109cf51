-- Answers as they came.

create table raw.answer (
  answer_id     bigint      primary key generated always as identity,
  request_id    bigint      not null,
  slice_id      bigint,
  attempt       integer     not null,
  page          integer     not null,
  operation     text        not null,
  body          bytea       not null,
  byte_count    integer     not null,
  fetched_at    timestamptz not null,
  call_hash     bytea,
  is_unreadable boolean     not null default false
);
-- the program has compressed bodies already
alter table raw.answer alter column body set storage external;
create index answer_slice on raw.answer (slice_id, attempt, page);
-- the last answer to an equal call
create index answer_call_hash on raw.answer (call_hash, fetched_at);
-- answers to callers of the gateway of which no table was made
create index answer_unread on raw.answer (fetched_at) where slice_id is null;
comment on table  raw.answer               is 'Bodies of answers, committed before they are read, so that no paid answer is lost.';
comment on column raw.answer.answer_id     is 'Number of the answer.';
comment on column raw.answer.request_id    is 'Request that it answers.';
comment on column raw.answer.slice_id      is 'Slice that it was fetched for; null for an answer to a gateway caller from which no table was made.';
comment on column raw.answer.attempt       is 'Attempt of the slice.';
comment on column raw.answer.page          is 'Page within the attempt, from 0.';
comment on column raw.answer.body          is 'Body, compressed with zstd by the program. Postgres stores it without compressing it again.';
comment on column raw.answer.byte_count    is 'Bytes of the body, unpacked.';
comment on column raw.answer.fetched_at    is 'When the last byte was received.';
comment on column raw.answer.call_hash     is 'Hash of the call, equal for equal calls, by which the gateway finds an answer. Half of a SHA-256.';
comment on column raw.answer.is_unreadable is 'True if its attempt ended with an error that this page may have caused: then the page does not count as paid for in the price of its slice.';
select ops.comment_columns('raw.answer');

-- How far rebuilds from stored answers are that have not ended.

create table ops.replay (
  dataset      text        primary key,
  within_start date,
  within_end   date,
  keep_pruned  boolean     not null,
  program      text        not null,
  rebuilt_to   date
);
comment on table  ops.replay              is 'Datasets that a replay has rebuilt in part, until the whole replay ends: if it is started again, it continues after that part.';
comment on column ops.replay.dataset      is 'Dataset that is rebuilt.';
comment on column ops.replay.within_start is 'First day that is rebuilt; null for all.';
comment on column ops.replay.within_end   is 'Day after the last day that is rebuilt; null for all.';
comment on column ops.replay.keep_pruned  is 'True if rows whose answers are no longer stored are kept.';
comment on column ops.replay.program      is 'Digest of the program that rebuilds; a different program starts from scratch.';
comment on column ops.replay.rebuilt_to   is 'Days before this one are rebuilt; infinity once all are.';

-- as its owner: what a retry costs is shown to readers too, who see no answers
create function ops.stored_pages(of_slice bigint) returns integer language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select count(distinct a.page)::integer
  from   ops.slice  as s
  join   raw.answer as a on a.slice_id = s.slice_id and a.attempt >= s.read_from_attempt and not a.is_unreadable
  where  s.slice_id = of_slice
$$;
comment on function ops.stored_pages(bigint) is 'Stored pages of a slice, which its next attempt may read instead of requesting them again.';
