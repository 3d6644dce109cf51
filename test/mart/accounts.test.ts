import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

const named = { app_key: "ios:1", is_current: true };
const place = { country_key: "US", device_key: "IPHONE" };

beforeAll(async () => {
  await mart.fill("core.fact_keyword_rank", [
    { app_key: "ios:1", ...place, keyword_key: "known", date_day: "2026-08-08", rank: 2 },
    { app_key: "ios:2", ...place, keyword_key: "known", date_day: "2026-08-08", rank: 5 },
  ]);
  await mart.fill("core.fact_visibility", [
    { app_key: "ios:1", country_key: "US", date_day: "2026-08-08", kind: "now", score: 10 },
    { app_key: "ios:7", country_key: "US", date_day: "2026-08-08", kind: "now", score: 20 },
  ]);
  await mart.fill("core.tracked_app", [{ ...named, valid_from: "2026-08-01" }]);
  await mart.fill("core.tracked_keyword", [
    { ...named, country_key: "US", keyword_key: "known", valid_from: "2026-08-01", search_volume: 30 },
    { ...named, country_key: "US", keyword_key: "never requested", valid_from: "2026-08-06" },
  ]);
  await mart.fill("core.tracked_competitor", [{ ...named, competitor_app_key: "ios:7", valid_from: "2026-08-01" }]);
});

/** The rows of each mart, as one text. */
async function rowsByMart(): Promise<Record<string, string>> {
  const names = await mart.ask("select viewname from pg_views where schemaname = 'mart' order by 1");
  const rows: Record<string, string> = {};
  for (const name of names)
    rows[name] = (await mart.ask(`select t::text as row from mart.${name} as t`)).toSorted().join("\n");
  return rows;
}

test("a second account that tracks the same adds no row to any mart", async () => {
  const before = await rowsByMart();
  const reported = ["keyword_not_requested_daily", "keyword_rank_vs_competitor", "visibility_daily"];
  expect(reported.filter((name) => before[name] === "")).toEqual([]);
  // from another day on, as it began later
  for (const table of ["tracked_app", "tracked_keyword", "tracked_competitor"])
    await mart.ask(`
      insert into core.${table}
      select c.* from core.${table} as t
      cross  join lateral jsonb_populate_record(null::core.${table}, to_jsonb(t) || jsonb_build_object('account', 'acme', 'valid_from', t.valid_from + 1)) as c`);
  expect(await rowsByMart()).toEqual(before);
});
