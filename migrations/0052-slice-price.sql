-- What a slice is expected to take follows what its answer tells of its pages.

comment on column ops.slice.planned_requests is 'Requests it is expected to take: as planned, and put right as soon as a page of its answer tells how many there are.';
comment on column ops.slice.planned_credits  is 'Credits it is expected to cost: those requests at the price of the plan.';
