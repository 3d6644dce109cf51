import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { everythingOn } from "../../src/demo/shows.ts";
import { openDoor } from "../support/gateway-stage.ts";
import { openStage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { openNights } from "../support/nights.ts";

const market = { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 } as const;

test("a second warehouse that has the gateway as its API makes its whole first sync for nothing, with every dataset on", async () => {
  await using nights = await openNights({ market });
  const { stage } = nights;
  const bounds = { start: addDays(nights.today(), -2) };
  const run = { settings: everythingOn, request: { bounds } };
  await stage.sync(nights.run(run));
  const paid = stage.asked();
  await using door = await openDoor(stage, nights.run());
  await using second = await openStage();
  await second.sync(nights.run({ ...run, ...(await door.asApi("notebook")) }));

  expect(
    stage
      .asked()
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
