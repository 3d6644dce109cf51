import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

const on = { app_key: "ios:1", country_key: "US" };

beforeAll(async () => {
  await mart.fill(
    "core.fact_keyword_rank",
    ["plan", "habit", "todo"].map((keyword_key) => ({
      ...on,
      keyword_key,
      device_key: "IPHONE",
      date_day: "2026-08-01",
      rank: 2,
    })),
  );
  await mart.fill("core.tracked_keyword", [
    // a second account tracked it for two days in July; the first one has it still
    { ...on, keyword_key: "plan", valid_from: "2026-06-01", is_current: true, search_volume: 40, chance: 50 },
    {
      ...on,
      keyword_key: "plan",
      account: "b",
      valid_from: "2026-07-01",
      valid_to: "2026-07-03",
      search_volume: 5,
      chance: 1,
    },
    // tracked again, and the list has no volume of it yet
    { ...on, keyword_key: "habit", valid_from: "2026-06-01", valid_to: "2026-07-01", search_volume: 30, chance: 10 },
    { ...on, keyword_key: "habit", valid_from: "2026-07-20", is_current: true, chance: 20 },
    // not tracked any more
    { ...on, keyword_key: "todo", valid_from: "2026-06-01", valid_to: "2026-08-02", search_volume: 20, chance: 10 },
  ]);
  await mart.fill(
    "core.fact_paying_app",
    ["plan", "habit", "todo"].map((keyword_key) => ({
      ...on,
      keyword_key,
      period_start: "2026-07-20",
      period_end: "2026-08-02",
      share: 0.5,
    })),
  );
});

test("the volume of a keyword is the one last seen in all marts, of a list that left and of an account that left as well", async () => {
  const volumes = ["habit | 30", "plan | 40", "todo | 20"];
  for (const view of ["keyword_opportunity", "paid_share_of_voice"])
    expect(await mart.ask(`select keyword, search_volume from mart.${view} order by 1`)).toEqual(volumes);
  expect(
    await mart.ask("select volume_keyword_count, search_volume_sum from mart.weighted_share_of_voice_daily"),
  ).toEqual(["3 | 90"]);
  expect(await mart.ask("select keyword, chance from mart.keyword_opportunity order by 1")).toEqual([
    "habit | 20",
    "plan | 50",
    "todo | 10",
  ]);
});

test("a day whose ranks retention removed is not complete, and has no number of keywords with a volume", async () => {
  const day = () =>
    mart.ask(
      "select answered_keyword_count, is_complete, volume_keyword_count, search_volume_sum from mart.weighted_share_of_voice_daily",
    );
  expect(await day()).toEqual(["3 | true | 3 | 90"]);
  // as retention does: sums of the month stay
  await mart.ask("delete from core.fact_keyword_rank where date_day < '2026-09-01'");
  expect(await day()).toEqual(["3 | false | - | -"]);
});
