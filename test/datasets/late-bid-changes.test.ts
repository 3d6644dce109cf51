import { expect, test } from "vitest";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { daysOf } from "../../src/core/window.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { openStage, today } from "../support/ingest-stage.ts";
import { market } from "../support/search-ads.ts";

/** Three changes a day, of which the last is not there before the day after. */
function logs(query: URLSearchParams, night: Day) {
  const [start, end] = ["startDate", "endDate"].map((name) => day(String(query.get(name))));
  const dates = [...daysOf({ start: start!, end: addDays(end!, 1) })].flatMap((one) =>
    ["09:00:00", "15:00:00", "21:00:00"].map((time) => `${one}T${time}`),
  );
  return dates
    .filter((date) => date < `${addDays(night, -1)}T20`)
    .map((date) => ({ entityLevel: "KEYWORD", orgId: Number(query.get("orgId")), entityId: 3, newValue: 2, date }));
}

test("the evening of an organisation whose day is not over at night is loaded the next night, at the same price", async () => {
  await using stage = await openStage({ market });
  let night = today;
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    const { pathname, searchParams } = new URL(passing.target, stage.sandbox.url);
    if (!pathname.endsWith("/bid-history-logs")) return;
    passing.body = JSON.stringify({ success: true, data: logs(searchParams, night) });
  });
  const settings = { datasets: { bid_change: { history_days: 2 } } };
  for (night of [today, addDays(today, 1), addDays(today, 2)]) {
    stage.sandbox.set({ today: night });
    stage.sandbox.clearLog();
    const request = { datasets: ["search_ads_integration", "bid_change"], today: night };
    expect((await stage.sync({ settings, request, environment: { API_BASE_URL: proxy.url } })).outcome).toBe("loaded");
    const calls = stage.requested().filter(({ operation }) => operation === "search-ads.bid-history-logs");
    expect(calls.map(({ params }) => params["orgId"])).toEqual([4_100_001, 4_100_002]);
  }
  const counts = await stage.query<{ day: string; count: number }>(
    "select date_day::text as day, count(*)::int as count from core.fact_bid_change where org_id = '4100001' group by 1 order by 1",
  );
  expect(counts).toEqual([
    { day: addDays(today, -2), count: 3 },
    { day: addDays(today, -1), count: 3 },
    { day: today, count: 3 },
    { day: addDays(today, 1), count: 2 },
  ]);
});
