import type { Task } from "graphile-worker";
import type { z } from "zod";
import type { Settings } from "../src/config/settings.ts";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import planDueTask, { PlanDuePayload } from "./plan-due.ts";
import retentionTask, { RetentionPayload } from "./retention.ts";

/** The settings of a worker, and the datasets that its crontab plans. */
export type Schedule = { readonly settings: Settings; readonly datasets: readonly string[] };

/** A task that lines of the crontab may name. */
export type Job = {
  /** What stands behind the task in a line; nothing counts as `{}`. */
  readonly payload: z.ZodType;
  readonly task: (parts: IngestParts, plan: Schedule) => Task;
  /** True when it plans the datasets that its payload names, and so has a price. */
  readonly plans: boolean;
};

/** Every task, by its name in the crontab. */
export const jobs: Readonly<Record<string, Job>> = {
  plan_due: { payload: PlanDuePayload, task: planDueTask, plans: true },
  retention: { payload: RetentionPayload, task: retentionTask, plans: false },
};
