import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { learnedDays, readLookbacks } from "../../src/planner/lookback.ts";
import { retire } from "../../src/runs/retention.ts";
import { startsOf } from "../../src/planner/plan-stream.ts";
import { planned } from "../support/ingest-planned.ts";
import { openNights } from "../support/nights.ts";

const dataset = "sales_metric";
const names = [dataset];

test("nights count which days have moved, and a learned lookback requests as many days as move, once enough is known", async () => {
  const settings = { datasets: { [dataset]: { on: true, history_days: 20, lookback: "learned" as const } } };
  await using nights = await openNights({ market: { apps: 1, countries: ["US"] } }, { settings });
  const { stage } = nights;
  await stage.sync(nights.run());
  expect(await stage.query("select from ops.compared_day")).toEqual([]);
  nights.next();
  // what the source restates: a figure, and a row that was not there
  const [moved] = await stage.query<{ day: string }>(
    `with newest as (select max(date_day) - 1 as day from core.fact_sales_metric),
          gone as (delete from core.fact_sales_metric using newest where date_day = newest.day - 1 and not is_total)
     update core.fact_sales_metric set units = units + 1 from newest where date_day = newest.day returning newest.day::text as day`,
  );
  await stage.sync(nights.run());
  await using app = await stage.open(nights.run());
  const { db } = app.warehouse;
  const on = { settings: app.config.settings, today: nights.today(), names };
  const [first] = await readLookbacks(db, on);
  expect(first).toMatchObject({ dataset, fixedDays: 7, isLearned: true, learned: { kind: "too_little" } });
  const ages = new Map(first?.ages.map((line) => [line.age, line]));
  expect([...ages.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(ages.get(2)).toMatchObject({ moved: ages.get(2)?.compared, rowsMoved: ages.get(2)?.rows });
  expect(ages.get(5)).toMatchObject({ moved: 0, amountMoved: 0 });
  expect(moved).toEqual({ day: "2026-08-18" });

  const lookbackOf = async () => {
    const [start] = await startsOf(
      db,
      { datasets: names, bounds: {}, today: nights.today() },
      app.config.settings,
    ).then((starts) => starts.filter((one) => one.dataset.name === dataset));
    return start?.lookbackDays;
  };
  expect(await lookbackOf()).toBeUndefined();
  await stage.query("truncate ops.compared_day");
  await stage.query(
    `insert into ops.compared_day
     select 1000 * night + scope, 'core.fact_sales_metric', on_day - 1 - age, $1, on_day, 10, case when age <= 2 then 4 else 0 end, 100, case when age <= 2 then 3 else 0 end
     from   generate_series(1, 20) as night, generate_series(1, 10) as scope, generate_series(1, 7) as age, lateral (select $2::date - night as on_day) as o`,
    [dataset, nights.today()],
  );
  // what another account of the warehouse sees move says nothing of this one
  await stage.query(
    `insert into ops.compared_day
     select slice_id + 1000000, table_name, date_day, dataset, observed_on, row_count, row_count, amount, amount, 'other' from ops.compared_day`,
  );
  expect(await learnedDays(db, on)).toEqual(new Map([[dataset, 2]]));
  expect(await lookbackOf()).toBe(2);
  // of two weeks most nights request two days again, and one all seven
  const spans: number[] = [];
  for (let night = 1; night <= 14; night += 1) {
    const today = addDays(nights.today(), night);
    const slices = (await planned(app, { datasets: names, bounds: {}, today }, true)).flatMap((chunk) => chunk.slices);
    const oldest = slices
      .filter((slice) => slice.dataset === dataset)
      .map(({ window }) => window.start)
      .sort()[0];
    spans.push(oldest === undefined ? 0 : (Date.parse(today) - Date.parse(oldest)) / 86_400_000);
  }
  expect(Math.max(...spans)).toBeGreaterThan(Math.min(...spans));

  // what no lookback is learned from any more goes
  const clock = { ...nights.clock, today: () => addDays(nights.today(), 80) };
  await retire(db, { settings: app.config.settings, clock, action: "drop" });
  const kept = await stage.query("select distinct observed_on::text as day from ops.compared_day order by 1");
  expect(kept.map(({ day }) => day)).toEqual(Array.from({ length: 10 }, (_, at) => addDays(nights.today(), at - 10)));
});
