import { expect, test } from "vitest";
import type { JobHelpers } from "graphile-worker";
import type { App } from "../../src/app.ts";
import { systemClock } from "../../src/core/clock.ts";
import { fail } from "../../src/core/errors.ts";
import { createLog } from "../../src/core/log.ts";
import { noteTaskDone, raiseFinding, readFindings, taskFinding } from "../../src/ledger/findings.ts";
import { notedTask } from "../../src/worker/noted-task.ts";
import { startQueue } from "../../src/worker/queue-runner.ts";
import { openGranted, tried } from "../support/granted-stage.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openGranted);
const clock = systemClock();
const lastTry = {
  job: { attempts: 1, max_attempts: 1, last_error: null },
  addJob: () => Promise.resolve(),
  getQueueName: () => null,
} as unknown as JobHelpers;

test("a failed task keeps its own error if its finding cannot be written, and the log says why", async () => {
  await using warehouse = await openWarehouse(stage.adminUrl, 2);
  const lines: string[] = [];
  const log = createLog({ level: "warn", secrets: [], to: { write: (line) => void lines.push(line) } });
  const halted = new AbortController().signal;
  const task = notedTask(
    { warehouse, clock, log },
    { name: "export", task: () => Promise.reject(new Error("no room for files")), halted },
  );
  await tried(stage.adminUrl, "alter table ops.finding add constraint odd check (false) not valid");
  await expect(task({}, lastTry)).rejects.toThrow("no room for files");
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: "task.not_noted", task: "export", problem: expect.stringContaining("odd") as string },
  ]);
  await tried(stage.adminUrl, "alter table ops.finding drop constraint odd");
  await expect(task({}, lastTry)).rejects.toThrow("no room for files");
  expect(lines).toHaveLength(1);
  expect(await readFindings(warehouse.db, clock.now())).toMatchObject([{ kind: "task_failed", subject: "export" }]);
});

test("a task that meets a process that does the same work leaves it to that one: no finding is opened, and an open one stays", async () => {
  await using warehouse = await openWarehouse(stage.adminUrl, 2);
  const lines: string[] = [];
  const log = createLog({ level: "info", secrets: [], to: { write: (line) => void lines.push(line) } });
  const finding = { ...taskFinding("publish"), facts: { task: "publish", error_code: "clickhouse_unavailable" } };
  const underWay = () =>
    notedTask(
      { warehouse, clock, log },
      {
        name: "publish",
        task: () => Promise.reject(fail("publish_under_way")),
        halted: new AbortController().signal,
      },
    )({}, lastTry);
  const open = async () =>
    (await readFindings(warehouse.db, clock.now())).filter(({ subject }) => subject === "publish");
  await underWay();
  expect(await open()).toEqual([]);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: "task.under_way", task: "publish", code: "publish_under_way" },
  ]);
  await raiseFinding(warehouse.db, finding, { now: clock.now(), forMs: null });
  await underWay();
  expect(await open()).toMatchObject([finding]);
});

test("a task that meets such a process is tried again after ten minutes, also if the next line of the crontab is a week away", async () => {
  await using warehouse = await openWarehouse(stage.adminUrl, 4);
  const log = createLog({ level: "silent", secrets: [] });
  const app = { config: { settings: { api: { retry_seconds: 1 } } }, hide: String, clock, log, warehouse };
  let isElsewhere = true;
  const task = async () => {
    if (isElsewhere) throw fail("export_under_way");
  };
  const halted = new AbortController().signal;
  const taskList = { weekly: notedTask(app, { name: "weekly", task, halted }) };
  const queue = await startQueue(app as unknown as App, { taskList, schedule: [], onLost: () => undefined });
  await using _ended = { [Symbol.asyncDispose]: queue.stop };
  const asInLine = { queueName: "files", priority: 7, maxAttempts: 3 };
  await queue.addJob("weekly", {}, { ...asInLine, jobKey: "weekly" });
  const jobs = async () => {
    const { rows } = await warehouse.pool.query(
      `select key, queue_name as queue, priority, max_attempts as most, ceil(extract(epoch from run_at - now()) / 60)::int as minutes
       from   graphile_worker.jobs`,
    );
    return rows as readonly object[];
  };
  const again = { key: "weekly again", queue: "files", priority: 7, most: 3, minutes: 10 };
  await expect.poll(jobs, { timeout: 60_000 }).toEqual([again]);
  const inTenMinutes = () => queue.addJob("weekly", {}, { ...asInLine, jobKey: "weekly again" });
  await inTenMinutes();
  // the job that runs gives its key to the next one
  await expect.poll(jobs, { timeout: 60_000 }).toEqual([again]);
  isElsewhere = false;
  await inTenMinutes();
  await expect.poll(jobs, { timeout: 60_000 }).toEqual([]);
  await queue.stop();
  expect(await readFindings(warehouse.db, clock.now() + 48 * 3_600_000)).not.toContainEqual(
    expect.objectContaining({ subject: "weekly" }),
  );
});

test("a task that meets such a process and does not succeed until after its next run is a finding", async () => {
  await using warehouse = await openWarehouse(stage.adminUrl, 2);
  const log = createLog({ level: "silent", secrets: [] });
  const hours = 3_600_000;
  const begin = systemClock().now();
  let now = begin;
  const run = (after: number, outcome: () => Promise<void>) => {
    now = begin + after * hours;
    const moved = { ...clock, now: () => now };
    const halted = new AbortController().signal;
    const task = notedTask({ warehouse, clock: moved, log }, { name: "elsewhere", task: outcome, halted });
    return Promise.resolve(task({}, lastTry)).catch(() => undefined);
  };
  const underWay = () => Promise.reject(fail("publish_under_way"));
  const openAt = async (after: number) =>
    (await readFindings(warehouse.db, begin + after * hours))
      .filter(({ subject }) => subject === "elsewhere")
      .map(({ facts, foundAt }) => [facts["error_code"], (foundAt.getTime() - begin) / hours]);
  await run(0, underWay);
  await run(24, () => Promise.resolve());
  await run(48, underWay);
  expect(await openAt(72)).toEqual([]);
  for (const after of [72, 96, 120, 144, 168, 192, 216, 240, 264]) await run(after, underWay);
  expect(await openAt(265)).toEqual([["publish_under_way", 84]]);
  await run(288, () => Promise.resolve());
  expect(await openAt(289)).toEqual([]);
  await run(312, underWay);
  await run(313, () => Promise.reject(fail("clickhouse_unavailable")));
  expect(await openAt(313)).toEqual([["clickhouse_unavailable", 313]]);
  await run(336, underWay);
  expect(await openAt(400)).toEqual([["clickhouse_unavailable", 313]]);
});

test("a command that did the work of a task leaves the finding to it if its role may not end one, and reports any other error", async () => {
  await using reader = await openWarehouse(stage.urlOf("reader"), 1);
  await noteTaskDone(reader.db, "export", clock.now());
  await using warehouse = await openWarehouse(stage.adminUrl, 1);
  await tried(stage.adminUrl, "alter table ops.finding rename to finding_away");
  await expect(noteTaskDone(warehouse.db, "export", clock.now())).rejects.toThrow("ops.finding");
  await tried(stage.adminUrl, "alter table ops.finding_away rename to finding");
});
