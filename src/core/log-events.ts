/** How loud an event is. What happens once a slice or a request is `debug`: a night has thousands of them. */
type Level = "debug" | "info" | "warn" | "error";

/** Every event of the log by its name (`msg`), with its level and what it tells. A test holds this list against the code. */
export const logEvents = {
  "worker.started": { level: "info", says: "a worker is at work" },
  "worker.stopping": { level: "info", says: "it was told to stop, and gives back what it has not begun" },
  "worker.re_registered": { level: "warn", says: "it was silent for so long that it was taken for dead" },
  "schedule.planned": { level: "info", says: "a tick of the schedule has planned: how many slices are new" },
  "retention.month": { level: "info", says: "a month of a table that is kept no longer has gone" },
  "requests.sent": { level: "info", says: "what this worker sent since the last look for what is wrong" },
  "slice.ended": { level: "debug", says: "a slice is loaded or empty" },
  "slice.attempt_failed": {
    level: "warn",
    says: "an attempt failed; at debug where it waits, was stopped, or there is nothing to have",
  },
  "slices.poisoned": { level: "error", says: "slices failed because whoever ran them died each time" },
  "runs.adopted": { level: "warn", says: "what dead foreground runs left open is done by the workers" },
  "runs.over_budget": {
    level: "info",
    says: "what dead foreground runs left open is forgotten where their --max-credits does not pay for it",
  },
  "credits.resumed": { level: "info", says: "slices that waited for credits go on before the reset" },
  "workers.dead": { level: "warn", says: "dead processes were found, and what they held was freed" },
  "heartbeat.failed": { level: "warn", says: "a heartbeat or the look for dead processes failed" },
  "api.unavailable": { level: "warn", says: "the API answers nobody; the worker waits" },
  "api.recovered": { level: "info", says: "it answers again" },
  "api.refused": {
    level: "error",
    says: "the API refused token or account, so nothing is asked for; at debug where that is known",
  },
  "api.still_refused": { level: "debug", says: "a look found it refused still" },
  "api.requests_resumed": { level: "warn", says: "a look found the token accepted; asking begins again" },
  "database.unavailable": { level: "warn", says: "the database does not answer; the worker waits" },
  "database.recovered": { level: "info", says: "it answers again" },
  "queue.error": { level: "error", says: "graphile-worker reports an error" },
  "queue.warning": { level: "warn", says: "graphile-worker reports trouble" },
  "queue.detail": { level: "debug", says: "graphile-worker's own log" },
  "queue.orphaned_claims": { level: "warn", says: "slices whose claim was lost with a connection were given back" },
  "health.listening": { level: "info", says: "health checks and metrics are answered on this port" },
  "health.port_taken": { level: "warn", says: "health.port was taken: another one is used, or none" },
  "incident.opened": { level: "warn", says: "something is wrong: kind, subject, and what to do" },
  "incident.closed": { level: "info", says: "it is over" },
  "notification.sent": { level: "info", says: "the webhook took a message" },
  "notification.failed": { level: "warn", says: "it did not; when it is tried again" },
  "watch.check_failed": { level: "warn", says: "one kind of trouble could not be looked for" },
  "watch.failed": { level: "warn", says: "a look failed as a whole; at debug while it goes on failing" },
} as const satisfies Record<string, { level: Level; says: string }>;
