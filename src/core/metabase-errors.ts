/** Errors of the way to Metabase; see error-codes.ts for what the fields mean. */
export const metabaseErrors = {
  metabase_unreachable: {
    recovery: "usage",
    says: "Metabase does not answer",
    next: "start it (`docker compose --profile bi up -d`) and check METABASE_URL or --url; an authority of your own behind its https is named by NODE_EXTRA_CA_CERTS",
  },
  metabase_starting: {
    recovery: "usage",
    says: "Metabase was still starting after {seconds} seconds",
    next: "run the command again when it is up, or wait longer with --wait",
  },
  not_metabase: {
    recovery: "usage",
    says: "what answers at this address is no Metabase",
    next: "set METABASE_URL or --url to the address at which Metabase itself answers",
  },
  metabase_too_old: {
    recovery: "usage",
    says: "Metabase {found} is too old",
    next: "use Metabase 50 or newer; docker-compose.yml names one that is",
  },
  metabase_not_set_up: {
    recovery: "usage",
    says: "Metabase has no administrator yet",
    next: "set METABASE_EMAIL and METABASE_PASSWORD, with which the first one is made, or set it up in the browser",
  },
  metabase_no_access: {
    recovery: "usage",
    says: "Metabase is set up and no way in is given",
    next: "set METABASE_API_KEY to a key of the Administrators group (Admin settings > Authentication > API keys), or METABASE_EMAIL and METABASE_PASSWORD",
  },
  metabase_wrong_access: {
    recovery: "usage",
    says: "Metabase refused {what}",
    next: "check {what}; a key that was deleted or made for another Metabase looks the same",
  },
  metabase_forbidden: {
    recovery: "usage",
    says: "Metabase lets this key or person not {what}",
    next: "use an API key of the Administrators group, or the account of an administrator",
  },
  metabase_database: {
    recovery: "usage",
    says: "Metabase cannot open the database as storehouse_reader: {problem}",
    next: "run `storehouse grants` with the same STOREHOUSE_READER_PASSWORD, and set METABASE_DATABASE_HOST to the name under which Metabase sees Postgres (in the compose file: postgres)",
  },
  metabase_missing_table: {
    recovery: "usage",
    says: "Metabase has not found {what} within {seconds} seconds",
    next: "run the command again if Metabase still reads the schema, else `storehouse grants`: the reader may not see it",
  },
  dashboard_misfit: {
    recovery: "usage",
    says: "{file} does not fit the warehouse: {key} {problem}",
    next: "mend the file; if it came with Storehouse, `storehouse migrate` brings the tables that it names",
  },
  metabase_refused: {
    recovery: "usage",
    says: "Metabase refused to {what}: {problem}",
    next: "what was done before is kept and the command can be run again; report this if it stays",
  },
  metabase_failed: {
    recovery: "retry",
    says: "Metabase failed to {what}: {problem}",
    next: "see its log; what was done before is kept and the command can be run again",
  },
} as const;
