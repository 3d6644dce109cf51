import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openStage, today } from "../support/ingest-stage.ts";

/** Apps of both stores, each with a list of keywords. */
const market = { apps: 3, countries: ["US"], keywordsPerApp: 3 } as const;
const keywordLists = "dashboard.daily-keyword-rankings";

test("says which lists of the portfolio were not found, had nothing although keywords are counted, or were refused, also when requested again on that day", async () => {
  await using stage = await openStage({ market });
  const { apps } = stage.sandbox.market;
  const statuses = [404, 204, 400];
  stage.sandbox.set({
    faults: statuses.map((status, index) => ({
      operation: keywordLists,
      contains: apps[index]?.trackId ?? "",
      times: 1,
      kind: "status",
      status,
    })),
  });
  const first = await stage.sync();
  expect(first.outcome).toBe("failed");
  const lists = apps.map(({ store, trackId }) => `tracked_keyword ${store} ${trackId} US`);
  expect(lists).toHaveLength(statuses.length);
  expect(first.left.unavailable.toSorted()).toEqual(lists.toSorted());
  stage.sandbox.clearLog();
  expect(await stage.sync()).toMatchObject({ outcome: "failed", left: { unavailable: first.left.unavailable } });
  expect(stage.requested()).toEqual([]);
});

test("reads a list that could not be had again on the next day, and then all is well", async () => {
  await using stage = await openStage({
    market: { ...market, apps: 2 },
    faults: [{ operation: keywordLists, times: 1, kind: "status", status: 404 }],
  });
  const [missing] = (await stage.sync()).left.unavailable;
  stage.sandbox.clearLog();
  expect(await stage.sync({ request: { today: addDays(today, 1) } })).toMatchObject({
    outcome: "loaded",
    left: { unavailable: [] },
  });
  const read = stage.requested().filter(({ operation }) => operation === keywordLists);
  expect(read).toHaveLength(1);
  expect(missing).toContain([read[0]?.params["trackId"], read[0]?.params["countryCode"]].join(" "));
});
