import { accountOf } from "../config/config-of-account.ts";
import type { App } from "../app.ts";
import { readGoneWorker } from "../ledger/worker-gaps.ts";
import { remark } from "./output.ts";
import { minuteOf } from "../core/words.ts";

/**
 * Reports in one line that the last worker died or ended with an error and that none runs. Reports nothing for a role that may not read
 * this.
 */
export async function reportGoneWorker({ warehouse, config }: App): Promise<void> {
  const gone = await readGoneWorker(warehouse.db, accountOf(config.settings)).catch(() => null);
  if (gone === null) return;
  const { summaryOf } = await import("../incidents/kinds.ts");
  const facts = { until: null, ended_as: gone.endedAs };
  remark(summaryOf({ kind: "no_worker", facts }, minuteOf(gone.since)));
}
