-- Schemas: one for each step from answer to table.

create schema raw;
create schema core;
create schema mart;
create schema parts;
create schema archive;
-- the migrator has made this one for its own tables
create schema if not exists ops;

comment on schema raw     is 'Answers of the API as they came, compressed; everything else can be rebuilt from here.';
comment on schema core    is 'Normalised dimensions (dim_*) and facts (fact_*).';
comment on schema mart    is 'What a BI user opens first: wide, names spelled out.';
comment on schema parts   is 'Monthly partitions of the large facts; read the tables in core instead.';
comment on schema archive is 'Monthly partitions that retention took out of the facts instead of dropping them: yours to keep, move or drop.';
comment on schema ops     is 'Slices, runs, credits, coverage: what was asked for, what came of it, what it cost.';
