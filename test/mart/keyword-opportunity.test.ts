import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

const on = { app_key: "ios:1", country_key: "US" };

beforeAll(async () => {
  await mart.fill(
    "core.fact_keyword_rank",
    ["plan", "habit"].map((keyword_key) => ({
      ...on,
      keyword_key,
      device_key: "IPHONE",
      date_day: "2026-08-01",
      rank: 2,
    })),
  );
});

test("popularity, chance and competitors of a keyword are those last seen: a newer answer or list without them takes none away", async () => {
  const answer = { keyword_key: "plan", country_key: "US", store: "ios" };
  await mart.fill("core.fact_keyword_metadata", [
    {
      ...answer,
      date_day: "2026-07-18",
      search_volume: 50,
      popularity: 9,
      iphone_chance: 9,
      ipad_chance: 1,
      iphone_app_count: 9,
    },
    {
      ...answer,
      date_day: "2026-07-25",
      search_volume: 50,
      popularity: 33,
      iphone_chance: 40,
      ipad_chance: 1,
      iphone_app_count: 210,
    },
    { ...answer, date_day: "2026-08-01", search_volume: 50, ipad_chance: 2 },
  ]);
  await mart.fill("core.tracked_keyword", [
    {
      ...on,
      keyword_key: "habit",
      valid_from: "2026-06-01",
      valid_to: "2026-07-01",
      search_volume: 30,
      chance: 10,
      app_count: 70,
    },
    { ...on, keyword_key: "habit", valid_from: "2026-07-20", is_current: true },
  ]);
  expect(
    await mart.ask(
      "select keyword, search_popularity, chance, competing_app_count, opportunity_score from mart.keyword_opportunity order by 1",
    ),
  ).toEqual(["habit | - | 10 | 70 | 1.5", "plan | 33 | 40 | 210 | 10"]);
});
