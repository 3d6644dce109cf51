import { expect, test } from "vitest";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { openStage } from "../support/ingest-stage.ts";

const market = { apps: 1, countries: ["US"] };

test("a process that registers again after an outage leaves others the time for a heartbeat before it declares them dead; one that starts does not", async () => {
  await using stage = await openStage({ market });
  await using app = await stage.open();
  // as an outage leaves it: its lock went with its session, and no heartbeat got through for a minute
  await stage.query(`
    insert into ops.worker (kind, host, pid, started_at, heartbeat_at)
    values ('worker', 'elsewhere', 1, now() - interval '1 hour', now() - interval '1 minute')`);
  const found = () => stage.query("select ended_as from ops.worker where host = 'elsewhere'");
  {
    await using ingest = await openIngest(app, "worker", createRunLimit(null), { again: true });
    await ingest.parts.reapDeadWorkers();
    expect(await found()).toEqual([{ ended_as: null }]);
  }
  await using _ = await openIngest(app, "worker", createRunLimit(null));
  expect(await found()).toEqual([{ ended_as: "died" }]);
});
