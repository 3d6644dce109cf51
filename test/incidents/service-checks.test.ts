import { describe, expect, test } from "vitest";
import { endFinding, raiseFinding } from "../../src/ledger/findings.ts";
import { day } from "../../src/core/day.ts";
import { oneDay } from "../../src/core/window.ts";
import { endOutage, noteOutage } from "../../src/ledger/api-outages.ts";
import { draft } from "../support/ledger-stage.ts";
import { cleanChecks, minute, watchForTests } from "../support/watch-stage.ts";

const stage = watchForTests();
const accountId = "a1";

/** The API does not respond for so many minutes, as a worker notes it. */
async function away(minutes: number): Promise<void> {
  for (let at = 0; at < minutes; at += 1) {
    await noteOutage(stage.stage.db, accountId, "no_connection", stage.clock.time);
    await stage.watch(1);
  }
}

describe("an API that is unavailable", () => {
  test("is one incident after five minutes, by name, with what is at risk and when it is lost, until it responds", async () => {
    const began = new Date(stage.clock.time).toISOString();
    await stage.ended("loaded", draft({ dataset: "app_rating", window: oneDay(day("2026-08-19")) }));
    await stage.ended("loaded", draft({ dataset: "visibility", window: oneDay(day("2026-08-20")) }));
    await away(4);
    expect(stage.opened()).toEqual([]);
    await away(3);
    expect(stage.opened()).toMatchObject([
      {
        kind: "api_unavailable",
        detail: {
          since: began,
          error_code: "no_connection",
          at_risk: ["app_rating"],
          lost_at: "2026-08-21T00:00:00.000Z",
        },
      },
    ]);
    await endOutage(stage.stage.db, accountId, stage.clock.time);
    await stage.watchClosing();
    expect(stage.sent()).toEqual([
      [1, 0],
      [0, 1],
    ]);
    const [closed] = (await stage.stage.pool.query<{ summary: string }>("select summary from ops.incident_log")).rows;
    expect(closed?.summary).toMatch(/^This is over\. As last reported: The API has not responded since /);
  });

  test("folds what is late because of it, and what is still late afterwards is reported by name", async () => {
    await stage.ended("loaded", draft({ dataset: "keyword_rank", window: oneDay(day("2026-08-18")) }));
    await stage.ended("loaded", draft({ dataset: "review", window: oneDay(day("2026-08-10")) }));
    stage.clock.time = Date.UTC(2026, 7, 20, 20);
    await away(6);
    stage.clock.time = Date.UTC(2026, 7, 21, 9);
    await away(9);
    expect(stage.opened().map(({ kind }) => kind)).toEqual(["dataset_stale", "api_unavailable"]);
    await endOutage(stage.stage.db, accountId, stage.clock.time);
    await stage.watchClosing();
    await stage.watch(1);
    expect(stage.opened().map(({ kind, subject }) => [kind, subject])).toEqual([
      ["dataset_stale", "review"],
      ["api_unavailable", ""],
      ["dataset_stale", "keyword_rank"],
    ]);
  });

  test("is none where no process has sent a request for minutes", async () => {
    await noteOutage(stage.stage.db, accountId, "timeout", stage.clock.time);
    await stage.watch(10);
    expect(stage.opened()).toEqual([]);
  });
});

test("a worker that starts after a time without one says from when to when, and folds what is late because of it", async () => {
  await stage.ended("loaded", draft({ dataset: "keyword_rank", window: oneDay(day("2026-08-10")) }));
  await stage.stage.pool.query(
    `insert into ops.worker (kind, host, pid, started_at, heartbeat_at, stopped_at, ended_as)
     values ('worker', 'a', 1, now() - interval '3 days', now() - interval '2 days', now() - interval '1 day', 'died'),
            ('worker', 'a', 2, now() - interval '1 minute', now(), null, null)`,
  );
  await stage.watch(2);
  expect(stage.opened()).toMatchObject([
    { kind: "no_worker", detail: { ended_as: "died", effects: ["keyword_rank"] } },
  ]);
  await stage.stage.pool.query("update ops.worker set started_at = started_at - interval '2 hours' where pid = 2");
  await stage.watchClosing();
  await stage.watch(1);
  expect(stage.opened().map(({ kind }) => kind)).toEqual(["no_worker", "dataset_stale"]);
});

describe("the dead man's switch is pinged", () => {
  const pings = { count: 0 };
  const ping = () => {
    pings.count += 1;
    return Promise.resolve();
  };
  const pinged = async (minutes: number) => {
    pings.count = 0;
    await stage.watch(minutes, stage.watcher({ ping }));
    return pings.count;
  };

  test("every minute by one of the workers while all is well, and not while data is missing or no worker works", async () => {
    expect(await pinged(3)).toBe(0);
    await using _ = await stage.stage.aliveAs("worker");
    expect(await pinged(3)).toBe(3);
    await stage.stage.pool.query("insert into ops.credit_cost values ('ios.a', 3, 5, now())");
    expect(await pinged(3)).toBe(3);
    await stage.failSlice();
    expect(await pinged(3)).toBe(0);
    await stage.mend();
    expect(await pinged(cleanChecks - 1)).toBe(0);
    expect(await pinged(3)).toBe(3);
  });
});

test("a finding that another room raised is an incident for as long as it stands", async () => {
  const { db } = stage.stage;
  const facts = { error_code: "unexpected", host: "here" };
  const finding = { kind: "worker_restarting", subject: "here", accountId: "", facts };
  await raiseFinding(db, finding, { now: stage.clock.time, forMs: null });
  await stage.watch(3);
  expect(stage.opened()).toMatchObject([{ kind: "worker_restarting", subject: "here", detail: facts }]);
  await raiseFinding(db, finding, { now: stage.clock.time, forMs: 5 * minute });
  await stage.watch(cleanChecks);
  expect(stage.sent()).toEqual([[1, 0]]);
  await endFinding(db, finding, stage.clock.time);
  await stage.watchClosing();
  expect(stage.sent()).toEqual([
    [1, 0],
    [0, 1],
  ]);
});

test("a finding that another room raised is nothing to a version that does not know its kind", async () => {
  const { db } = stage.stage;
  const finding = { kind: "of_a_newer_version", subject: "x", accountId, facts: { figure: 1 } };
  await raiseFinding(db, finding, { now: stage.clock.time, forMs: null });
  await stage.watch(1);
  expect(stage.opened()).toEqual([]);
});
