import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import type { Access } from "./access.ts";

/**
 * Requests per minute that one visitor may make: far more than a person makes, or a page that refreshes every two seconds, and fewer than
 * would keep the process or the database busy.
 */
const aMinute = {
  /** Pages, and rows of the grid that are scrolled to. */
  page: 1_200,
  /** Pages that draw or plan: enough for a selection that a person watches during a run, which takes one every second. */
  someEffort: 120,
  /** Pages that plan a whole portfolio. */
  muchEffort: 20,
  action: 60,
  stream: 60,
} as const;

/** Hooks that let a request pass, or end it as `console_too_often`. */
export type RequestLimits = Readonly<Record<keyof typeof aMinute, onRequestAsyncHookHandler>>;

/** Makes the limits of a console: each counts a visitor's requests over all routes that use it. */
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
