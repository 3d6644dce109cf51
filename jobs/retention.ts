import type { Task } from "graphile-worker";
import { z } from "zod";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import { retireQuietly } from "../src/runs/retention.ts";
import type { TaskContext } from "./task-context.ts";

/** A line of the crontab has no payload for it. */
export const RetentionPayload = z.strictObject({});

/** Drops or detaches months of requests that are no longer kept, and of facts if the configuration limits how long they are kept. */
export default function retentionTask(parts: IngestParts, { settings, config, warehouse }: TaskContext): Task {
  return async () => {
    // loaded when it is due: a worker has no other use for it
    const { withPublishedCheck } = await import("../src/publish/verify-month.ts");
    await withPublishedCheck(warehouse, config, (mayGo) => retireQuietly(parts, { settings, mayGo }));
  };
}
