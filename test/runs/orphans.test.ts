import { expect, test } from "vitest";
import { createLog } from "../../src/core/log.ts";
import { Settings } from "../../src/config/settings.ts";
import { reconcile } from "../../src/ledger/reconcile.ts";
import { queueLeftOver } from "../../src/runs/orphans.ts";
import { august, draft, ledgerForTests } from "../support/ledger-stage.ts";

const ledger = ledgerForTests();

test("what a foreground process left that is gone is queued for any worker, and what a living one has stays with it", async () => {
  const { stage, worker } = ledger;
  const parts = {
    db: stage.db,
    clock: stage.clock,
    log: createLog({ level: "silent", secrets: [] }),
    accountId: "any",
  };
  const queueAll = () => queueLeftOver(parts, Settings.parse({}));
  const [living] = await stage.insert(await stage.run({ workerId: worker }), draft({ window: august(1) }));
  await queueAll();
  const runs = await stage.run();
  const gone = await stage.run({ workerId: await stage.dead(), kind: "retry" });
  const [left] = await stage.insert(gone, draft({ window: august(2) }));
  await queueAll();
  // not before it was found dead: a process that is cut off for a moment keeps what it has
  expect((await stage.queued()).map(({ queue }) => queue)).not.toContain("0");
  await reconcile(stage.db, { deadAfterMs: 60_000 });
  await queueAll();
  expect(await stage.queued()).toEqual([
    { queue: "0", slice: left },
    { queue: worker, slice: living },
  ]);
  // nothing is left to adopt: no run is opened for it
  await queueAll();
  expect(Number(await stage.run()) - Number(runs)).toBe(3);
});

test("after lists of a process that is gone, workers plan what its run was to plan, and cancel nothing else of it as their own", async () => {
  const { stage } = ledger;
  await stage.pool.query(
    "insert into ops.dataset (dataset, stage, is_on, is_switched_off, items_are_apps) values ('tracked_keyword', 'portfolio', true, false, false) on conflict do nothing",
  );
  const log = createLog({ level: "silent", secrets: [] });
  const names = ["keyword_rank", "tracked_keyword"];
  const gone = await stage.run({ workerId: await stage.dead(), kind: "retry", datasets: names });
  await stage.insert(gone, draft({ dataset: "tracked_keyword", class: "snapshot" }));
  await stage.pool.query(
    "update ops.slice set state = 'deferred', error_code = 'credits_exhausted', due_at = now() + interval '1 day'",
  );
  await reconcile(stage.db, { deadAfterMs: 60_000 });
  await queueLeftOver({ db: stage.db, clock: stage.clock, log, accountId: "any" }, Settings.parse({}));
  const { rows } = await stage.pool.query(
    "select r.kind, r.datasets, r.plans_after from ops.run as r join ops.slice as s using (run_id)",
  );
  expect(rows).toEqual([{ kind: "schedule", datasets: [], plans_after: names }]);
});
