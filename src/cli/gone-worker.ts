import { accountOf } from "../config/config-of-account.ts";
import type { App } from "../app.ts";
import { readWorkerCounts } from "../ledger/worker-counts.ts";
import { remark } from "./output.ts";
import { minuteOf } from "../core/words.ts";

/**
 * Reports in one line that the last worker died, is frozen or ended with an error, and that none runs. Reports nothing for a role that may
 * not read this.
 */
export async function reportGoneWorker({ warehouse, config }: Pick<App, "warehouse" | "config">): Promise<void> {
  const workers = await readWorkerCounts(warehouse.db, accountOf(config.settings)).catch(() => null);
  if (workers === null) return;
  const { running, late, waiting, beatAt, lastEndedAs } = workers;
  if (running > late || waiting > 0 || beatAt === null || lastEndedAs === "stopped") return;
  const { summaryOf } = await import("../incidents/kinds.ts");
  const facts = { until: null, ended_as: lastEndedAs };
  remark(summaryOf({ kind: "no_worker", facts }, minuteOf(beatAt)));
}
