/** The level of an event. Events per slice or per request are `debug`: a night has thousands of them. */
type Level = "debug" | "info" | "warn" | "error";

/** Every event of the log by its name (`msg`), with its level and its meaning. A test compares this list with the code. */
export const logEvents = {
  "worker.started": { level: "info", says: "a worker has started" },
  "worker.stopping": { level: "info", says: "a worker stops; it releases the slices that it has not started" },
  "worker.not_agreed": {
    level: "warn",
    says: "the crontab plans datasets that nobody has agreed to spend credits on: they are not planned until someone does what `next` says",
  },
  "run.not_agreed": {
    level: "info",
    says: "a planning job leaves out these datasets, since nobody has agreed to them",
  },
  "worker.re_registered": {
    level: "warn",
    says: "the lease of a worker expired while it was frozen; it registers again",
  },
  "worker.session_failed": {
    level: "error",
    says: "an unexpected error interrupted a worker; it starts again after a wait",
  },
  "task.not_noted": {
    level: "warn",
    says: "a task of the crontab failed, and no incident says so, since it could not be recorded",
  },
  "task.under_way": {
    level: "info",
    says: "a task of the crontab left its work to another process, such as a command, that is doing it; it is tried again after ten minutes",
  },
  "schedule.planned": { level: "info", says: "a scheduled run has planned; it logs how many slices are new" },
  "schedule.not_priced": { level: "warn", says: "the next runs of the schedule could not be priced" },
  "retention.month": { level: "info", says: "retention dropped a month of a table" },
  "export.table": { level: "info", says: "a scheduled export wrote or removed files of a table" },
  "export.loaded_again": {
    level: "warn",
    says: "rows of months that retention removed were loaded again; the exported files of these months stay as they were, without these rows",
  },
  "publish.table": {
    level: "info",
    says: "a scheduled publication swapped or removed months of a table in ClickHouse",
  },
  "publish.lost": {
    level: "warn",
    says: "months were dropped in ClickHouse, and retention removed rows of them from Postgres: these rows are in neither until they are loaded again",
  },
  "publish.out_of_range": {
    level: "warn",
    says: "rows have values out of ClickHouse's range: they are null there, and retention keeps their months",
  },
  "requests.sent": { level: "info", says: "how many requests this worker has sent since the last check for incidents" },
  "slice.ended": { level: "debug", says: "a slice is loaded or empty" },
  "slice.attempt_failed": {
    level: "warn",
    says: "an attempt at a slice failed; logged at debug if the slice is deferred, was stopped, or has no data",
  },
  "answer.damaged": {
    level: "warn",
    says: "a stored answer cannot be unpacked: it is not used, and requested again if it is needed; check the disk of the database",
  },
  "slices.tried_again": {
    level: "info",
    says: "failed slices are requested again: how many, and how many wait because the price of their plan does not cover them, or are put off to the next day because credits.retries_a_day does not",
  },
  "slices.poisoned": { level: "error", says: "slices failed because the process that ran them died each time" },
  "runs.cancelled": {
    level: "info",
    says: "unfinished slices of stopped or killed syncs are cancelled; those still due are planned again",
  },
  "runs.adopted": {
    level: "info",
    says: "unfinished slices of foreground processes that have died are queued for any worker",
  },
  "runs.taken_over": {
    level: "info",
    says: "slices that waited for the credits of another account, and that this account also needs, now belong to this account",
  },
  "runs.switched_off": {
    level: "info",
    says: "scheduled slices of datasets that have been switched off since are cancelled",
  },
  "runs.out_of_portfolio": {
    level: "info",
    says: "slices without an answer are cancelled if their app, country or keyword has left the portfolio, or if their days are before the history that is now configured",
  },
  "runs.over_budget": {
    level: "info",
    says: "unfinished slices of a backfill plan are cancelled, or failed if they have stored pages: what is left of its price does not cover them",
  },
  "credits.resumed": {
    level: "info",
    says: "deferred slices run before their time, because credits are available again",
  },
  "workers.dead": { level: "warn", says: "dead processes were found, and their slices are released" },
  "heartbeat.failed": { level: "warn", says: "a heartbeat or the check for dead processes failed" },
  "api.unavailable": { level: "warn", says: "the API does not respond; the worker waits" },
  "api.call_retried": {
    level: "warn",
    says: "a call failed with an error that may be temporary; it is sent again after a wait",
  },
  "api.recovered": { level: "info", says: "the API responds again" },
  "api.refused": {
    level: "error",
    says: "the API refused the token or the account, so no request is sent; logged at debug if that is already known",
  },
  "api.still_refused": { level: "debug", says: "a balance check was refused again" },
  "api.requests_resumed": { level: "warn", says: "a balance check was accepted; requests are sent again" },
  "price.not_accepted": {
    level: "warn",
    says: "a reply names a price that cannot be right; the call is booked at the documented price; logged at debug if that is already known",
  },
  "database.unavailable": {
    level: "warn",
    says: "the database does not respond or accepts no work; work under way is tried again",
  },
  "database.lock_awaited": {
    level: "warn",
    says: "this process waits for a lock that another session holds (`held_by`: its process id in Postgres); it continues when the lock is released",
  },
  "clock.differs": {
    level: "warn",
    says: "the clock of this machine is so far ahead of the database's (`ahead_ms`; negative: behind) that leases and holds of credits fail: synchronise both with a time server",
  },
  "clock.wrong": {
    level: "error",
    says: "the clock of this machine is hours off from the database's (`problem`): a worker, a console or a gateway starts nothing, and compares them again after `wait_ms`",
  },
  "clock.set_back": {
    level: "warn",
    says: "the clock of this machine was set back by `back_ms`: the worker registers again, so that its schedule does not wait until the former time is reached again",
  },
  "schedule.future_runs_reset": {
    level: "warn",
    says: "these lines of the crontab had last run at a time in the future, since a clock was set back; they run at their next time from now on",
  },
  "database.recovered": { level: "info", says: "the database responds again" },
  "queue.error": { level: "error", says: "graphile-worker reports an error" },
  "queue.warning": { level: "warn", says: "graphile-worker reports a problem" },
  "queue.detail": { level: "debug", says: "graphile-worker's own log" },
  "queue.no_statistics": {
    level: "warn",
    says: "statistics of the ledger could not be gathered: claims are slow until autovacuum gathers them; run storehouse doctor",
  },
  "queue.orphaned_claims": {
    level: "warn",
    says: "slices whose claim, or whose end, was lost with a connection are released",
  },
  "queue.ends_lost": {
    level: "warn",
    says: "slices ran under the number of this process, and it does not run them: they are queued again. The database has probably lost its last transactions, as a failover to an asynchronous standby does; then requests and credits of that time may be missing from the ledger",
  },
  "health.listening": { level: "info", says: "the health server listens on this port" },
  "health.port_taken": { level: "warn", says: "health.port is in use; the health server uses another port, or none" },
  "health.figures_unknown": {
    level: "warn",
    says: "the figures of the fleet could not be read (`problem`), so scrapes leave them out; logged again after a read that succeeds",
  },
  "console.not_started": {
    level: "error",
    says: "the console of a worker could not start; the worker works without it",
  },
  "console.failed": { level: "error", says: "a page or an action of the console met an unexpected error" },
  "gateway.answered": { level: "info", says: "a caller got an answer: stored, joined or paid for, with its cost" },
  "gateway.re_registered": {
    level: "warn",
    says: "the gateway had stopped sending requests (an expired lease, a full database, a refusal that another process met); it has registered again",
  },
  "gateway.not_registered": {
    level: "warn",
    says: "the gateway has stopped sending requests and could not register again; it serves stored answers, and tries again",
  },
  "gateway.not_loaded": {
    level: "warn",
    says: "the answer to a caller is stored, but could not be loaded into its table",
  },
  "gateway.not_released": {
    level: "warn",
    says: "a call has ended, but its claim could not be deleted: other gateways wait for an equal call until the claim expires",
  },
  "gateway.failed": { level: "error", says: "a call met an unexpected error" },
  "console.run_failed": { level: "error", says: "a run that the console started ended with an error" },
  "console.not_recorded": {
    level: "error",
    says: "the outcome of an action of the console, or the run that it started, could not be recorded in ops.audit_log; the action goes on",
  },
  "alert.fired": { level: "info", says: "an alert fired: its name, and for how many subjects and days" },
  "alert.check_failed": { level: "warn", says: "an alert could not be checked; the next check tries again" },
  "incident.opened": { level: "warn", says: "an incident has opened" },
  "incident.closed": { level: "info", says: "an incident has closed" },
  "notification.sent": { level: "info", says: "the webhook accepted a message" },
  "notification.failed": {
    level: "warn",
    says: "the webhook did not accept a message; it logs the time of the next try",
  },
  "ping.failed": {
    level: "warn",
    says: "NOTIFY_PING_URL did not accept a ping; it is requested again after a minute",
  },
  "watch.check_failed": { level: "warn", says: "one kind of incident, or the alerts, could not be checked" },
  "watch.failed": { level: "warn", says: "a whole check for incidents failed; logged at debug while it keeps failing" },
} as const satisfies Record<string, { level: Level; says: string }>;
