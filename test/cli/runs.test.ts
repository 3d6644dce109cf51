import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { openStage } from "../support/ingest-stage.ts";

test("what aborted runs is said once for all runs with the same error", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.query(
    `insert into ops.run (kind, as_of, datasets, started_at, ended_at, outcome, error_code, error_message)
     select 'sync', now(), '{}', now(), now(), 'aborted', 'forbidden', message
     from   unnest(array['forbidden: no access', 'unauthorised: the token', 'forbidden: no access']) with ordinality as n (message, at) order by at`,
  );
  const { stdout } = await runCommand(stage, ["runs"]);
  expect(stdout).toMatch(
    /UTC\.\n\nRuns 3, 1 were aborted: forbidden: no access\n\nRun 2 was aborted: unauthorised: the token\n$/,
  );
});

test("a failed run names the run that has its slices now, after several retries and with an empty slice that nobody planned", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"] } });
  const failing = (times: number) =>
    stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times, kind: "status" }] });
  failing(1_000);
  const { runId } = await stage.sync();
  // as the end of an answer that is shorter than its window
  const columns =
    "dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, run_id, created_at";
  await stage.query(
    `insert into ops.slice (${columns}, state, planned_requests, planned_credits)
     select ${columns}, 'empty', 0, 0 from ops.slice where run_id = $1 and state = 'loaded'`,
    [runId],
  );
  await stage.retry();
  failing(0);
  const last = await stage.retry();
  const { stdout } = await runCommand(stage, ["runs"]);
  for (const run of [1, 2])
    expect(stdout).toMatch(new RegExp(`Of the slices of run ${run}, \\d retried by run ${last.runId}\\.`));
});
