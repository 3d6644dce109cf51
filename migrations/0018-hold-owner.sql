-- Whose calls credits are held for, so that what a killed worker held is let go at once.

alter table ops.credit_hold add column worker_id bigint;
comment on table  ops.credit_hold           is 'Credits held for calls under way. What a dead worker held is let go at once and taken for charged until the service tells the balance; what nobody ends expires.';
comment on column ops.credit_hold.worker_id is 'The process that holds them; null when it is in no ledger.';
