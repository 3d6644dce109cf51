/** Errors of what the caller typed or set; see error-codes.ts for what the fields mean. */
export const usageErrors = {
  bad_day: {
    recovery: "usage",
    says: "not a day of the calendar",
    next: "write it as YYYY-MM-DD, for instance 2026-03-31",
  },
  bad_argument: { recovery: "usage", says: "an argument does not fit", next: "see --help of the command" },
  bad_setting: {
    recovery: "usage",
    says: "{variable} {problem}",
    next: "set it in the environment or in .env; .env.example lists all",
  },
  bad_config: {
    recovery: "usage",
    says: "the configuration file does not fit: {file} line {line}: {key} {problem}",
    next: "mend the line that is named",
  },
  bad_crontab: {
    recovery: "usage",
    says: "the crontab does not fit: {file} line {line}: {problem}",
    next: "mend the line that is named; jobs/crontab says what a line holds",
  },
  unreadable_file: {
    recovery: "usage",
    says: "a file is there but cannot be read: {file}",
    next: "mend its permissions or take it away",
  },
  unwritable_file: {
    recovery: "usage",
    says: "{file} cannot be written: {cause}",
    next: "name another place, mend its permissions, or make room there",
  },
  port_taken: { recovery: "usage", says: "port {port} is taken", next: "leave --port out or choose another" },
  health_not_listening: {
    recovery: "usage",
    says: "health checks cannot be answered on {host} port {port}: {cause}",
    next: "set health.host to an address of this machine and health.port to a port that may be used, or to off",
  },
  unknown_dataset: {
    recovery: "usage",
    says: "no dataset has the name {dataset}",
    next: "`storehouse datasets` lists them",
  },
  unknown_table: {
    recovery: "usage",
    says: "no table or view has the name {table}{near}",
    next: "README lists those of core, mart and ops under Columns",
  },
  export_under_way: {
    recovery: "usage",
    says: "another export is writing into {folder}",
    next: "wait for its end, or name another folder",
  },
  export_failed: {
    recovery: "usage",
    says: "{table} could not be written: {problem}",
    next: "what was there before is as it was; report this message",
  },
  nothing_to_draw: { recovery: "usage", says: "there is nothing to draw: {problem}", next: "{hint}" },
  unknown_plan: {
    recovery: "usage",
    says: "no plan has the number {plan} {known}",
    next: "`storehouse backfill --dry-run` makes one",
  },
  plan_changed: {
    recovery: "usage",
    says: "plan {plan} is not what it was when it was made",
    next: "nothing was spent; make a new plan",
  },
  portfolio_empty: {
    recovery: "usage",
    says: "nothing is known yet of what is followed",
    next: "run `storehouse sync` first, or list apps under portfolio in config/storehouse.yaml",
  },
  not_in_portfolio: {
    recovery: "usage",
    says: "{what} {value} is not followed; followed: {followed}",
    next: "name one of these",
  },
  not_agreed: {
    recovery: "usage",
    says: "the plan costs {credits} credits, more than credits.ask_above = {limit}, and nobody is at a terminal to be asked",
    next: "`storehouse backfill --plan {plan} --yes` runs it",
  },
  not_confirmed: {
    recovery: "usage",
    says: "nothing was changed: nobody is at a terminal to be asked",
    next: "add --yes to do it, or --dry-run to only look",
  },
  database_unreachable: {
    recovery: "usage",
    says: "Postgres does not answer",
    next: "check DATABASE_URL and that the server runs",
  },
  database_too_old: {
    recovery: "usage",
    says: "Postgres is too old",
    next: "use Postgres 15 or newer, or leave DATABASE_URL out to use the one that Storehouse brings",
  },
  database_refused: {
    recovery: "usage",
    says: "Postgres refuses the connection",
    next: "check user, password and database in DATABASE_URL, and the server's pg_hba.conf",
  },
  database_tls: {
    recovery: "usage",
    says: "the connection to Postgres cannot be secured as sslmode asks",
    next: "check that the server speaks TLS, that its certificate names the host in DATABASE_URL, and that sslrootcert names the authority that signed it",
  },
  database_newer: {
    recovery: "usage",
    says: "a newer Storehouse has brought the database up to date: migration {migration} is not known here",
    next: "use that version, or a newer one",
  },
  migrations_pending: {
    recovery: "usage",
    says: "the database is not up to date, and this role may not change it",
    next: "run `storehouse migrate` as the owner: DATABASE_URL of storehouse_owner, of one of its members or of who made the schemas",
  },
  rights_missing: {
    recovery: "usage",
    says: "the role in DATABASE_URL may not do this",
    next: "use storehouse_loader for everything but `migrate` and `grants`, which take storehouse_owner; `storehouse grants` sets the rights anew",
  },
  roles_refused: {
    recovery: "usage",
    says: "the role in DATABASE_URL may not make the roles or set their rights",
    next: "run it as a superuser or as the owner of the database who may make roles, or hand what `storehouse grants --print` prints to a database administrator",
  },
  embedded_postgres: {
    recovery: "usage",
    says: "the embedded Postgres did not start",
    next: "set DATABASE_URL to a Postgres 15 or newer, or see the log that is named",
  },
} as const;
