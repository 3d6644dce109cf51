-- Changes of bids.

create table core.fact_bid_change (
  org_id       text        not null,
  date_day     date        not null,
  entity_level text        not null,
  entity_id    text        not null,
  changed_at   timestamp   not null,
  ordinal      integer     not null,
  currency     text,
  old_value    numeric,
  new_value    numeric,
  source       text,
  rule_name    text,
  extra        jsonb,
  slice_id     bigint      not null,
  fetched_at   timestamptz not null,
  primary key (org_id, date_day, entity_level, entity_id, changed_at, ordinal)
) partition by range (date_day);
comment on table  core.fact_bid_change              is 'Every change of a bid. Which bid changed, when, by how much, and was it manual or by a rule?';
comment on column core.fact_bid_change.date_day     is 'Day of the change.';
comment on column core.fact_bid_change.entity_level is 'Level of the bid: KEYWORD, AD_GROUP, CAMPAIGN; '''' if the log does not report it.';
comment on column core.fact_bid_change.entity_id    is 'Id of the keyword, ad group or campaign.';
comment on column core.fact_bid_change.changed_at   is 'When it was changed, without time zone.';
comment on column core.fact_bid_change.ordinal      is 'Number of the change among those of this bid at this time, 1 for the first. The log has no ids; identical entries are different changes.';
comment on column core.fact_bid_change.currency     is 'Currency of the two values.';
comment on column core.fact_bid_change.old_value    is 'Bid before.';
comment on column core.fact_bid_change.new_value    is 'Bid after.';
comment on column core.fact_bid_change.source       is 'DASHBOARD (manual) or RULE.';
comment on column core.fact_bid_change.rule_name    is 'Rule that changed it; null if no rule did.';
select ops.add_foreign_keys('core.fact_bid_change');
select ops.comment_columns('core.fact_bid_change');
