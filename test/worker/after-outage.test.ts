import { expect, test } from "vitest";
import { hourMs } from "../../src/core/day.ts";
import { fail } from "../../src/core/errors.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { usualIntervals } from "../../src/runs/heartbeat.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";

const market = { apps: 1, countries: ["US"] };

/** As an outage leaves a process: its lock went with its session, and no heartbeat got through for a minute. */
const enterLate = (stage: Stage) =>
  stage.query(`
    insert into ops.worker (kind, host, pid, started_at, heartbeat_at)
    values ('worker', 'elsewhere', 1, now() - interval '1 hour', now() - interval '1 minute')`);

const found = (stage: Stage) => stage.query("select ended_as from ops.worker where host = 'elsewhere'");

test("a process that registers again after an outage leaves others the time for a heartbeat before it declares them dead; one that starts does not", async () => {
  await using stage = await openStage({ market });
  await using app = await stage.open();
  await enterLate(stage);
  {
    await using ingest = await openIngest(app, "worker", createRunLimit(null), { again: true });
    await ingest.parts.reapDeadWorkers();
    expect(await found(stage)).toEqual([{ ended_as: null }]);
  }
  await using _ = await openIngest(app, "worker", createRunLimit(null));
  expect(await found(stage)).toEqual([{ ended_as: "died" }]);
});

test("it judges after that time even if the clock of its machine has been set back by hours", async () => {
  await using stage = await openStage({ market });
  await using app = await stage.open();
  await enterLate(stage);
  let behind = 0;
  const clock = {
    ...app.clock,
    now: () => app.clock.now() - behind,
    // without heartbeats, which judge by their own count
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
  };
  const intervals = { ...usualIntervals, beatMs: 20 };
  await using ingest = await openIngest({ ...app, clock, intervals }, "worker", createRunLimit(null), { again: true });
  behind = 3 * hourMs;
  await until(async () => {
    await ingest.parts.reapDeadWorkers();
    return (await found(stage))[0]?.["ended_as"] !== null;
  });
  expect(await found(stage)).toEqual([{ ended_as: "died" }]);
});

test("a process whose answers wait for room on a full disk reports that with its heartbeats, which need no room", async () => {
  await using stage = await openStage({ market });
  await using app = await stage.open();
  const reported: (string | null)[] = [];
  const intervals = { ...usualIntervals, beatMs: 20 };
  await using ingest = await openIngest({ ...app, intervals }, "worker", createRunLimit(null), {
    onBeat: (problem) => reported.push(problem?.code ?? null),
  });
  await until(() => reported.length > 0);
  expect(new Set(reported)).toEqual(new Set([null]));
  ingest.parts.abort(fail("database_full"));
  reported.length = 0;
  await until(() => reported.length > 1);
  expect(new Set(reported.slice(1))).toEqual(new Set(["database_full"]));
});
