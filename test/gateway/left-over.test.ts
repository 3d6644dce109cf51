import { expect, test } from "vitest";
import { addressOf } from "../../src/api/address.ts";
import { operationById } from "../../src/api/operations/all.ts";
import { addDays } from "../../src/core/day.ts";
import { forTests } from "../support/for-tests.ts";
import { openDoor, openGatewayStage, rankingPath } from "../support/gateway-stage.ts";
import { openNights } from "../support/nights.ts";
import { openStage, until } from "../support/ingest-stage.ts";
import { must } from "../support/must.ts";

const stage = forTests(openGatewayStage);

const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 } as const;
const request = { datasets: ["keyword_rank"] };
const words = { ios: "iosstore", android: "androidstore" };

test("answers from before the lists of the portfolio become rows once the lists are loaded, and no sync pays for them again", async () => {
  await using nights = await openNights({ market });
  await using example = await openStage({ market });
  await example.sync(nights.run({ request }));
  const calls = example.requested().toReversed();
  expect(calls.length).toBeGreaterThan(4);
  {
    await using door = await openDoor(nights.stage, nights.run());
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
    await until(async () => (await nights.stage.query("select from raw.answer where slice_id is null")).length === 0);
  }
  const before = nights.stage.requested().length;
  await nights.stage.sync(nights.run({ request }));
  expect(nights.stage.requested().slice(before)).toEqual([]);
});

test("an answer that is found late is not loaded over one that came after it", async () => {
  const { nights, app, words: keywords } = stage;
  const path = (days: number) => rankingPath(app, { date: addDays(nights.today(), -days), keywords, country: "US" });
  const loaded = async () => {
    await until(async () => (await nights.stage.query("select from ops.slice where state <> 'loaded'")).length === 0);
    return (await nights.stage.query("select from ops.slice where dataset = 'keyword_rank'")).length;
  };
  const call = async (days: number) => {
    await using door = await openDoor(nights.stage, nights.run());
    expect((await door.call(path(days), await door.key("notebook"))).from).toBe("miss");
  };
  const before = await loaded();
  await call(20);
  expect(await loaded()).toBe(before + 1);
  // the same answer a second earlier, left over
  await nights.stage.query(`
    with newest as (select * from raw.answer order by answer_id desc limit 1),
         sent as (insert into ops.request (account_id, attempt, page, class, operation, params, status, cost, duration_ms, byte_count, received_at, caller)
                  select q.account_id, 1, 0, q.class, q.operation, q.params, q.status, q.cost, q.duration_ms, q.byte_count, q.received_at - interval '1 second', q.caller
                  from   ops.request as q join newest as a on a.request_id = q.request_id and a.fetched_at = q.received_at
                  returning request_id, received_at)
    insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at, call_hash)
    select sent.request_id, null, 1, 0, a.operation, a.body, a.byte_count, sent.received_at, a.call_hash from newest as a, sent`);
  await call(21);
  expect(await loaded()).toBe(before + 2);
  expect(await nights.stage.query("select from raw.answer where slice_id is null")).toHaveLength(1);
});
