import type { Task } from "graphile-worker";
import { z } from "zod";
import type { Settings } from "../src/config/settings.ts";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import { planDue } from "../src/runs/scheduled-run.ts";

/** `plan_due` in the crontab may name datasets: `plan_due {"datasets":["keyword_rank"]}`; without them all that are on. */
export const PlanDuePayload = z.strictObject({ datasets: z.array(z.string()).default([]) });

/** What graphile-worker adds to the payload of a line of the crontab, and `collects` of a job that ended slices queued. */
const Ticked = PlanDuePayload.extend({ _cron: z.unknown().optional(), collects: z.literal(true).optional() });

/** Slices of one wave end one after the other: planning waits for so many first retry waits, so that it runs once for all of them. */
const waits = 2;

/** The clock only triggers the planner; what is due comes from coverage, so a missed night is caught up automatically. */
export default function planDueTask(parts: IngestParts, settings: Settings): Task {
  return async (payload) => {
    const { datasets, collects } = Ticked.parse(payload);
    if (collects) await parts.clock.sleep(waits * parts.retryMs, parts.halted).catch(() => undefined);
    await planDue(parts, settings, datasets);
  };
}
