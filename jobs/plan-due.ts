import type { Task } from "graphile-worker";
import { z } from "zod";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import { joinPlanning } from "../src/runs/scheduled-planning.ts";
import { planAgreed } from "../src/runs/scheduled-run.ts";
import type { TaskContext } from "./task-context.ts";

/** `plan_due` in the crontab may name datasets: `plan_due {"datasets":["keyword_rank"]}`; without them all that are on. */
export const PlanDuePayload = z.strictObject({ datasets: z.array(z.string()).default([]) });

/**
 * The payload of a job: that of its crontab line, with what graphile-worker adds; `collects` in a job that ended slices queued; `joins` in
 * a job with which a planning worker lets others take part.
 */
const JobPayload = PlanDuePayload.extend({
  _cron: z.unknown().optional(),
  collects: z.literal(true).optional(),
  joins: z.literal(true).optional(),
});

/** True for a job in which a worker takes part in another worker's planning. */
export function joinsOthers(payload: unknown): boolean {
  return JobPayload.safeParse(payload).data?.joins === true;
}

/**
 * Slices of one wave end one after the other: planning waits this many times the first retry wait, so that it runs once for all of them.
 */
const waits = 2;

/**
 * The clock only triggers the planner; what is due comes from coverage, so a missed night is caught up automatically. After a run that a
 * person started, such as a retry of everything, only those of its datasets are planned that the crontab plans.
 */
export default function planDueTask(parts: IngestParts, context: TaskContext): Task {
  return async (payload) => {
    const { datasets, collects, joins } = JobPayload.parse(payload);
    if (joins) return joinPlanning(parts, context.settings);
    if (collects) await parts.clock.sleep(waits * parts.retryMs, parts.halted).catch(() => undefined);
    const named = collects ? datasets.filter((name) => context.datasets.includes(name)) : datasets;
    // an empty list would mean all that are on
    if (!collects || named.length > 0) await planAgreed(parts, context.settings, named);
  };
}
