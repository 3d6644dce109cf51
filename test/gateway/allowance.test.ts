import { expect, test } from "vitest";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { creditHeadersOf } from "../../src/gateway/allowance.ts";
import { callers, openDoor } from "../support/gateway-stage.ts";
import { gateAfter, openStage, today, until, type RunOptions } from "../support/ingest-stage.ts";

const path = "/iosstore-keyword-ranking/US/keyword-metadata?keyword=one";
const settings: RunOptions["settings"] = {
  gateway: { callers },
  portfolio: { source: "config", apps: [{ id: "1000000001", countries: ["US"], keywords: ["one"] }] },
  // nothing ends by being late
  api: { timeout_seconds: 600 },
};

test("what is left of a caller's day is read at once after its paid calls, and every few seconds with its stored answers", async () => {
  await using stage = await openStage();
  const machine = systemClock(today);
  let ahead = 0;
  const clock: Clock = { ...machine, now: () => machine.now() + ahead };
  await using door = await openDoor(stage, { settings, clock });
  const key = await door.key("script");
  const left = async (of = path) => {
    const { from, headers } = await door.call(of, key);
    return [from, headers.get("x-credit-remaining")];
  };
  const other = path.replace("keyword=one", "keyword=two");
  expect([await left(), await left()]).toEqual([
    ["miss", "5"],
    ["hit", "5"],
  ]);
  expect(await left(other)).toEqual(["miss", "0"]);
  await stage.query("update ops.request set caller = 'notebook' where caller = 'script'");
  expect(await left()).toEqual(["hit", "0"]);
  ahead += 6_000;
  expect(await left()).toEqual(["hit", "10"]);
});

test("credits that are held for calls under way are not left for a caller", async () => {
  await using stage = await openStage();
  await using door = await openDoor(stage, { settings });
  const key = await door.key("notebook");
  const left = async () => Number((await door.call(path, key)).headers.get("x-credit-remaining"));
  await left();
  const before = await left();
  await stage.query("update ops.credit_account set held = held + 7");
  expect(await left()).toBe(before - 7);
});

test("a stored answer does not wait for a balance that the API does not report", async () => {
  // the balance check of the start and one answer pass, all else is held
  const gate = gateAfter(2);
  await using stage = await openStage({ clock: gate.clock, latencyMs: gate.latencyMs });
  const machine = systemClock(today);
  let ahead = 0;
  const clock: Clock = { ...machine, now: () => machine.now() + ahead };
  await using door = await openDoor(stage, { settings, clock });
  const key = await door.key("notebook");
  const first = await door.call(path, key);
  expect(first.from).toBe("miss");
  ahead += 11 * 60_000;
  const again = [await door.call(path, key), await door.call(path, key)];
  expect(again.map(({ from }) => from)).toEqual(["hit", "hit"]);
  // what is known of the balance holds meanwhile, and one check is under way for all
  const left = (called: typeof first) => called.headers.get("x-credit-remaining");
  expect(again.map(left)).toEqual([left(first), left(first)]);
  await until(() => gate.held() === 1);
  stage.sandbox.spend(100);
  gate.open();
  await until(async () => Number(left(await door.call(path, key))) === Number(left(first)) - 100);
});

test("a reset that is due is reported a second ahead: a caller reads none as unknown", () => {
  const headersAt = (now: number) => creditHeadersOf({ remaining: 5, resetsAt: 10_000 }, { cost: 3, now });
  expect(headersAt(7_500)).toEqual({ "X-Credit-Cost": "3", "X-Credit-Remaining": "5", "X-Credit-Reset": "3" });
  for (const now of [10_000, 12_000]) expect(headersAt(now)).toMatchObject({ "X-Credit-Reset": "1" });
});
