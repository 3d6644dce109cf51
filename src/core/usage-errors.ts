/** Errors of what the caller typed or set; see error-codes.ts for what the fields mean. */
export const usageErrors = {
  bad_day: {
    recovery: "usage",
    says: "not a day of the calendar",
    next: "write it as YYYY-MM-DD, for instance 2026-03-31",
  },
  bad_argument: { recovery: "usage", says: "{problem}", next: "see --help of the command" },
  bad_setting: {
    recovery: "usage",
    says: "{variable} {problem}",
    next: "set it in the environment or in .env; .env.example lists all",
  },
  api_unset: { recovery: "usage", says: "{variable} are not set", next: "run `storehouse init`, or set both in .env" },
  bad_config: {
    recovery: "usage",
    says: "the configuration file is invalid: {file} line {line}: {key} {problem}",
    next: "correct that line",
  },
  bad_crontab: {
    recovery: "usage",
    says: "the crontab is invalid: {file} line {line}: {problem}",
    next: "correct that line; jobs/crontab describes the format",
  },
  unreadable_file: {
    recovery: "usage",
    says: "{file} exists but cannot be read",
    next: "correct its permissions or remove it",
  },
  config_shared: {
    recovery: "usage",
    says: "{file} has these keywords for several places at once (by a name such as &words), or was changed meanwhile: another setting would change with them",
    next: "open the page again to see the file as it is, or edit it by hand",
  },
  unwritable_file: {
    recovery: "usage",
    says: "{file} cannot be written: {cause}",
    next: "choose another path, correct its permissions, or free disk space",
  },
  port_taken: { recovery: "usage", says: "port {port} is in use", next: "choose another, or 0 for a free one" },
  health_not_listening: {
    recovery: "usage",
    says: "the health server cannot listen on {host} port {port}: {cause}",
    next: "set health.host to an address of this machine and health.port to a port that may be used, or to off",
  },
  unknown_dataset: {
    recovery: "usage",
    says: "no dataset has the name {dataset}{near}",
    next: "`storehouse datasets` lists them",
  },
  unknown_table: {
    recovery: "usage",
    says: "no table or view has the name {table}{near}",
    next: "docs/reference/columns.md lists those of core, mart and ops",
  },
  statement_refused: {
    recovery: "usage",
    says: "the statement was not run to its end: {problem}",
    next: "send one statement that reads: select, with ... select, values or table; describe_mart lists columns",
  },
  export_under_way: {
    recovery: "usage",
    says: "another export is writing into {place}",
    next: "wait until it has ended, or choose another place",
  },
  publish_failed: {
    recovery: "usage",
    says: "{table} could not be published: {problem}",
    next: "its months there are as they were or as they are here; report this message",
  },
  publish_mismatch: {
    recovery: "retry",
    says: "{table} has other sums in ClickHouse than in Postgres: {column} {month}",
    next: "the month there is as it was; publish again, and report this where it stays so",
  },
  publish_under_way: {
    recovery: "usage",
    says: "another process is publishing this database",
    next: "wait until it has ended",
  },
  clickhouse_unset: {
    recovery: "usage",
    says: "CLICKHOUSE_URL is not set",
    next: "set it to the HTTP address of a ClickHouse, such as https://host:8443, with CLICKHOUSE_USER and CLICKHOUSE_PASSWORD",
  },
  clickhouse_refused: {
    recovery: "usage",
    says: "ClickHouse refused a statement: {problem}",
    next: "check CLICKHOUSE_USER, CLICKHOUSE_PASSWORD and the rights of the user: it makes databases, tables and views",
  },
  clickhouse_unavailable: {
    recovery: "retry",
    says: "ClickHouse does not respond: {problem}",
    next: "check CLICKHOUSE_URL and that the server runs, then run it again: months that are there are not sent again",
  },
  unknown_place: {
    recovery: "usage",
    says: "files are written to a folder, or to a bucket as s3://bucket/prefix, without user, query or fragment",
    next: "correct --out or export.to; other stores that speak like S3 are reached by export.s3.endpoint",
  },
  bucket_refused: {
    recovery: "usage",
    says: "{place} was refused: {problem}",
    next: "check the name of the bucket, the keys or profile (AWS_*), their rights (list, read, write and delete objects), and endpoint and region under export.s3",
  },
  bucket_unavailable: {
    recovery: "retry",
    says: "{place} did not take the files: {problem}",
    next: "run the export again: it sends only what is not there yet; check the endpoint under export.s3 where it stays so",
  },
  export_failed: {
    recovery: "usage",
    says: "{table} could not be written: {problem}",
    next: "the files that were there before are unchanged; report this message",
  },
  nothing_to_retry: {
    recovery: "usage",
    says: "there is nothing to retry: no such slice is failed",
    next: "see the page of runs for what was run since",
  },
  nothing_to_draw: { recovery: "usage", says: "there is nothing to draw: {problem}", next: "{hint}" },
  unknown_plan: {
    recovery: "usage",
    says: "no plan has the number {plan} {known}",
    next: "`storehouse backfill --dry-run` makes one",
  },
  plan_changed: {
    recovery: "usage",
    says: "plan {plan} has changed since it was made",
    next: "nothing was spent; make a new plan",
  },
  portfolio_empty: {
    recovery: "usage",
    says: "the portfolio is empty",
    next: "run `storehouse sync` first to read the tracked apps of the account, or list apps under portfolio in config/storehouse.yaml",
  },
  not_in_portfolio: {
    recovery: "usage",
    says: "{what} {value} is not in the portfolio; the portfolio has {portfolio}",
    next: "name one of these",
  },
  not_agreed: {
    recovery: "usage",
    says: "the plan costs {credits} credits, more than credits.ask_above = {limit}, and there is no terminal to confirm it",
    next: "`storehouse backfill --plan {plan} --yes` runs it",
  },
  spending_not_agreed: {
    recovery: "usage",
    says: "no spending of this account is agreed to yet, and there is no terminal to confirm it: {price}",
    next: "add --yes to agree, once for this database; at a terminal `storehouse sync` shows the price of each step before it",
  },
  not_confirmed: {
    recovery: "usage",
    says: "nothing was changed: there is no terminal to confirm it",
    next: "add --yes to do it, or --dry-run to only show it",
  },
  keywords_changed: { recovery: "usage", says: "others have changed the keywords meanwhile", next: "run it again" },
  database_unreachable: {
    recovery: "usage",
    says: "Postgres does not respond",
    next: "check DATABASE_URL and that the server runs",
  },
  database_full: {
    recovery: "usage",
    says: "the disk of Postgres is full",
    next: "free disk space on the server; a worker continues automatically, a command has to be run again",
  },
  database_busy: {
    recovery: "usage",
    says: "Postgres accepts no further connection",
    next: "stop other programs or raise the limit (max_connections of the server, or the connection limit of the role or database); a worker continues automatically, a command has to be run again",
  },
  database_read_only: {
    recovery: "usage",
    says: "Postgres only reads: the server is a standby, or default_transaction_read_only is on",
    next: "let DATABASE_URL name the primary, and a role and database whose transactions may write",
  },
  database_pooled: {
    recovery: "usage",
    says: "a transaction pooler is between here and Postgres: statements of one connection share sessions with other connections",
    next: "let DATABASE_URL name Postgres itself or a pooler in session mode: port 5432 instead of 6543 (Supabase) or 6432 (PgBouncer), the host without -pooler (Neon), the endpoint of the database instead of the proxy's (RDS)",
  },
  database_options: {
    recovery: "usage",
    says: "Postgres, or a pooler before it, refuses a parameter of the connection",
    next: "take `options` out of DATABASE_URL and PGOPTIONS, and parameters that the driver does not know; Storehouse sets what it needs itself",
  },
  database_encoding: {
    recovery: "usage",
    says: "the encoding of the database is {found}, which cannot hold every character",
    next: "use a database with encoding UTF8: `create database storehouse encoding 'UTF8' template template0`",
  },
  database_taken: {
    recovery: "usage",
    says: "the database has {thing} of another program where Storehouse would create its own",
    next: "let DATABASE_URL name an empty database",
  },
  database_too_old: {
    recovery: "usage",
    says: "Postgres is too old",
    next: "use Postgres 15 or newer, or leave out DATABASE_URL to use the embedded Postgres",
  },
  database_refused: {
    recovery: "usage",
    says: "Postgres refuses the connection",
    next: "check user, password and database in DATABASE_URL, and the server's pg_hba.conf",
  },
  database_tls: {
    recovery: "usage",
    says: "the connection to Postgres cannot be secured as sslmode requires",
    next: "check that the server speaks TLS, that its certificate names the host in DATABASE_URL, and that sslrootcert names the authority that signed it",
  },
  database_newer: {
    recovery: "usage",
    says: "a newer Storehouse has migrated the database: this version does not know migration {migration}",
    next: "use that version or a newer one; a database from before the first release has to be made anew",
  },
  migrations_pending: {
    recovery: "usage",
    says: "migrations are pending, and this role may not run them",
    next: "run `storehouse migrate` as the owner: DATABASE_URL of storehouse_owner, of one of its members or of who made the schemas",
  },
  rights_missing: {
    recovery: "usage",
    says: "the role in DATABASE_URL lacks a right",
    next: "use storehouse_loader for everything but `migrate` and `grants`, which take storehouse_owner; `storehouse grants` sets the rights again",
  },
  roles_refused: {
    recovery: "usage",
    says: "the role in DATABASE_URL may not create the roles or set their rights",
    next: "run it as a superuser or as the owner of the database who may make roles, or give the output of `storehouse grants --print` to a database administrator",
  },
  embedded_postgres: {
    recovery: "usage",
    says: "the embedded Postgres did not start",
    next: "set DATABASE_URL to a Postgres 15 or newer, or read the log",
  },
  gateway_no_callers: {
    recovery: "usage",
    says: "no caller of the gateway has a key",
    next: "name one in gateway.callers and run `storehouse gateway --new-key NAME`",
  },
  gateway_not_listening: {
    recovery: "usage",
    says: "the gateway cannot listen on {host} port {port}: {cause}",
    next: "set gateway.host to an address of this machine and gateway.port to a port that may be used",
  },
} as const;
