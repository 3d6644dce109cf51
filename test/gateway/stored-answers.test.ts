import { beforeAll, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openGatewayStage, rankingPath, type Door } from "../support/gateway-stage.ts";
import type { Nights } from "../support/nights.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openGatewayStage);
let nights: Nights;
let door: Door;
let key: string;

beforeAll(() => {
  ({ nights, door, key } = stage);
});

test("an answer for no table is final with the day that it is about if it has rows, and a day later if it has none", async () => {
  const date = addDays(nights.today(), -1);
  const ranking = (keyword: string) =>
    door.call(rankingPath(stage.app, { date, keywords: [keyword], country: "US" }), key);
  nights.stage.sandbox.set({
    faults: [{ operation: "ios.keyword-ranking", times: 1, kind: "status", status: 200, body: "[]" }],
  });
  expect(await ranking("nobody tracks this")).toMatchObject({ from: "miss", body: [] });
  nights.stage.sandbox.set({ faults: [] });
  expect(await ranking("nor this")).toMatchObject({ from: "miss", body: expect.arrayContaining([expect.anything()]) });
  nights.next();
  expect((await ranking("nobody tracks this")).from).toBe("miss");
  expect((await ranking("nor this")).from).toBe("hit");
});

test("a call that leaves out its day is one with the call that names it, and another one on the next day", async () => {
  const today = nights.today();
  const both = async (path: string, named: string) => {
    const days = nights.stage.requested().length;
    const answers = [await door.call(path, key), await door.call(`${path}${named}`, key)];
    expect(answers.map(({ from }) => from)).toEqual(["miss", "hit"]);
    return nights.stage
      .requested()
      .slice(days)
      .map(({ params }) => params["date"]);
  };
  const list = `/gateway/account/app/${stage.app}/keywords/rankings/US?device=ipad`;
  const ranks = `/iosstore-keyword-ranking/${stage.app}/US/keywordrankings?keywords=neither`;
  expect(await both(list, `&date=${today}`)).toEqual([today]);
  expect(await both(ranks, `&date=${addDays(today, -1)}`)).toEqual([addDays(today, -1)]);
  nights.next();
  // what was today's is not the last word about that day
  expect((await door.call(`${list}&date=${today}`, key)).from).toBe("miss");
  expect((await door.call(`${ranks}&date=${addDays(today, -1)}`, key)).from).toBe("hit");
  expect(await both(list, `&date=${nights.today()}`)).toEqual([nights.today()]);
  expect(await both(ranks, `&date=${today}`)).toEqual([today]);
});

test("the list that a sync has read of today is an answer to both forms of the call, on that day and no other", async () => {
  await nights.stage.query("update ops.slice set fingerprint = '' where dataset = 'tracked_keyword'");
  await nights.stage.sync(nights.run({ request: { datasets: ["tracked_app", "tracked_country", "tracked_keyword"] } }));
  const list = (more = "") =>
    door.call(`/gateway/account/app/${stage.app}/keywords/rankings/US${more}`, key).then(({ from }) => from);
  const today = nights.today();
  expect([await list(), await list(`?date=${today}`)]).toEqual(["hit", "hit"]);
  nights.next();
  expect([await list(`?date=${today}`), await list()]).toEqual(["miss", "miss"]);
});
