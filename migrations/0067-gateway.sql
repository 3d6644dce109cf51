-- Who may call the gateway.

create table ops.gateway_key (
  caller     text        primary key,
  key_digest bytea       not null unique,
  made_at    timestamptz not null
);
comment on table  ops.gateway_key            is 'Keys of the callers of storehouse gateway, one each. A new key replaces the one before.';
comment on column ops.gateway_key.caller     is 'Caller, as gateway.callers names it.';
comment on column ops.gateway_key.key_digest is 'SHA-256 of the key, which has 256 random bits; the key itself is stored nowhere.';
comment on column ops.gateway_key.made_at    is 'When the key was made.';
