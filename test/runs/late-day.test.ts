import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { openStage, today } from "../support/ingest-stage.ts";

test("a newest day that is not found is requested once more the next night, as one that is empty", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  const newest = addDays(today, -1);
  let isOut = false;
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (!isOut && passing.target.includes(`date=${newest}`)) Object.assign(passing, { status: 404, body: "" });
  });
  const settings = { datasets: { keyword_rank: { history_days: 2 } } };
  const night = async (nights: number) => {
    const on = addDays(today, nights);
    stage.sandbox.set({ today: on });
    stage.sandbox.clearLog();
    await stage.sync({ settings, request: { today: on }, environment: { API_BASE_URL: proxy.url } });
    const calls = stage.requested().filter(({ operation }) => operation === "ios.keyword-ranking");
    return calls.map(({ params }) => params["date"]);
  };
  expect(await night(0)).toContain(newest);
  isOut = true;
  expect(await night(1)).toContain(newest);
  const ranks = await stage.query("select from core.fact_keyword_rank where date_day = $1", [newest]);
  expect(ranks.length).toBeGreaterThan(0);
});
