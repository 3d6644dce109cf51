import type { Window } from "../src/core/window.ts";
import type { Config } from "../src/config/config.ts";
import { archiveMeasured, type ArchiveTime, type ArchiveWork } from "./archive-measured.ts";
import { answerParent } from "./child.ts";
import { loadAlone, type LoadTime } from "./load-answers.ts";
import { benchPlanner, type PlannerFigures, type PlannerScale } from "./planner.ts";
import { syncMeasured, type SyncTime } from "./sync-measured.ts";
import type { Work } from "./work.ts";

/** What this process has to do. */
export type Order =
  | { readonly kind: "sync"; readonly config: Config; readonly work: Work | Partial<Window>; readonly again: boolean }
  | { readonly kind: "load"; readonly config: Config; readonly changed: boolean }
  | ({ readonly kind: "archive" } & ArchiveWork)
  | { readonly kind: "plan"; readonly scale: PlannerScale };

// the part that is measured, in a separate process: neither the bench's data nor the service's work counts
answerParent((received): Promise<SyncTime | LoadTime | ArchiveTime | readonly PlannerFigures[]> => {
  const order = received as Order;
  if (order.kind === "archive") return archiveMeasured(order);
  if (order.kind === "sync") return syncMeasured(order);
  return order.kind === "load" ? loadAlone(order) : benchPlanner(order.scale);
});
