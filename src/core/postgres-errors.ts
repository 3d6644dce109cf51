/** Errors of Postgres and of what is in the database; see error-codes.ts for what the fields mean. */
export const postgresErrors = {
  database_unreachable: {
    recovery: "usage",
    says: "Postgres does not respond",
    next: "check DATABASE_URL and that the server runs",
  },
  database_full: {
    recovery: "usage",
    says: "the disk of Postgres is full",
    next: "free disk space on the server; a worker continues automatically, a command must be run again",
  },
  database_busy: {
    recovery: "usage",
    says: "Postgres, or the pooler in front of it, accepts no more connections",
    next: "stop other programs or raise the limit (max_connections of the server, the connection limit of the role or database, or the pool size of the pooler); a worker continues automatically, a command must be run again",
  },
  database_read_only: {
    recovery: "usage",
    says: "Postgres is read-only: the server is a standby, or default_transaction_read_only is on",
    next: "set DATABASE_URL to the primary, with a role and database whose transactions may write",
  },
  database_pooled: {
    recovery: "usage",
    says: "a transaction pooler is between Storehouse and Postgres: statements of one connection share sessions with other connections",
    next: "set DATABASE_URL to Postgres itself or to a pooler in session mode: port 5432 instead of 6543 (Supabase) or 6432 (PgBouncer), the host without -pooler (Neon), the database endpoint instead of the proxy endpoint (RDS)",
  },
  database_options: {
    recovery: "usage",
    says: "Postgres, or a pooler in front of it, refuses a connection parameter",
    next: "remove `options`, and parameters that the driver does not know, from DATABASE_URL, and unset PGOPTIONS; Storehouse sets what it needs itself",
  },
  database_encoding: {
    recovery: "usage",
    says: "the encoding of the database is {found}, which cannot hold every character",
    next: "use a database with encoding UTF8: `create database storehouse encoding 'UTF8' template template0`",
  },
  database_taken: {
    recovery: "usage",
    says: "the database already has {thing} of another program where Storehouse would create its own",
    next: "set DATABASE_URL to an empty database",
  },
  database_too_old: {
    recovery: "usage",
    says: "Postgres is too old",
    next: "use Postgres 15 or newer, or unset DATABASE_URL to use the embedded Postgres",
  },
  database_refused: {
    recovery: "usage",
    says: "Postgres refuses the connection",
    next: "check user and database in DATABASE_URL, the password there or in PGPASSWORD, and the server's pg_hba.conf",
  },
  database_tls: {
    recovery: "usage",
    says: "the connection to Postgres cannot be secured as sslmode requires",
    next: "check that the server speaks TLS, that its certificate names the host in DATABASE_URL, and that sslrootcert names the authority that signed it",
  },
  database_newer: {
    recovery: "usage",
    says: "a newer Storehouse has migrated the database: this version does not know migration {migration}",
    next: "use that version or a newer one; a database from before the first release must be created again",
  },
  migrations_pending: {
    recovery: "usage",
    says: "migrations are pending, and this role may not run them",
    next: "run `storehouse migrate` as the owner: with a DATABASE_URL of storehouse_owner, of one of its members, or of the role that created the schemas",
  },
  migration_failed: {
    recovery: "usage",
    says: "migration {migration} failed: {problem}",
    next: "rename or drop the object that is in its way, or that depends on what it changes, then run `storehouse migrate`; report this message if the object is Storehouse's own",
  },
  rights_missing: {
    recovery: "usage",
    says: "the role in DATABASE_URL lacks a right",
    next: "use storehouse_loader for everything except `migrate` and `grants`, which need storehouse_owner; `storehouse grants` sets the rights again",
  },
  roles_refused: {
    recovery: "usage",
    says: "the role in DATABASE_URL may not create the roles or set their rights",
    next: "run it as a superuser, or as a database owner that may create roles, or give the output of `storehouse grants --print` to a database administrator",
  },
  embedded_postgres: {
    recovery: "usage",
    says: "the embedded Postgres did not start",
    next: "set DATABASE_URL to a Postgres 15 or newer, or read the log",
  },
  clock_wrong: {
    recovery: "usage",
    says: "the clock of this machine is {by} {side} the database's clock: rows would get the wrong day",
    next: "synchronise both clocks with a time server (NTP)",
  },
  clock_set_back: {
    recovery: "fenced",
    says: "the clock of this machine was set back by {by}",
    next: "nothing to do: the worker registers again automatically, and plans by the clock as it is now",
  },
  database_interrupted: {
    recovery: "retry",
    later: true,
    attempts: 2,
    says: "Postgres did not complete a statement: {problem}",
    next: "a slice is loaded from its stored answer by a worker, or by a later sync, at growing intervals, and another command must be run again; check the server's log for who cancels statements of this role, and for a lack of memory",
  },
} as const;
