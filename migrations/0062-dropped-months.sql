-- Months of facts that are kept no longer: what went, when, and by whose hand. A slice that was answered before holds nothing there now.

create schema archive;
comment on schema archive is 'Monthly partitions that retention took out of the facts instead of dropping them: yours to keep, move or drop.';

create table ops.dropped_month (
  dataset     text        not null,
  table_name  text        not null,
  month_start date        not null,
  action      text        not null check (action in ('drop', 'detach')),
  rows_gone   bigint      not null,
  bytes_gone  bigint      not null,
  dropped_by  text        not null,
  dropped_at  timestamptz not null,
  is_done     boolean     not null,
  primary key (dataset, table_name, month_start)
);
comment on table  ops.dropped_month             is 'Months of facts that retention dropped or detached, one row a dataset, table and month. What was loaded for them since counts again.';
comment on column ops.dropped_month.dataset     is 'Dataset.';
comment on column ops.dropped_month.table_name  is 'Table of facts.';
comment on column ops.dropped_month.month_start is 'First day of the month.';
comment on column ops.dropped_month.action      is 'drop, or detach (the rows are in the schema archive).';
comment on column ops.dropped_month.rows_gone   is 'Rows of the month, of all datasets of that table.';
comment on column ops.dropped_month.bytes_gone  is 'Bytes of its partition with indexes.';
comment on column ops.dropped_month.dropped_by  is 'Role of the database that did it.';
comment on column ops.dropped_month.dropped_at  is 'When: what was answered before holds nothing in this month.';
comment on column ops.dropped_month.is_done     is 'False while it is under way, or when it was interrupted: the next retention ends it.';
