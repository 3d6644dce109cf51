/** Errors of `storehouse metabase`; see error-codes.ts for what the fields mean. */
export const metabaseErrors = {
  metabase_unreachable: {
    recovery: "usage",
    says: "Metabase does not respond",
    next: "start it (with Docker Compose: COMPOSE_PROFILES=bi in .env, then `docker compose up -d`) and check METABASE_URL or --url; if its HTTPS certificate is from your own authority, set NODE_EXTRA_CA_CERTS to that authority's file",
  },
  metabase_starting: {
    recovery: "usage",
    says: "Metabase was still starting after {seconds} seconds",
    next: "run the command again when Metabase is up, or wait longer with --wait",
  },
  not_metabase: {
    recovery: "usage",
    says: "the server at this address is not Metabase",
    next: "set METABASE_URL or --url to the address of Metabase itself",
  },
  metabase_too_old: {
    recovery: "usage",
    says: "Metabase {found} is too old",
    next: "use Metabase 50 or newer; docker-compose.yml names a version that works",
  },
  metabase_not_set_up: {
    recovery: "usage",
    says: "Metabase has no administrator yet",
    next: "set METABASE_EMAIL and METABASE_PASSWORD to create the first one, or set Metabase up in the browser",
  },
  metabase_no_access: {
    recovery: "usage",
    says: "Metabase is set up, and no credentials are given",
    next: "set METABASE_API_KEY to a key of the Administrators group (Admin settings > Authentication > API keys), or METABASE_EMAIL and METABASE_PASSWORD",
  },
  metabase_wrong_access: {
    recovery: "usage",
    says: "Metabase refused {what}",
    next: "check {what}; a deleted key, or one of another Metabase, is refused in the same way",
  },
  metabase_forbidden: {
    recovery: "usage",
    says: "Metabase does not allow this key or account to {what}",
    next: "use an API key of the Administrators group, or the account of an administrator",
  },
  metabase_database: {
    recovery: "usage",
    says: "Metabase cannot open the database as storehouse_reader: {problem}",
    next: "run `storehouse grants` with the same STOREHOUSE_READER_PASSWORD, and set METABASE_DATABASE_HOST to the host name under which Metabase reaches Postgres (in the compose file: postgres)",
  },
  metabase_missing_table: {
    recovery: "usage",
    says: "Metabase did not find {what} within {seconds} seconds",
    next: "run the command again if Metabase is still reading the schema; otherwise run `storehouse grants`: the reader role may lack rights on it",
  },
  dashboard_misfit: {
    recovery: "usage",
    says: "{file} does not match the warehouse: {key} {problem}",
    next: "correct the file; if it came with Storehouse, `storehouse migrate` creates the tables that it names",
  },
  metabase_refused: {
    recovery: "usage",
    says: "Metabase refused to {what}: {problem}",
    next: "earlier changes are kept; run the command again, and report this message if it repeats",
  },
  metabase_failed: {
    recovery: "retry",
    says: "Metabase failed to {what}: {problem}",
    next: "see its log; earlier changes are kept; run the command again",
  },
} as const;
