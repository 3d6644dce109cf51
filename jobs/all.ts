import type { Task } from "graphile-worker";
import type { z } from "zod";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import exportTask, { ExportPayload } from "./export.ts";
import planDueTask, { PlanDuePayload } from "./plan-due.ts";
import publishTask, { PublishPayload } from "./publish.ts";
import retentionTask, { RetentionPayload } from "./retention.ts";
import type { TaskContext } from "./task-context.ts";

/** A task that lines of the crontab may name. */
export type Job = {
  /** The text after the task in a line; none counts as `{}`. */
  readonly payload: z.ZodType;
  readonly task: (parts: IngestParts, context: TaskContext) => Task;
  /** True when it plans the datasets that its payload names, and so has a price. */
  readonly plans: boolean;
};

/** Every task, by its name in the crontab. */
export const jobs: Readonly<Record<string, Job>> = {
  plan_due: { payload: PlanDuePayload, task: planDueTask, plans: true },
  retention: { payload: RetentionPayload, task: retentionTask, plans: false },
  export: { payload: ExportPayload, task: exportTask, plans: false },
  publish: { payload: PublishPayload, task: publishTask, plans: false },
};
