import { describe, expect, test } from "vitest";
import { recordStop } from "../../src/credits/account-stop.ts";
import { watchOnce } from "../../src/incidents/watcher.ts";
import { cleanChecks, minute, watchForTests } from "../support/watch-stage.ts";

const stage = watchForTests();
const refused = { code: "unauthorised", operation: "", dataset: "", message: "" };

/** A worker of each of two accounts checks so many times, the second one always half a minute after the first. */
async function inTurns(times: number): Promise<void> {
  const workers = [stage.watcher({ accountId: "a1" }), stage.watcher({ accountId: "a2" })];
  for (let turn = 0; turn < times; turn += 1)
    for (const worker of workers) {
      stage.clock.time += minute / 2;
      await watchOnce(worker);
    }
}

describe("workers of two accounts", () => {
  test("each check their own account, also where the other one always comes first", async () => {
    const distances = { firstMs: minute, longestMs: 60 * minute };
    await inTurns(1);
    for (const account of ["a1", "a2"]) await recordStop(stage.stage.db, account, refused, distances);
    await inTurns(15);
    const { rows } = await stage.stage.pool.query("select kind, account_id from ops.incident order by account_id");
    expect(rows).toEqual(["a1", "a2"].map((account) => ({ kind: "requests_stopped", account_id: account })));
    expect(stage.opened()).toHaveLength(2);
  });

  test("do not ping while either account has trouble, and go on where only a token that was replaced had some", async () => {
    await using _ = await stage.stage.aliveAs("worker");
    const pings = { count: 0 };
    const ping = () => ((pings.count += 1), Promise.resolve());
    const pinged = async () => {
      pings.count = 0;
      await stage.watch(3, stage.watcher({ ping }));
      return pings.count;
    };
    await recordStop(stage.stage.db, "a2", refused, { firstMs: minute, longestMs: 60 * minute });
    expect(await pinged()).toBe(3);
    await stage.watch(1, stage.watcher({ accountId: "a2" }));
    expect(await pinged()).toBe(0);
    stage.clock.time += 24 * 60 * minute;
    expect(await pinged()).toBe(3);
  });

  test("check the warehouse once between them: its incidents close no sooner", async () => {
    await stage.failSlice();
    await inTurns(1);
    await stage.mend();
    await inTurns(cleanChecks - 1);
    expect(stage.sent()).toEqual([[1, 0]]);
    await inTurns(1);
    expect(stage.sent()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
});
