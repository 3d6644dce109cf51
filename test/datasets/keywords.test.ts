import { beforeAll, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { devicesOf } from "../../src/core/store.ts";
import type { Market } from "../../src/sandbox/market/market.ts";
import { awkwardKeywords } from "../../src/sandbox/market/words.ts";
import { runCommand } from "../support/command.ts";
import { syncCommand } from "../support/ingest-child.ts";
import { requestedDays, openStage, today } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { forTests } from "../support/for-tests.ts";

/** What the tables must say of every app, country, keyword, device and day in the portfolio: the latest crawl, or requested and not ranked. */
function truthOf(market: Market): string[] {
  const cells = market.apps.flatMap((app) =>
    app.countries.flatMap((country) =>
      market.trackedKeywords(app, country).flatMap((keyword) =>
        devicesOf[app.store].flatMap((device) =>
          requestedDays().map((day) => {
            const reported = market.latestRank({
              store: app.store,
              trackId: app.trackId,
              keyword,
              country,
              device,
              day,
            });
            const at = reported === null ? null : new Date(reported.at).toISOString().slice(0, 19);
            return [`${app.store}:${app.trackId}`, country, keyword, device, day, reported?.rank ?? null, at];
          }),
        ),
      ),
    ),
  );
  return cells.map((cell) => JSON.stringify(cell)).sort();
}

function ranksOf(facts: Record<string, string[]>): string[] {
  const rows = (facts["core.fact_keyword_rank"] ?? []).map((row) => JSON.parse(row) as Record<string, unknown>);
  const columns = ["app_key", "country_key", "keyword_key", "device_key", "date_day", "rank", "observed_at"];
  return rows.map((row) => JSON.stringify(columns.map((column) => row[column]))).sort();
}

/** A stage that was synced once. */
const calm = forTests(openStage);
let facts: Record<string, string[]>;

beforeAll(async () => {
  await calm.sync();
  facts = await factsOf(calm);
});

test("brings every keyword whole and every rank as the market has it", async () => {
  const { market } = calm.sandbox;
  const keywords = (facts["core.dim_keyword"] ?? []).map((row) => (JSON.parse(row) as { keyword: string }).keyword);
  expect(keywords).toEqual(expect.arrayContaining([...awkwardKeywords]));
  const inMarket = market.apps.flatMap((app) =>
    app.countries.flatMap((country) => market.trackedKeywords(app, country)),
  );
  expect(keywords.sort()).toEqual([...new Set(inMarket)].sort());
  const truth = truthOf(market);
  expect(truth.filter((cell) => cell.includes("null")).length).toBeGreaterThan(0);
  expect(ranksOf(facts)).toEqual(truth);
});

// east of UTC test/everything.test.ts tries every dataset
test("writes the same tables on a machine west of UTC, from the other form of dates", async () => {
  await using stage = await openStage({ dateForm: "local" });
  const variables = { TZ: "America/Los_Angeles" };
  expect(await runCommand(stage, syncCommand, { variables })).toMatchObject({ code: 0 });
  expect(ranksOf(await factsOf(stage))).toEqual(truthOf(stage.sandbox.market));
  expect(await factsOf(stage)).toEqual(facts);
});

test("requests a keyword with a comma in a call of its own, since a list would part it", () => {
  const requested = calm.requested().filter(({ operation }) => operation?.endsWith(".keyword-history"));
  expect(new Set(requested.map(({ params }) => params["keyword"]))).toEqual(new Set(["to-do, list"]));
  expect(requested.map(({ params }) => params["endDate"])).toEqual(requested.map(() => addDays(today, -1)));
});

test("keeps what was tracked when as keywords come and go", async () => {
  const market = { apps: 2, countries: ["US"], keywordsPerApp: 4 } as const;
  await using stage = await openStage({ market });
  await stage.sync({ request: { datasets: ["tracked_keyword"] } });
  const [last] = stage.sandbox.market.apps.slice(0, 1).map((app) => stage.sandbox.market.trackedKeywords(app, "US")[3]);
  const tomorrow = addDays(today, 1);
  await using shrunk = await openStage({
    database: stage.databaseUrl,
    today: tomorrow,
    market: { ...market, keywordsPerApp: 3 },
  });
  await shrunk.sync({ request: { datasets: ["tracked_keyword"], today: tomorrow } });
  const rows = await stage.query(
    `select to_char(valid_from, 'YYYY-MM-DD') as since, to_char(valid_to, 'YYYY-MM-DD') as until, is_current
     from   core.tracked_keyword join core.dim_keyword using (keyword_key) join core.dim_country using (country_key)
     where  keyword = $1 and country_code = 'US' and app_key = (select app_key from core.dim_app where track_id = $2)`,
    [last, shrunk.sandbox.market.apps[0]?.trackId],
  );
  expect(rows).toEqual([{ since: today, until: tomorrow, is_current: false }]);
  const current = await stage.query("select from core.tracked_keyword where is_current");
  expect(current).toHaveLength(2 * 3);
});
