import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";

const market = { countries: ["US"], keywordsPerApp: 2 } as const;
const figures = ["dashboard.sales-metrics", "dashboard.retention-history"];
const names = ["sales_metric", "retention"];
const settings = { datasets: Object.fromEntries(names.map((name) => [name, { on: true }])) };

/** What was requested since so many requests ago, as `app context start end`. */
const askedSince = (stage: Stage, before: number) =>
  stage
    .asked()
    .slice(before)
    .filter(({ operation }) => figures.includes(operation ?? ""))
    .map(({ params: { trackId, context = "retention", start, end } }) => [trackId, context, start, end].join(" "));

async function night(stage: Stage, day: typeof today, connected = true) {
  const before = stage.asked().length;
  stage.sandbox.set({ today: day, connected });
  await stage.sync({ settings, request: { datasets: names, today: day } });
  return askedSince(stage, before);
}

test("the figures of a connected app cost a credit each a night, restated days and all; others wait four weeks", async () => {
  await using stage = await openStage({ market });
  const connected = stage.sandbox.market.apps.filter((_, index) => index % 2 === 0).map(({ trackId }) => trackId);
  await night(stage, today);
  const next = await night(stage, addDays(today, 1));
  const days = `${addDays(today, -7)} ${today}`;
  expect(next.toSorted()).toEqual(
    connected
      .flatMap((app) => ["DOWNLOAD", "REVENUE_TOTAL", "PAGE_VIEW", "retention"].map((what) => `${app} ${what} ${days}`))
      .toSorted(),
  );
});

test("totals are marked, and what is not marked adds up to them", async () => {
  await using stage = await openStage({ market });
  await night(stage, today);
  const [sums] = await stage.query<{ total: number; parts: number; days: number; marked: number }>(
    `select sum(units) filter (where is_total)::float as total, sum(units) filter (where not is_total)::float as parts,
            count(distinct date_day)::int as days, count(*) filter (where is_total <> (country_key = 0))::int as marked
     from   core.fact_sales_metric where context = 'DOWNLOAD'`,
  );
  expect(sums).toMatchObject({ days: 90, marked: 0 });
  expect(sums?.total).toBeGreaterThan(0);
  expect(sums?.parts).toBe(sums?.total);
});

test("an account that was not connected is requested again later, and then back to the beginning", async () => {
  await using stage = await openStage({ market });
  expect((await night(stage, today, false)).length).toBe(12);
  expect(await night(stage, addDays(today, 1), false)).toEqual([]);
  const later = addDays(today, 30);
  await night(stage, later);
  const [days] = await stage.query(
    "select min(date_day)::text as first, max(date_day)::text as last, count(distinct date_day)::int as days from core.fact_sales_metric",
  );
  expect(days).toEqual({ first: addDays(later, -90), last: addDays(later, -1), days: 90 });
});
