import { expect, test } from "vitest";
import { besideWorker } from "../support/beside-worker.ts";
import { startDoomed } from "../support/ingest-child.ts";
import { openStage, until, callText } from "../support/ingest-stage.ts";

const apps = Array.from({ length: 130 }, (_, index) => ({
  id: String(1_000_000 + index),
  countries: ["US"],
  keywords: ["chess"],
}));
const settings = { portfolio: { source: "config" as const, apps } };

test("two workers plan a night together, and what one had begun when it was killed is planned by the other, once", async () => {
  await using stage = await openStage();
  const waiting = async () =>
    (await stage.query("select from pg_locks where not granted and locktype = 'transactionid'")).length;
  const planned = () => stage.query<{ shard: number }>("select shard from ops.run_shard where planned_at is not null");
  // stands still with shards planned and not committed
  await using first = startDoomed(stage, "worker", {
    place: "in a shard",
    settings,
    variables: { TEST_SIGNAL: "SIGSTOP" },
  });
  await until(async () => (await stage.query("select from ops.run_shard")).length === 4);
  await besideWorker(stage, { settings }, async () => {
    await until(async () => (await planned()).length >= 2 && (await waiting()) > 0);
    expect(await stage.query("select from ops.run")).toHaveLength(1);
    first.process.kill("SIGKILL");
    expect(await first.ended).toBe("SIGKILL");
    const open =
      "select from ops.run where outcome is null union all select from ops.slice where state in ('pending', 'running')";
    await until(async () => (await stage.query(open)).length === 0);
  });
  const slices = await stage.query<{ app: string; run_id: string }>(
    "select scope ->> 'app' as app, run_id from ops.slice order by 1",
  );
  expect(slices.map(({ app }) => app)).toEqual(apps.map(({ id }) => id));
  expect(new Set(slices.map(({ run_id }) => run_id)).size).toBe(1);
  const callTexts = stage.requested().map(callText);
  expect(callTexts.length).toBe(new Set(callTexts).size);
  expect(await stage.query("select planned_slices as slices, outcome from ops.run order by run_id limit 1")).toEqual([
    { slices: apps.length, outcome: "planned" },
  ]);
  expect(await stage.query("select from ops.run_shard")).toEqual([]);
});
