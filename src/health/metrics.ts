import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Clock } from "../core/clock.ts";
import { fail } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Database } from "../postgres/database.ts";
import type { CheckParts } from "../incidents/check-parts.ts";
import { fleetSamples, readFleet, type FleetFigures } from "./fleet.ts";
import { createCachedRead } from "./cached-read.ts";
import { fleetMetrics, workerMetrics, type FleetMetric } from "./metric-list.ts";
import { workerStates, type WorkerState } from "./worker-state.ts";

/** A request as it ended. `status` is null if no answer came; `outcome` is ok or the code of the error. */
export type EndedRequest = {
  readonly operation: string;
  readonly status: number | null;
  readonly outcome: string;
  readonly durationMs: number;
};

/** The metrics of one worker. */
export type Metrics = {
  readonly recordRequest: (request: EndedRequest) => void;
  /** All metrics in the text format of Prometheus. */
  readonly scrape: () => Promise<{ readonly contentType: string; readonly text: string }>;
};

type Parts = Omit<CheckParts, "db"> & {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Null while it is not open. */
  readonly db: () => Database | null;
  /** True if the database responds in time. */
  readonly isDatabaseUp: () => Promise<boolean>;
  readonly state: () => WorkerState | null;
};

/** From an answer of a cache to the longest timeout of a request, in seconds. */
const buckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600];

/** Makes the metrics of one worker, in a separate registry. */
export function createMetrics(parts: Parts): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const own = ownMetrics(registry);
  const fleet = fleetGauges(registry);
  const figures = createCachedRead(
    parts.clock,
    async () => {
      const db = parts.db();
      if (db === null) throw fail("database_unreachable");
      return readFleet({ ...parts, db });
    },
    { onFailed: (problem) => parts.log.warn({ problem }, "health.figures_unknown") },
  );
  return {
    recordRequest: ({ operation, status, outcome, durationMs }) => {
      own.requests.inc({ operation, outcome });
      own.durations.observe({ operation, status: status === null ? "none" : String(status) }, durationMs / 1000);
    },
    scrape: async () => {
      const isUp = await parts.isDatabaseUp();
      own.databaseUp.set(isUp ? 1 : 0);
      const now = parts.state()?.is;
      for (const state of workerStates) own.state.set({ state }, state === now ? 1 : 0);
      // without a database the figures of the fleet are unknown: no figure is better than an old one
      fleet(isUp ? await figures.get() : null);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function ownMetrics(registry: Registry) {
  const of = (name: keyof typeof workerMetrics) => {
    const { help, labels } = workerMetrics[name];
    return { name, help, labelNames: [...labels], registers: [registry] };
  };
  return {
    databaseUp: new Gauge(of("storehouse_database_up")),
    state: new Gauge(of("storehouse_worker_state")),
    requests: new Counter(of("storehouse_requests_total")),
    durations: new Histogram({ ...of("storehouse_request_duration_seconds"), buckets }),
  };
}

/** Makes the metrics of the fleet, and the function that sets them to the figures that were read; null removes all values. */
function fleetGauges(registry: Registry): (read: { value: FleetFigures; readAt: number } | null) => void {
  const entries = Object.entries(fleetMetrics).map(([name, { labels, help }]) => {
    const options = { name, help, labelNames: [...labels] as string[], registers: [registry] };
    return [name as FleetMetric, new Gauge(options)] as const;
  });
  return (read) => {
    const samples = read === null ? null : fleetSamples(read.value, read.readAt);
    for (const [name, metric] of entries) {
      metric.reset();
      // a metric without labels is 0 after a reset; an unknown figure must have no value
      if (fleetMetrics[name].labels.length === 0 && (samples?.[name].length ?? 0) === 0) metric.remove();
      for (const { labels, value } of samples?.[name] ?? []) metric.set(labels, value);
    }
  };
}
