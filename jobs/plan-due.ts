import type { Task } from "graphile-worker";
import { z } from "zod";
import type { Settings } from "../src/config/settings.ts";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import { planDue } from "../src/runs/scheduled-run.ts";

/** `plan_due` in the crontab may name datasets: `plan_due {"datasets":["keyword_rank"]}`; without them all that are on. */
export const PlanDuePayload = z.strictObject({ datasets: z.array(z.string()).default([]) });

/** What graphile-worker adds to the payload of a line of the crontab. */
const Ticked = PlanDuePayload.extend({ _cron: z.unknown().optional() });

/** The clock only triggers the planner; what is due comes from coverage, so a missed night is caught up automatically. */
export default function planDueTask(parts: IngestParts, settings: Settings): Task {
  return (payload) => planDue(parts, settings, Ticked.parse(payload).datasets);
}
