import { zstdCompressSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openStage, today } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { everything, rebuild } from "../support/replay-stage.ts";
import { forTests } from "../support/for-tests.ts";

describe("of a day that was lost", () => {
  const settings = { datasets: { app_rating: { on: true }, keyword_rank: { on: false } } };
  const stage = forTests(() =>
    openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 }, today: addDays(today, 1) }),
  );

  beforeAll(async () => {
    await stage.sync({ settings });
  });

  const states = () =>
    stage.query("select state, error_code from ops.slice where dataset = 'app_rating' order by slice_id");

  test("loads the answer of a snapshot that could not be read until its day was lost, and not one that came before the day that it stands for", async () => {
    await stage.sync({ settings });
    const rating = "from core.fact_app_rating where date_day = $1";
    const before = await stage.query(`select rating, slice_id ${rating}`, [today]);
    expect(before).toHaveLength(1);
    // what a program leaves behind that breaks at the answer
    await stage.query(`delete ${rating}`, [today]);
    await stage.query("update ops.slice set state = 'failed', error_code = 'unexpected' where dataset = 'app_rating'");
    await stage.sync({ settings, request: { today: addDays(today, 1) } });
    expect(await states()).toEqual([
      { state: "lost", error_code: "unexpected" },
      { state: "loaded", error_code: null },
    ]);
    await stage.query("update raw.answer set fetched_at = $1", [addDays(today, -1)]);
    await rebuild(stage, ["app_rating"]);
    expect(await stage.query(`select ${rating}`, [today])).toEqual([]);
    await stage.query("update raw.answer set fetched_at = $1", [today]);
    await rebuild(stage, ["app_rating"]);
    expect(await stage.query(`select rating, slice_id ${rating}`, [today])).toEqual(before);
    expect((await states())[0]).toEqual({ state: "loaded", error_code: null });
  });

  test("keeps it lost where nothing of the answer fits", async () => {
    const first = "(select min(slice_id) from ops.slice where dataset = 'app_rating')";
    await stage.query(`update ops.slice set state = 'lost' where slice_id = ${first}`);
    await stage.query(`update raw.answer set body = $1 where slice_id = ${first}`, [
      zstdCompressSync(Buffer.from('{"another":"shape"}')),
    ]);
    expect(await rebuild(stage, ["app_rating"])).toMatchObject([{ invalid: 1 }]);
    expect((await states())[0]).toMatchObject({ state: "lost" });
  });
});

test("leaves a slice as it failed whose answer was never stored whole, and its later try", async () => {
  const list = "dashboard.daily-keyword-rankings";
  const accounts = [{ token: "sandbox-token", total: 100_000, periodHours: 24, costs: { [list]: 1 } }];
  await using stage = await openStage({ accounts, market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  await stage.sync({ request: { datasets: ["tracked_keyword"] } });
  stage.sandbox.set({ faults: [{ kind: "status", status: 500, operation: list, contains: "ipad", times: 1_000 }] });
  await stage.sync();
  const failed = () =>
    stage.query(
      "select slice_id, state, error_code, error_message, due_at from ops.slice where state = 'failed' order by 1",
    );
  const before = await failed();
  expect(before.length).toBeGreaterThan(0);
  expect(before.every(({ due_at: at }) => at !== null)).toBe(true);
  expect(await rebuild(stage, ["keyword_rank"])).toMatchObject([{ invalid: before.length }]);
  expect(await failed()).toEqual(before);
});

// what is lost stays so every day in the tests above
test.each(long ? ["failed", "lost"] : ["failed"])(
  "rebuilds the others beside a %s slice whose answer is damaged",
  async (state) => {
    await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
    await stage.sync();
    const before = await everything(stage);
    const broken = "(select min(slice_id) from ops.slice where dataset = 'keyword_rank')";
    const ofBroken = () => stage.query(`select state, error_code, due_at from ops.slice where slice_id = ${broken}`);
    await stage.query(`update raw.answer set body = '\\xdeadbeef' where slice_id = ${broken}`);
    await stage.query(`delete from core.fact_keyword_rank where slice_id = ${broken}`);
    await stage.query(`update ops.slice set state = $1, error_code = 'server_error' where slice_id = ${broken}`, [
      state,
    ]);
    const [was, rows] = [await ofBroken(), await everything(stage)];
    await stage.query("update core.fact_keyword_rank set rank = 999");
    expect(await rebuild(stage, ["keyword_rank"])).toMatchObject([{ invalid: 1 }]);
    expect(await everything(stage)).toEqual(rows);
    expect(rows).not.toEqual(before);
    expect(await ofBroken()).toEqual(was);
  },
);
