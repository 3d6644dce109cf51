-- Schemas: one for each step from answer to table.

create schema raw;
create schema core;
create schema mart;
create schema parts;
create schema archive;
-- the migrator has made this one for its own tables
create schema if not exists ops;

comment on schema raw     is 'Answers of the API, compressed and unchanged. Everything else can be rebuilt from them.';
comment on schema core    is 'Normalised dimensions (dim_*) and facts (fact_*).';
comment on schema mart    is 'Views for BI users: wide, with names instead of keys.';
comment on schema parts   is 'Monthly partitions of the large facts. Query the tables in core instead.';
comment on schema archive is 'Monthly partitions that retention detached from the facts instead of dropping them. They are yours to keep, move or drop.';
comment on schema ops     is 'Slices, runs, credits and coverage: what was requested, what the result was and what it cost.';
