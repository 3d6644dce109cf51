import type { App } from "../../src/app.ts";
import { planChunks, type PlanChunk } from "../../src/planner/plan-stream.ts";
import type { SyncRequest } from "../../src/planner/request.ts";

/** The whole plan of a request, chunk by chunk. */
export async function planned(app: App, request: SyncRequest, whole = false): Promise<PlanChunk[]> {
  const chunks: PlanChunk[] = [];
  for await (const chunk of planChunks(app.warehouse.db, request, app.config.settings, whole)) chunks.push(chunk);
  return chunks;
}
