import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { everythingOn } from "../../src/demo/shows.ts";
import { callers, openDoor } from "../support/gateway-stage.ts";
import { openStage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { openNights } from "../support/nights.ts";

const market = { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 } as const;

// lists, answers of several pages and devices, items that travel in several parameters
const names = ["review", "visibility", "app_rating", "app_history"];
const settings = { datasets: Object.fromEntries(names.map((name) => [name, everythingOn.datasets[name] ?? {}])) };

test("a warehouse that has nothing of its own is filled by what a second one requests through it", async () => {
  await using nights = await openNights({ market });
  const { stage } = nights;
  await using second = await openStage();
  {
    await using door = await openDoor(stage, nights.run({ settings: { ...settings, gateway: { callers } } }));
    const bounds = { start: addDays(nights.today(), -2) };
    const behind = await door.asApi("notebook");
    await second.sync(nights.run({ settings, request: { bounds }, ...behind }));
  }
  const facts = await factsOf(stage);
  expect(facts).toEqual(await factsOf(second));
  expect(Object.values(facts).filter((rows) => rows.length > 0).length).toBeGreaterThan(names.length + 4);
});
