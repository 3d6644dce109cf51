-- A month is noted and taken away in one transaction: nobody sees the one without the other.

comment on column ops.dropped_month.is_done is 'False only within the transaction that takes the month away: a month may be taken away while its note says so.';
