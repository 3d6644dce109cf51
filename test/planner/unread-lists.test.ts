import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openStage, today } from "../support/ingest-stage.ts";

/** An app of each store. */
const market = { apps: 2, countries: ["US"], keywordsPerApp: 3 } as const;
const keywordLists = "dashboard.daily-keyword-rankings";

test.each([
  ["is not found", 404],
  ["has nothing although keywords are counted", 204],
  ["is refused", 400],
])(
  "says which list of the portfolio was unavailable that %s, also when requested again on that day",
  async (_, status) => {
    await using stage = await openStage({
      market,
      faults: [{ operation: keywordLists, times: 1, kind: "status", status }],
    });
    const first = await stage.sync();
    expect(first).toMatchObject({
      outcome: "failed",
      left: { unavailable: [expect.stringMatching(/^tracked_keyword (ios|android) \S+ US$/)] },
    });
    stage.sandbox.clearLog();
    expect(await stage.sync()).toMatchObject({ outcome: "failed", left: { unavailable: first.left.unavailable } });
    expect(stage.asked()).toEqual([]);
  },
);

test("reads a list that could not be had again on the next day, and then all is well", async () => {
  await using stage = await openStage({
    market,
    faults: [{ operation: keywordLists, times: 1, kind: "status", status: 404 }],
  });
  const [missing] = (await stage.sync()).left.unavailable;
  stage.sandbox.clearLog();
  expect(await stage.sync({ request: { today: addDays(today, 1) } })).toMatchObject({
    outcome: "loaded",
    left: { unavailable: [] },
  });
  const read = stage.asked().filter(({ operation }) => operation === keywordLists);
  expect(read).toHaveLength(1);
  expect(missing).toContain([read[0]?.params["trackId"], read[0]?.params["countryCode"]].join(" "));
});
