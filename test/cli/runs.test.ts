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
