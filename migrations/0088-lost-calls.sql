-- A call whose process died is in the ledger: it may have been charged, and counts against the limit of its run or plan.

alter table ops.credit_hold add column slice_id bigint;
comment on column ops.credit_hold.slice_id is 'Slice that the call is for; null for questions of people and about the account itself.';
comment on table  ops.request              is 'Every request that was sent: for which slice, what came back, what it cost. One with the error process_died was under way when its process died: nobody knows whether it was charged. Never an address, never a token.';
