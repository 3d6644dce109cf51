import { expect, test } from "vitest";
import { hourMs } from "../../src/core/day.ts";
import { createLog } from "../../src/core/log.ts";
import { usualIntervals } from "../../src/runs/heartbeat.ts";
import { resetFutureRuns } from "../../src/worker/queue-runner.ts";
import { besideWorker } from "../support/beside-worker.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";

/** A log that keeps its warnings. */
function keptLog() {
  const lines: string[] = [];
  const log = createLog({ level: "warn", secrets: [], to: { write: (line: string) => lines.push(line) } });
  return { log, logged: () => lines.map((line) => JSON.parse(line) as { msg: string; lines?: string[] }) };
}

/** Lines of the crontab whose last run is more than a minute in the future. */
const inFuture = (stage: Stage) =>
  stage.query<{ line: string }>(
    "select identifier as line from graphile_worker._private_known_crontabs where last_execution > now() + interval '1 minute' order by 1",
  );

test("the last runs of crontab lines that lie in the future are set to now, and those that another clock has written less than a minute ahead stay", async () => {
  await using stage = await openStage();
  await using app = await stage.open();
  await stage.query(`
    insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
    values ('nightly', now() - interval '1 day', now() + interval '48 hours'), ('hourly', now(), now() + interval '50 seconds'),
           ('weekly', now(), null), ('monthly', now(), now() - interval '3 days')`);
  const others = () =>
    stage.query("select * from graphile_worker._private_known_crontabs where identifier <> 'nightly' order by 1");
  const before = await others();
  const { log, logged } = keptLog();
  await resetFutureRuns({ ...app, log });
  await resetFutureRuns({ ...app, log });
  expect(await inFuture(stage)).toEqual([]);
  expect(await others()).toEqual(before);
  expect(logged()).toMatchObject([{ msg: "schedule.future_runs_reset", lines: ["nightly"] }]);
});

test("a worker whose clock is set back by two days registers again, and its schedule runs by the clock as it is now", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"] } });
  let behind = 0;
  const { log, logged } = keptLog();
  await using app = await stage.open();
  const clock = { ...app.clock, now: () => app.clock.now() - behind };
  await besideWorker(stage, { clock, log, intervals: { ...usualIntervals, beatMs: 50 } }, async () => {
    const known = () => stage.query("select from graphile_worker._private_known_crontabs");
    await until(async () => (await known()).length > 0);
    await stage.query(
      "update graphile_worker._private_known_crontabs set last_execution = now() + interval '48 hours' where identifier = 'hourly'",
    );
    behind = 48 * hourMs;
    await until(async () => (await inFuture(stage)).length === 0);
    await until(async () => (await stage.query("select from ops.worker where job_pool is not null")).length === 2);
  });
  expect(await stage.query("select ended_as as ended from ops.worker order by worker_id")).toEqual([
    { ended: "stopped" },
    { ended: "stopped" },
  ]);
  const clockLines = logged().filter(({ msg }) => msg.startsWith("clock.") || msg.startsWith("schedule.future"));
  expect(clockLines.map(({ msg }) => msg)).toEqual(["clock.set_back", "schedule.future_runs_reset"]);
});
