import { expect, test } from "vitest";
import { openIngest } from "../../src/open-ingest.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openShards } from "../../src/ledger/run-shards.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { planDue } from "../../src/runs/scheduled-run.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";

const lists = ["tracked_app", "tracked_country", "tracked_keyword"];

/** Goes on with the planning of a run that a killed worker had begun, of the lists and the ranks; returns of which datasets it queued slices. */
async function goOn(stage: Stage, settings: NonNullable<RunOptions["settings"]>): Promise<readonly string[]> {
  await using app = await stage.open({ settings });
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  const { db } = ingest.parts;
  const start = { kind: "schedule", workerId: null, account: "", asOf: today, maxCredits: null } as const;
  const runId = await openRun(db, { ...start, datasets: [...lists, "keyword_rank"] }, app.clock.now());
  await openShards(db, runId, { step: "market", shards: [{ number: 0, of: 1 }] });
  await planDue(ingest.parts, app.config.settings, ["tracked_app"]);
  expect(await stage.query("select from ops.run_shard")).toEqual([]);
  const found = await stage.query<{ dataset: string }>("select distinct dataset from ops.slice where run_id = $1", [
    runId,
  ]);
  return found.map(({ dataset }) => dataset);
}

test("a planning that a killed worker left is gone on with, without datasets that were switched off since", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 3 } });
  await stage.sync({ request: { datasets: lists } });
  expect(await goOn(stage, { datasets: { keyword_rank: { on: false } } })).toEqual([]);
  expect(await goOn(stage, {})).toEqual(["keyword_rank"]);
});
