import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import type { Access } from "./access.ts";

/**
 * How often a minute one visitor may request what: far more than a person does, and than a page of theirs that turns every two seconds, and
 * less than would keep the process or the database busy.
 */
const aMinute = {
  /** Pages, and rows of the grid that are scrolled to. */
  page: 1_200,
  /** Pages that draw or plan: one every second, as a selection takes that a person watches while something runs. */
  someEffort: 120,
  /** Pages that plan a whole portfolio. */
  muchEffort: 20,
  action: 60,
  stream: 60,
} as const;

/** What lets a request pass, or ends it as `console_too_often`. */
export type RequestLimits = Readonly<Record<keyof typeof aMinute, onRequestAsyncHookHandler>>;

/** Makes the limits of a console: each counts by visitor over all routes that have it. */
export function createLimits(server: FastifyInstance, { countedFor }: Access): RequestLimits {
  const limit = (max: number) => server.rateLimit({ max, timeWindow: "1 minute", keyGenerator: countedFor });
  return {
    page: limit(aMinute.page),
    someEffort: limit(aMinute.someEffort),
    muchEffort: limit(aMinute.muchEffort),
    action: limit(aMinute.action),
    stream: limit(aMinute.stream),
  };
}
