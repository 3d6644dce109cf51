import type { Log } from "../core/log.ts";
import type { EndedRequest } from "./metrics.ts";

/** Adds up what a worker sends, so that its log has a line a look and not one a request. */
export type Tally = {
  readonly note: (request: EndedRequest) => void;
  /** Logs what was sent since the last report; nothing when nothing was. */
  readonly report: () => void;
};

/** Opens the tally of a worker. */
export function createTally(log: Log): Tally {
  let requests = 0;
  let failed = 0;
  let durationMs = 0;
  return {
    note: (request) => {
      requests += 1;
      durationMs += request.durationMs;
      if (request.outcome !== "ok") failed += 1;
    },
    report: () => {
      if (requests === 0) return;
      log.info({ requests, failed, mean_ms: Math.round(durationMs / requests) }, "requests.sent");
      [requests, failed, durationMs] = [0, 0, 0];
    },
  };
}
