import { hostname } from "node:os";
import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { readReadiness } from "../../src/health/readiness.ts";
import { forTests } from "../support/for-tests.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";

const stage = forTests(() => openWarehouseStage(1));

test("a worker judges its own heartbeat, not that of another one with the same host name and process id", async () => {
  const { rows } = await stage.pool.query<{ worker_id: string }>(
    `insert into ops.worker (kind, host, pid, started_at, heartbeat_at)
     select 'worker', $1, $2, now(), now() - age * interval '1 second' from unnest('{200,0}'::int[]) as age order by age desc
     returning worker_id`,
    [hostname(), process.pid],
  );
  const foundOf = async (workerId: string | null) => {
    const state = { is: "running", error: null, workerId } as const;
    const { checks } = await readReadiness({ db: () => stage.db, state: () => state, clock: systemClock() });
    return checks.find(({ check }) => check === "heartbeat");
  };
  const [frozen = null, fresh = null] = rows.map((row) => row.worker_id);
  expect(await foundOf(frozen)).toMatchObject({ ok: false, found: "latest heartbeat 200 s ago" });
  expect(await foundOf(fresh)).toMatchObject({ ok: true, found: "latest heartbeat 0 s ago" });
  expect(await foundOf(null)).toMatchObject({ ok: false, found: "this worker is not registered in ops.worker" });
});
