import pg from "pg";
import { expect, test } from "vitest";
import { accountIdOf } from "../../src/config/config.ts";
import { addDays } from "../../src/core/day.ts";
import { createLog, type Log } from "../../src/core/log.ts";
import { recordStop } from "../../src/credits/account-stop.ts";
import { openDoor, openGatewayStage, rankingPath } from "../support/gateway-stage.ts";
import { until } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openGatewayStage);

const intervals = { beatMs: 20, deadAfterMs: 60_000, firstCheckMs: 60_000, longestCheckMs: 60_000 };

/** A gateway with quick heartbeats, its caller, and the number under which it is in the ledger. */
async function openQuick({ beatMs } = intervals, log?: Log) {
  const { nights, app, words } = stage;
  const door = await openDoor(nights.stage, nights.run(), { ...intervals, beatMs }, log);
  const key = await door.key("notebook");
  const call = (days: number) =>
    door.call(rankingPath(app, { date: addDays(nights.today(), -days), keywords: words, country: "US" }), key);
  const newest = async () => {
    const [row] = await nights.stage.query<{ id: string }>("select max(worker_id)::text as id from ops.worker");
    return row?.id ?? "";
  };
  return { door, call, workerId: await newest(), newest };
}

/** Records that another process of the account was refused an operation that no call here is about. */
async function recordRefusal(): Promise<void> {
  const { nights } = stage;
  await using app = await nights.stage.open(nights.run());
  const refused = { code: "forbidden", operation: "ad-intelligence.creatives", dataset: "ad_creative", message: "" };
  const accountId = accountIdOf(nights.stage.sandbox.token);
  await recordStop(app.warehouse.db, accountId, refused, { firstMs: 60_000, longestMs: 60_000 });
}

/** Waits for heartbeats of a process: the last has read all that was written before. */
async function afterBeats(workerId: string): Promise<void> {
  const beatAt = async () => {
    const text = "select heartbeat_at::text as at from ops.worker where worker_id = $1";
    const [row] = await stage.nights.stage.query<{ at: string }>(text, [workerId]);
    return row?.at;
  };
  for (let beats = 0; beats < 3; beats += 1) {
    const before = await beatAt();
    await until(async () => (await beatAt()) !== before);
  }
}

test("a gateway goes on sending calls where a worker of its account was refused another operation", async () => {
  const { nights } = stage;
  const { door, call, workerId } = await openQuick();
  await using _ = door;
  expect((await call(61)).from).toBe("miss");
  await recordRefusal();
  await afterBeats(workerId);
  expect([(await call(62)).from, (await call(63)).from]).toEqual(["miss", "miss"]);
  await nights.stage.query("delete from ops.account_stop");
});

test("a call that is not sent yet when its gateway learns that another operation was refused is sent all the same", async () => {
  const { nights } = stage;
  const logged: unknown[] = [];
  const log = createLog({ level: "error", secrets: [], to: { write: (line) => void logged.push(line) } });
  const { door, call } = await openQuick(intervals, log);
  await using _ = door;
  const blocker = new pg.Client({ connectionString: nights.stage.databaseUrl });
  await blocker.connect();
  try {
    const { rows } = await blocker.query<{ pid: number }>("select pg_backend_pid() as pid");
    await blocker.query("begin; lock table raw.answer in access exclusive mode");
    // its answer may be stored already
    const waiting = call(59);
    const blocked = "select from pg_stat_activity where pg_blocking_pids(pid) @> array[$1::integer]";
    await until(async () => (await nights.stage.query(blocked, [rows[0]?.pid])).length > 0);
    await recordRefusal();
    await until(() => logged.length > 0);
    await blocker.query("rollback");
    expect(await waiting).toMatchObject({ status: 200, from: "miss" });
  } finally {
    await blocker.end();
  }
  await nights.stage.query("delete from ops.account_stop");
});

test("a gateway that was declared dead while it was frozen registers again and sends calls", async () => {
  const { nights } = stage;
  const { door, call, workerId, newest } = await openQuick();
  await using _ = door;
  expect((await call(64)).from).toBe("miss");
  await nights.stage.query("update ops.worker set stopped_at = now() where worker_id = $1", [workerId]);
  await until(async () => (await call(65)).status === 200);
  expect(await newest()).not.toBe(workerId);
  expect((await call(66)).from).toBe("miss");
});

test("a gateway that does not know yet that it was declared dead registers again with its next call, and sends it", async () => {
  const { nights } = stage;
  const { door, call, workerId, newest } = await openQuick({ ...intervals, beatMs: 60_000 });
  await using _ = door;
  expect((await call(69)).from).toBe("miss");
  await nights.stage.query("update ops.worker set stopped_at = now() where worker_id = $1", [workerId]);
  expect(await call(70)).toMatchObject({ status: 200, from: "miss" });
  expect(await newest()).not.toBe(workerId);
});

test("a call that waits to be sent when its gateway is declared dead is sent once the gateway has entered anew", async () => {
  const { nights } = stage;
  const { door, call, workerId } = await openQuick();
  await using _ = door;
  expect((await call(67)).from).toBe("miss");
  await nights.stage.query("update ops.credit_account set next_start_at = next_start_at + interval '4 minutes'");
  const waiting = call(68);
  await until(async () => (await nights.stage.query("select from ops.credit_hold")).length > 0);
  await nights.stage.query("update ops.credit_account set next_start_at = next_start_at - interval '4 minutes'");
  await nights.stage.query("update ops.worker set stopped_at = now() where worker_id = $1", [workerId]);
  expect(await waiting).toMatchObject({ status: 200, from: "miss" });
});
