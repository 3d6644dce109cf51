import { operations } from "../api/operations/all.ts";
import { describeOperation, rangeWords } from "../cli/describe.ts";
import { isTriedLater } from "../core/retry-times.ts";
import { errorCodes } from "../core/error-codes.ts";
import { logEvents } from "../core/log-events.ts";
import { incidentKinds, summaryOf, type IncidentKind } from "../incidents/kinds.ts";
import { fleetMetrics, workerMetrics } from "../health/metric-list.ts";
import { pageText, markdownTable } from "./page.ts";

/** The page of errors: each code with what happens and what to do. */
export function errorsPage(): string {
  return pageText({
    file: "reference/errors.md",
    title: "Errors",
    about: [
      "Each error has a stable code, which is stored in `ops.slice` and `ops.request` and shown by `npx storehouse status`.",
      "`retry`: Storehouse requests it again automatically. `later`: a slice that failed with it is requested again, by a worker or by a later sync, after 5 minutes, 30 minutes, 2 hours and 6 hours, and then every day for as long as its days are requested, within `credits.retries_a_day`; `ops.failed_slice` says when. `defer`: the slice waits for credits, a budget, or an API that is unavailable. `skip`: one slice is left out, the others continue. `abort`: all requests stop. `fenced`: another process has the slice. `usage`: you have to change something.",
    ],
    body: [
      markdownTable(
        ["code", "what happens", "meaning", "next step"],
        Object.entries(errorCodes).map(([code, { recovery, says, next }]) => [
          `\`${code}\``,
          isTriedLater(code) ? `${recovery}, later` : recovery,
          says,
          next,
        ]),
      ),
    ],
  });
}

/** The page of operations: each endpoint of the API with its price and limits. */
export function operationsPage(): string {
  const rows = operations.map((operation) => {
    const { id, name, cost, itemLimit, method, path } = describeOperation(operation, storeWords);
    const items = itemLimit === null ? "" : `${itemLimit.items} ${itemLimit.parameter}`;
    return [name, `\`${id}\``, String(cost), rangeWords(operation), items, `\`${method} ${path}\``];
  });
  return pageText({
    file: "reference/operations.md",
    title: "Operations of the API",
    about: [
      "An operation is one endpoint of the API for one store. `npx storehouse operations --json` lists them with their parameters. The words for the two stores in paths are settings (`api.store_words`).",
    ],
    body: [markdownTable(["operation", "id", "credits", "longest range", "items per call", "method and path"], rows)],
  });
}

const storeWords = { ios: "iosstore", android: "androidstore" };

/** The page of metrics: what `/metrics` of a worker serves. */
export function metricsPage(): string {
  return pageText({
    file: "reference/metrics.md",
    title: "Metrics",
    about: [
      "A worker serves these at `/metrics` ([monitoring](../monitoring.md)). Metrics of the whole fleet come from the ledger and are the same on every worker, except that those of credits and freshness are about the account of the worker: with several accounts, scrape a worker of each.",
    ],
    body: [
      markdownTable(
        ["metric", "kind", "labels", "meaning"],
        Object.entries({ ...fleetMetrics, ...workerMetrics }).map(([name, { kind, labels, help }]) => [
          `\`${name}\``,
          kind,
          labels.join(", "),
          help,
        ]),
      ),
    ],
  });
}

const exampleSince = "2026-11-22 03:58 UTC";

/** The page of incidents: what a worker checks for, and what to do. */
export function incidentsPage(): string {
  return pageText({
    file: "reference/incidents.md",
    title: "Incidents",
    about: [
      "One cause opens one incident. Its effects, such as late datasets while the API is unavailable, are named in its message and open no incident of their own.",
      "One of the workers checks for these about every minute (`notify.check_seconds`). Each is a row of `ops.incident_log`, a line of the log and, with `NOTIFY_URL` set, part of a message ([monitoring](../monitoring.md)).",
    ],
    body: [
      markdownTable(
        ["kind", "opens and closes", "message, by an example"],
        Object.entries(incidentKinds).map(([kind, { title, says, example }]) => [
          `\`${kind}\``,
          says,
          `**${title}.** ${summaryOf({ kind: kind as IncidentKind, facts: example }, exampleSince)}`,
        ]),
      ),
    ],
  });
}

/** The page of log events. */
export function eventsPage(): string {
  return pageText({
    file: "reference/events.md",
    title: "Log events",
    about: [
      "Logs go to stderr: as lines of JSON in a pipe or a file, as sentences at a terminal. Each line is one event, with its name in `msg`. `LOG_LEVEL` sets how much is logged.",
    ],
    body: [
      markdownTable(
        ["event", "level", "meaning"],
        Object.entries(logEvents).map(([event, { level, says }]) => [`\`${event}\``, level, says]),
      ),
    ],
  });
}
