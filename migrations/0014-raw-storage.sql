-- Bodies of answers are compressed before they are stored: Postgres need not try once more.

alter table raw.answer alter column body set storage external;
comment on column raw.answer.body is 'The body, compressed with zstd by the program; Postgres stores it as it is.';
