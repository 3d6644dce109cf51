import { expect, test } from "vitest";
import { addressOf } from "../../src/api/address.ts";
import { operationById } from "../../src/api/operations/all.ts";
import { openDoor } from "../support/gateway-stage.ts";
import { openNights } from "../support/nights.ts";
import { openStage, until } from "../support/ingest-stage.ts";
import { must } from "../support/must.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 } as const;
const request = { datasets: ["keyword_rank"] };
const words = { ios: "iosstore", android: "androidstore" };

test("answers from before the lists of the portfolio become rows once the lists are loaded, and no sync pays for them again", async () => {
  await using nights = await openNights({ market });
  await using example = await openStage({ market });
  await example.sync(nights.run({ request }));
  const calls = example.requested().toReversed();
  expect(calls.length).toBeGreaterThan(4);
  const { stage } = nights;
  {
    await using door = await openDoor(stage, nights.run());
    const key = await door.key("notebook");
    // the lists come last
    for (const { operation: id, params } of calls) {
      const operation = operationById(must(id));
      const { path } = addressOf(
        operation,
        Object.fromEntries(Object.entries(params).filter(([name]) => name in operation.params)),
        words,
      );
      expect((await door.call(path, key)).status).toBe(200);
    }
    await until(async () => (await stage.query("select from raw.answer where slice_id is null")).length === 0);
  }
  const before = stage.requested().length;
  await stage.sync(nights.run({ request }));
  expect(stage.requested().slice(before)).toEqual([]);
});
