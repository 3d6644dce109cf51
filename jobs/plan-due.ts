import type { Task } from "graphile-worker";
import { z } from "zod";
import type { Settings } from "../src/config/settings.ts";
import type { IngestParts } from "../src/ingest/parts.ts";
import { planDue } from "../src/ingest/plan-due.ts";

/** `plan_due` in the crontab may name datasets: `plan_due {"datasets":["keyword_rank"]}`; without them all that are on. */
const Payload = z.object({ datasets: z.array(z.string()).default([]) });

/** The clock only ticks the planner; what is due comes from coverage, so a missed night is caught up by itself. */
export default function planDueTask(parts: IngestParts, settings: Settings): Task {
  return (payload) => planDue(parts, settings, Payload.parse(payload).datasets);
}
