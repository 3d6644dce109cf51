-- Answers as they came.

create table raw.answer (
  answer_id  bigint      primary key generated always as identity,
  request_id bigint      not null,
  slice_id   bigint      not null,
  attempt    integer     not null,
  page       integer     not null,
  operation  text        not null,
  body       bytea       not null,
  byte_count integer     not null,
  fetched_at timestamptz not null
);
-- the program has compressed bodies already
alter table raw.answer alter column body set storage external;
create index answer_slice on raw.answer (slice_id, attempt, page);
comment on table  raw.answer            is 'Bodies of answers, committed before they are read, so that no paid answer is lost.';
comment on column raw.answer.answer_id  is 'Number of the answer.';
comment on column raw.answer.request_id is 'Request that it answers.';
comment on column raw.answer.slice_id   is 'Slice that it was fetched for.';
comment on column raw.answer.attempt    is 'Attempt of the slice.';
comment on column raw.answer.page       is 'Page within the attempt, from 0.';
comment on column raw.answer.body       is 'Body, compressed with zstd by the program. Postgres stores it without compressing it again.';
comment on column raw.answer.byte_count is 'Bytes of the body, unpacked.';
comment on column raw.answer.fetched_at is 'When the last byte was received.';
select ops.comment_columns('raw.answer');
