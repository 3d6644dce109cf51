-- What a person asks by a command is in the books of requests and processes as well.

comment on column ops.worker.kind        is 'sync (foreground, runs its own slices), worker (runs the shared queue) or command (asks what a person wants to know).';
comment on column ops.request.slice_id   is 'Slice it was for; null for questions about the account itself and for what a person asked by a command.';
comment on column ops.request.dataset    is 'Dataset; null for questions about the account itself and for what a person asked by a command.';
comment on column ops.request.class      is 'Credit class it was charged to; person for what was asked by a command.';
comment on column ops.credit_hold.class  is 'Credit class; person for what is asked by a command.';
comment on column ops.slice.fingerprint  is 'What the portfolio knew that would make the answer differ; changed since, where a command changed it after the answer came.';
