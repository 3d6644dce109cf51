/** Errors in arguments and settings; see error-codes.ts for what the fields mean. */
export const usageErrors = {
  bad_day: { recovery: "usage", says: "not a calendar day", next: "write it as YYYY-MM-DD, for instance 2026-03-31" },
  bad_argument: { recovery: "usage", says: "{problem}", next: "see the command's --help" },
  bad_setting: {
    recovery: "usage",
    says: "{variable} {problem}",
    next: "set it in the environment or in .env; .env.example lists all",
  },
  bad_secret_file: {
    recovery: "usage",
    says: "{variable} names a file that {problem}: {file}",
    next: "mend that file (the user that runs this must be able to read it, and it holds the secret alone), or name another one",
  },
  api_unset: { recovery: "usage", says: "{variable} are not set", next: "run `storehouse init`, or set both in .env" },
  bad_config: {
    recovery: "usage",
    says: "the configuration file is invalid: {file} line {line}: {key}{colon} {problem}",
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
    says: "{file} uses these keywords in several places at once (through an anchor such as &words), or was changed in the meantime: another setting would change with them",
    next: "open the page again to see the file as it is, or edit it by hand",
  },
  unwritable_file: {
    recovery: "usage",
    says: "{file} cannot be written: {cause}",
    next: "choose another path, correct its permissions, or free disk space",
  },
  unusable_temporary_folder: {
    recovery: "usage",
    says: "the folder for temporary files {folder} cannot be written: {cause}",
    next: "set TMPDIR to a folder that this user may write to, with room for the rows of one month, or free space there",
  },
  port_taken: { recovery: "usage", says: "port {port} is in use", next: "choose another, or 0 for a free one" },
  health_not_listening: {
    recovery: "usage",
    says: "the health server cannot listen on {host} port {port}: {cause}",
    next: "set health.host to an address of this machine, and health.port to a free port that this user may open, or to off",
  },
  unknown_dataset: {
    recovery: "usage",
    says: "no dataset is named {dataset}{near}",
    next: "`storehouse datasets` lists them",
  },
  unknown_table: {
    recovery: "usage",
    says: "no table or view is named {table}{near}",
    next: "docs/reference/columns.md lists the tables and views of core, mart and ops",
  },
  statement_refused: {
    recovery: "usage",
    says: "the statement did not complete: {problem}",
    next: "send one read-only statement: select, with ... select, values or table; describe_mart lists columns",
  },
  mcp_busy: {
    recovery: "usage",
    says: "no connection to the database was free in time",
    next: "send it again when other calls have ended, and fewer at a time; if this continues, check that the database responds",
  },
  export_under_way: {
    recovery: "usage",
    says: "another export is writing into {place}",
    next: "wait until it has finished, or choose another place",
  },
  publish_failed: {
    recovery: "usage",
    says: "{table} could not be published: {problem}",
    next: "each of its months in ClickHouse is either unchanged or up to date; report this message",
  },
  publish_mismatch: {
    recovery: "retry",
    says: "the sums of {table} differ between ClickHouse and Postgres: {column} {month}",
    next: "the month in ClickHouse is unchanged; if the type of the column has changed in Postgres, change it in ClickHouse too, otherwise publish again, and report this if it continues",
  },
  publish_under_way: {
    recovery: "usage",
    says: "another process is publishing this database",
    next: "wait until it has finished",
  },
  clickhouse_unset: {
    recovery: "usage",
    says: "CLICKHOUSE_URL is not set",
    next: "set it to the HTTP address of a ClickHouse server, such as https://host:8443, and set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD",
  },
  publish_of_another: {
    recovery: "usage",
    says: "what is in ClickHouse comes from another Postgres: months that this one does not have would be removed",
    next: "check DATABASE_URL and CLICKHOUSE_URL; to continue with this Postgres anyway, drop the table storehouse.origin in ClickHouse",
  },
  clickhouse_failed: {
    recovery: "retry",
    says: "ClickHouse could not run a statement: {problem}",
    next: "publish again: months that have already arrived are not sent again; report this if it continues",
  },
  clickhouse_refused: {
    recovery: "usage",
    says: "ClickHouse refused a statement: {problem}",
    next: "check CLICKHOUSE_USER, CLICKHOUSE_PASSWORD and the user's rights: it must be able to create databases, tables and views",
  },
  clickhouse_unavailable: {
    recovery: "retry",
    says: "ClickHouse does not respond: {problem}",
    next: "check CLICKHOUSE_URL and that the server runs, then run it again: months that have already arrived are not sent again",
  },
  unknown_place: {
    recovery: "usage",
    says: "the place must be a folder, or a bucket as s3://bucket/prefix, without user, query or fragment",
    next: "correct --out or export.to; for other S3-compatible stores set export.s3.endpoint",
  },
  bucket_refused: {
    recovery: "usage",
    says: "{place} was refused: {problem}",
    next: "check the bucket name, the keys or profile (AWS_*), their rights (list, read, write and delete objects), and endpoint and region under export.s3",
  },
  bucket_unavailable: {
    recovery: "retry",
    says: "{place} did not accept the files: {problem}",
    next: "run the export again: it sends only what is not there yet; if this continues, check the endpoint under export.s3",
  },
  export_failed: {
    recovery: "usage",
    says: "{table} could not be written: {problem}",
    next: "existing files are unchanged; report this message",
  },
  nothing_to_retry: {
    recovery: "usage",
    says: "there is nothing to retry: no such slice is failed",
    next: "the page Runs shows what has run since",
  },
  nothing_to_draw: { recovery: "usage", says: "there is nothing to draw: {problem}", next: "{hint}" },
  unknown_plan: {
    recovery: "usage",
    says: "there is no plan {plan} {known}",
    next: "`storehouse backfill --dataset NAME --dry-run` makes one",
  },
  plan_of_another: { recovery: "usage", says: "plan {plan} is of {account}", next: "run the command {how}" },
  plan_changed: {
    recovery: "usage",
    says: "plan {plan} has changed since it was made",
    next: "nothing was spent; make a new plan",
  },
  portfolio_empty: {
    recovery: "usage",
    says: "the portfolio is empty",
    next: "run `storehouse sync` first to read the account's tracked apps, or list apps under portfolio in config/storehouse.yaml",
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
    says: "nobody has agreed to this account's spending yet, and there is no terminal to confirm it: {price}",
    next: "add --yes to agree, once for this database; at a terminal `storehouse sync` shows the price of each step first",
  },
  not_confirmed: {
    recovery: "usage",
    says: "nothing was changed: there is no terminal to confirm it",
    next: "add --yes to do it, or --dry-run to only show it",
  },
  keywords_changed: { recovery: "usage", says: "the keywords have been changed in the meantime", next: "run it again" },
  gateway_no_callers: {
    recovery: "usage",
    says: "no caller of the gateway has a key",
    next: "name a caller in gateway.callers and run `storehouse gateway --new-key NAME`",
  },
  gateway_not_listening: {
    recovery: "usage",
    says: "the gateway cannot listen on {host} port {port}: {cause}",
    next: "set gateway.host to an address of this machine, and gateway.port to a free port that this user may open",
  },
} as const;
