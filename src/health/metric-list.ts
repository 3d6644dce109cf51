/** How a figure behaves: a gauge goes up and down, a counter only up. */
type MetricKind = "gauge" | "counter";

/**
 * Figures of the whole fleet, which every worker tells alike, out of the ledger. None has a label for an app, a keyword or a slice:
 * there would be no end to their values.
 */
export const fleetMetrics = {
  storehouse_slices: {
    kind: "gauge",
    labels: ["dataset", "state"],
    help: "Slices in the ledger by dataset and state.",
  },
  storehouse_rows_total: { kind: "counter", labels: ["dataset"], help: "Rows that answers held, changed or not." },
  storehouse_rejects_total: { kind: "counter", labels: ["dataset"], help: "Rows of answers that did not fit." },
  storehouse_freshness_seconds: {
    kind: "gauge",
    labels: ["dataset"],
    help: "Seconds since the end of the newest day that came; since it was first planned when none did.",
  },
  storehouse_freshness_limit_seconds: {
    kind: "gauge",
    labels: ["dataset"],
    help: "Seconds after which the dataset counts as late.",
  },
  storehouse_credits_allowance: { kind: "gauge", labels: [], help: "Credits of a period." },
  storehouse_credits_left: { kind: "gauge", labels: [], help: "Credits left of it, as the service last told." },
  storehouse_credits_held: { kind: "gauge", labels: [], help: "Credits held for requests under way." },
  storehouse_credits_spent: {
    kind: "gauge",
    labels: ["class"],
    help: "Credits booked in the running period (30 days where none is known) by class.",
  },
  storehouse_credits_reset_timestamp_seconds: { kind: "gauge", labels: [], help: "When the period ends, Unix time." },
  storehouse_queue_slices: { kind: "gauge", labels: ["class"], help: "Slices that may be taken now by class." },
  storehouse_queue_age_seconds: {
    kind: "gauge",
    labels: ["class"],
    help: "Seconds since the oldest of them could have been taken.",
  },
  storehouse_workers: { kind: "gauge", labels: ["kind"], help: "Processes that have not ended by kind." },
  storehouse_worker_silence_seconds: {
    kind: "gauge",
    labels: ["kind"],
    help: "Seconds since the last heartbeat of the one of them that is silent for longest.",
  },
  storehouse_run_end_timestamp_seconds: {
    kind: "gauge",
    labels: ["kind", "outcome"],
    help: "When the last run of this kind ended so, Unix time.",
  },
  storehouse_incidents_open: { kind: "gauge", labels: ["kind"], help: "Incidents that are not over by kind." },
  storehouse_database_bytes: { kind: "gauge", labels: [], help: "Size of the database." },
  storehouse_facts_timestamp_seconds: {
    kind: "gauge",
    labels: [],
    help: "When the figures above were read from the ledger, Unix time; they are missing while it cannot be read.",
  },
} as const satisfies Record<string, { kind: MetricKind; labels: readonly string[]; help: string }>;

/** The name of a fleet metric. */
export type FleetMetric = keyof typeof fleetMetrics;

/** Figures of the one worker that tells them. */
export const workerMetrics = {
  storehouse_database_up: {
    kind: "gauge",
    labels: [],
    help: "1 when Postgres answered this scrape within its time, else 0.",
  },
  storehouse_worker_state: { kind: "gauge", labels: ["state"], help: "1 for what this worker does now, else 0." },
  storehouse_requests_total: {
    kind: "counter",
    labels: ["operation", "outcome"],
    help: "Requests that this worker sent by outcome: ok or the code of the error.",
  },
  storehouse_request_duration_seconds: {
    kind: "histogram",
    labels: ["operation", "status"],
    help: "Seconds from sending a request to the last byte of its answer by HTTP status; none when no answer came.",
  },
} as const satisfies Record<string, { kind: MetricKind | "histogram"; labels: readonly string[]; help: string }>;
