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
