/** The type of a metric: a gauge goes up and down, a counter only up. */
type MetricKind = "gauge" | "counter";

/**
 * Metrics of the whole fleet, read from the ledger; every worker exports the same values, but credits only for its account (label
 * `account`, left out for that of API_TOKEN). None is a counter: the outcome of an answer changes if it is loaded again, and to Prometheus
 * a counter that falls has been reset. None has a label for an app, a keyword or a slice, since their number is unlimited.
 */
export const fleetMetrics = {
  storehouse_slices: {
    kind: "gauge",
    labels: ["dataset", "state"],
    help: "Slices in the ledger by dataset and state.",
  },
  storehouse_rows: {
    kind: "gauge",
    labels: ["dataset"],
    help: "Rows in loaded answers, whether or not they changed anything.",
  },
  storehouse_rejects: {
    kind: "gauge",
    labels: ["dataset"],
    help: "Rejected rows of answers; the value falls when an answer is loaded again without rejects.",
  },
  storehouse_freshness_seconds: {
    kind: "gauge",
    labels: ["dataset"],
    help: "Seconds since the end of the newest loaded day, or, if no day is loaded, since the dataset was first planned.",
  },
  storehouse_freshness_limit_seconds: {
    kind: "gauge",
    labels: ["dataset"],
    help: "Freshness limit in seconds: an older newest day opens the incident dataset_stale.",
  },
  storehouse_credits_allowance: {
    kind: "gauge",
    labels: ["account"],
    help: "Credits of a whole period; without the label account for the account of API_TOKEN.",
  },
  storehouse_credits_left: {
    kind: "gauge",
    labels: ["account"],
    help: "Credits left in the period, according to the last known balance.",
  },
  storehouse_credits_held: { kind: "gauge", labels: ["account"], help: "Credits reserved for running requests." },
  storehouse_credits_spent: {
    kind: "gauge",
    labels: ["account", "class"],
    help: "Credits booked in the current period (all on record if the period is unknown) by class.",
  },
  storehouse_credits_reset_timestamp_seconds: {
    kind: "gauge",
    labels: ["account"],
    help: "End of the period, Unix time.",
  },
  storehouse_queue_slices: { kind: "gauge", labels: ["class"], help: "Slices that a worker can claim now, by class." },
  storehouse_queue_age_seconds: {
    kind: "gauge",
    labels: ["class"],
    help: "Seconds for which the oldest of these slices has been due.",
  },
  storehouse_workers: { kind: "gauge", labels: ["kind"], help: "Registered processes that have not ended, by kind." },
  storehouse_worker_heartbeat_age_seconds: {
    kind: "gauge",
    labels: ["kind"],
    help: "Seconds since the latest heartbeat of the process whose heartbeat is the oldest.",
  },
  storehouse_run_end_timestamp_seconds: {
    kind: "gauge",
    labels: ["kind", "outcome"],
    help: "End of the last run of this kind with this outcome, for a scheduled run of its planning, Unix time.",
  },
  storehouse_gateway_calls: {
    kind: "gauge",
    labels: ["caller", "answered"],
    help: "Calls of a gateway caller today (UTC): hit (answered from stored answers), joined (shared the answer to an equal call) or sent (requests to the API).",
  },
  storehouse_gateway_credits: {
    kind: "gauge",
    labels: ["caller", "kind"],
    help: "Credits of a gateway caller today (UTC): charged for its requests, and saved by calls that were not sent.",
  },
  storehouse_incidents_open: { kind: "gauge", labels: ["kind"], help: "Open incidents by kind." },
  storehouse_database_bytes: { kind: "gauge", labels: [], help: "Size of the database." },
  storehouse_ledger_read_timestamp_seconds: {
    kind: "gauge",
    labels: [],
    help: "When the fleet metrics were read from the ledger, Unix time; they have no values while it cannot be read.",
  },
} as const satisfies Record<string, { kind: "gauge"; labels: readonly string[]; help: string }>;

/** The name of a fleet metric. */
export type FleetMetric = keyof typeof fleetMetrics;

/** Metrics of the worker that exports them. */
export const workerMetrics = {
  storehouse_database_up: {
    kind: "gauge",
    labels: [],
    help: "1 if Postgres responded in time during this scrape, otherwise 0.",
  },
  storehouse_worker_state: {
    kind: "gauge",
    labels: ["state"],
    help: "1 for the current state of this worker, otherwise 0.",
  },
  storehouse_requests_total: {
    kind: "counter",
    labels: ["operation", "outcome"],
    help: "Requests that this worker sent, by outcome: ok or the error code.",
  },
  storehouse_request_duration_seconds: {
    kind: "histogram",
    labels: ["operation", "status"],
    help: "Seconds from sending a request to the last byte of its answer, by HTTP status; the status is none if there was no answer.",
  },
} as const satisfies Record<string, { kind: MetricKind | "histogram"; labels: readonly string[]; help: string }>;
