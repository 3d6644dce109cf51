import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { everythingOn } from "../../src/demo/shows.ts";
import { callers, openDoor } from "../support/gateway-stage.ts";
import { openStage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { openNights } from "../support/nights.ts";
import { long } from "../support/long.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 } as const;

test("a second warehouse that has the gateway as its API makes its whole first sync for nothing, in the long run with every dataset on", async () => {
  await using nights = await openNights({ market });
  const { stage } = nights;
  const bounds = { start: addDays(nights.today(), -1) };
  const run = { settings: long ? everythingOn : {}, request: { bounds } };
  await stage.sync(nights.run(run));
  const paid = stage.requested();
  await using door = await openDoor(stage, nights.run());
  await using second = await openStage();
  await second.sync(nights.run({ ...run, ...(await door.asApi("notebook")) }));

  expect(
    stage
      .requested()
      .slice(paid.length)
      .filter(({ charged }) => charged > 0),
  ).toEqual([]);
  expect(
    await second.query("select sum(cost)::int as cost, count(*) >= $1 as all from ops.request", [paid.length]),
  ).toEqual([{ cost: 0, all: true }]);
  expect(await factsOf(second)).toEqual(await factsOf(stage));
  // what was free says nothing of the price
  expect(
    await second.query("select * from ops.credit_cost where learned <> documented or wrong_price is not null"),
  ).toEqual([]);
});

test("what a budget of the first warehouse refuses waits in the second for its next day, and is not taken for a refusal of the pace", async () => {
  await using nights = await openNights({ market });
  const { stage } = nights;
  const portfolio = ["tracked_app", "tracked_country", "tracked_keyword"];
  await stage.sync(nights.run({ request: { datasets: portfolio } }));
  const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
  const budgets = { ranks: { datasets: ["keyword_rank"], credits_a_day: 4 } };
  await using door = await openDoor(
    stage,
    nights.run({ settings: { gateway: { callers }, credits: { floors, budgets } } }),
  );
  await using second = await openStage();
  const paid = stage.requested().length;
  const { outcome } = await second.sync(nights.run(await door.asApi("notebook")));
  expect([outcome, stage.requested().length - paid]).toEqual(["deferred", 1]);
  expect(
    await second.query(
      "select state, error_code from ops.slice where dataset = 'keyword_rank' group by 1, 2 order by 1",
    ),
  ).toEqual([
    { state: "deferred", error_code: "credits_exhausted" },
    { state: "loaded", error_code: null },
  ]);
});
