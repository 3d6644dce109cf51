import { beforeEach } from "vitest";
import type { SliceDraft } from "../../src/core/slice.ts";
import { noteDatasets } from "../../src/ledger/dataset-timings.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { datasetLine, draft, ending, ledgerForTests, now, today } from "./ledger-stage.ts";

const hour = 3_600_000;

/** A ledger for the tests of one `describe` about slices of a dataset by day that failed and are due again. */
export function dueTriesForTests() {
  const ledger = ledgerForTests();

  beforeEach(() =>
    noteDatasets(
      ledger.stage.db,
      [datasetLine("keyword_rank")],
      [{ dataset: "keyword_rank", scope: null, kind: "series", settle_days: 1, lookback_days: 0, history_days: 10 }],
      { account: "", planned: [], today },
    ),
  );

  /** A slice that failed an hour ago and is due again since `dueAt`. */
  async function failed(
    change: Partial<SliceDraft> = {},
    { run = "", dueAt = now - hour }: { run?: string; dueAt?: number | null } = {},
  ) {
    const { stage } = ledger;
    const [id = ""] = await stage.insert(run || (await stage.run({ kind: "schedule" })), draft(change));
    const slice = await stage.claimed(id, ledger.worker);
    const error = { code: "server_error", message: "500" };
    await endAttempt(stage.db, slice, { ...ending, state: "failed", error, counts: true, dueAt }, now - hour);
    return id;
  }

  return { ledger, failed };
}
