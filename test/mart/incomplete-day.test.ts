import { addDays, day } from "../../src/core/day.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

type Cell = readonly [app: string, day: string, keyword: string, rank: number | null];
const ranks: readonly Cell[] = [
  ["1", "2026-08-01", "plan", 5],
  ["1", "2026-08-01", "habit", 9],
  ["1", "2026-08-07", "plan", 4],
  ["1", "2026-08-07", "habit", 8],
  ["1", "2026-08-08", "plan", 2],
  // no answer on just the day a week before, nor on the day before
  ["2", "2026-07-31", "plan", 10],
  ["2", "2026-08-02", "plan", 20],
  ["2", "2026-08-06", "plan", 30],
  ["2", "2026-08-08", "plan", 3],
  // three days off are too far
  ["3", "2026-07-29", "plan", 10],
  ["3", "2026-08-08", "plan", 3],
  // a budget left a keyword out: nothing waits for it
  ["4", "2026-08-02", "far", 7],
  ["4", "2026-08-01", "gone", 7],
  ["4", "2026-08-07", "plan", 1],
  ["4", "2026-08-07", "habit", 2],
  ["4", "2026-08-08", "plan", 1],
  // on either day a half, as many keywords each
  ["8", "2026-05-07", "plan", 1],
  ["8", "2026-05-07", "habit", 2],
  ["8", "2026-05-08", "far", 3],
  ["8", "2026-05-08", "gone", null],
  ["6", "2026-06-07", "plan", 2],
  ["6", "2026-07-07", "plan", 2],
  ["9", "2026-04-01", "plan", 1],
  ["9", "2026-04-02", "plan", 2],
  ["9", "2026-04-02", "habit", 3],
  // nothing of the newest day has an answer
  ["5", "2026-08-07", "plan", 2],
];

/** A slice of one day of ranks: the app, its day, its keywords, its state and error. */
async function slice(app: string, of: string, keywords: string, state: string, error: string | null = null) {
  const scope = { store: "ios", app, country: "US" };
  const days = [of, addDays(day(of), 1)] as const;
  await mart.slice({ dataset: "keyword_rank", scope, days, asOf: of, state, error, items: keywords.split(",") });
}

beforeAll(async () => {
  await mart.fill(
    "core.fact_keyword_rank",
    ranks.map(([app, date_day, keyword_key, rank]) => ({
      app_key: `ios:${app}`,
      country_key: "US",
      device_key: "IPHONE",
      date_day,
      keyword_key,
      rank,
    })),
  );
  // a keyword with an answer of each device is one keyword
  await mart.fill("core.fact_keyword_rank", [
    { app_key: "ios:6", country_key: "US", device_key: "IPAD", date_day: "2026-07-07", keyword_key: "plan", rank: 3 },
  ]);
  await slice("1", "2026-08-08", "plan", "loaded");
  await slice("1", "2026-08-08", "habit", "deferred");
  await slice("5", "2026-08-08", "habit,plan", "failed");
  // failed, and answered by another slice since
  await slice("1", "2026-08-07", "habit,plan", "failed");
  // refused separately: a failed slice that names it waits for nothing
  await slice("2", "2026-08-08", "odd", "skipped", "bad_request");
  await slice("2", "2026-08-08", "odd", "failed");
});

const movers = (app: string, daysBack: number) =>
  mart.ask(`
    select keyword, date_day, previous_day, keyword_rank, previous_rank, movement, requested_keyword_count, answered_keyword_count, is_complete
    from   mart.keyword_rank_movers where track_id = '${app}' and days_back = ${daysBack} order by keyword`);

const waiting = (app: string) =>
  mart.ask(`
    select 'day', date_day::text, keyword_count::text from ops.unanswered_keyword_daily where track_id = '${app}'
    union all select 'keyword', date_day::text, keyword from ops.unanswered_keyword where track_id = '${app}' order by 1, 2, 3`);

describe("a slice that failed", () => {
  test("waits for nothing once its list has an answer, though that leaves a keyword out", async () => {
    await slice("6", "2026-07-07", "far,plan", "failed");
    expect(await waiting("6")).toEqual(["day | 2026-07-07 | 1", "keyword | 2026-07-07 | far"]);
    await slice("6", "2026-07-07", "far,plan", "loaded");
    expect(await waiting("6")).toEqual([]);
  });

  test("waits for nothing in a month that retention removed since", async () => {
    const removed = (at: string) =>
      mart.ask(`
        insert into ops.dropped_month
        select 'keyword_rank', 'core.fact_keyword_rank', '2026-06-01', 'drop', 1, 1, 'me', '${at}', true
        on conflict (dataset, table_name, month_start) do update set dropped_at = excluded.dropped_at`);
    await slice("6", "2026-06-07", "far,plan", "failed");
    await slice("6", "2026-06-08", "far,plan", "failed");
    await removed("2026-06-01Z");
    const open = await waiting("6");
    expect(open.filter((one) => one.startsWith("day"))).toEqual(["day | 2026-06-07 | 1", "day | 2026-06-08 | 2"]);
    expect(open).toHaveLength(5);
    await removed("2026-08-01Z");
    expect(await waiting("6")).toEqual([]);
  });
});

describe("keywords without data", () => {
  const shares = () =>
    mart.ask(`
      select date_day, requested_keyword_count, answered_keyword_count, is_complete from mart.organic_share_of_voice_daily
      where  track_id = '9' and device_code = 'IPHONE' order by 1`);
  const complete = ["2026-04-01 | 1 | 1 | true", "2026-04-02 | 2 | 2 | true"];

  test.each([
    ["skipped", "not_found"],
    ["empty", null],
  ] as const)(
    "make a day incomplete on which others have an answer, until their list has one: %s",
    async (state, error) => {
      const [list, other] = [`far,of ${state}`, `gone,of ${state}`];
      await slice("9", "2026-04-01", list, state, error);
      // a slice of several days: of the second one, its keywords have an answer
      const scope = { store: "ios", app: "9", country: "US" };
      const days = ["2026-04-02", "2026-04-04"] as const;
      await mart.slice({ dataset: "keyword_rank", scope, days, asOf: days[0], state, error, items: ["habit", "plan"] });
      // no keyword of this day has an answer
      await slice("9", "2026-04-05", other, state, error);
      expect(await shares()).toEqual(["2026-04-01 | 3 | 1 | false", complete[1]]);
      expect(await waiting("9")).toEqual([
        "day | 2026-04-01 | 2",
        "keyword | 2026-04-01 | far",
        `keyword | 2026-04-01 | of ${state}`,
      ]);
      // requested again: each is counted once
      await slice("9", "2026-04-01", list, "deferred");
      expect((await shares())[0]).toBe("2026-04-01 | 3 | 1 | false");
      await mart.ask("delete from ops.slice where state = 'deferred' and scope ->> 'app' = '9'");
      await slice("9", "2026-04-01", list, "loaded");
      expect(await shares()).toEqual(complete);
    },
  );
});

describe("a newest day of which half is loaded", () => {
  test("takes no keyword out of movers: each has its own newest day, and the row says that the day is incomplete", async () => {
    expect(await movers("1", 7)).toEqual([
      // a week before the 7th is the 31st, the nearest answer a day later
      "habit | 2026-08-07 | 2026-08-01 | 8 | 9 | gained | 2 | 1 | false",
      "plan | 2026-08-08 | 2026-08-01 | 2 | 5 | gained | 2 | 1 | false",
    ]);
  });

  test("takes no keyword out of opportunities", async () => {
    expect(
      await mart.ask(`
        select keyword, date_day, keyword_rank, requested_keyword_count, answered_keyword_count, is_complete
        from   mart.keyword_opportunity where track_id = '1' order by 1`),
    ).toEqual(["habit | 2026-08-07 | 8 | 2 | 1 | false", "plan | 2026-08-08 | 2 | 2 | 1 | false"]);
  });

  test("marks the share of voice, and so the overview", async () => {
    for (const view of ["organic_share_of_voice_daily", "app_overview_daily"])
      expect(
        await mart.ask(`
          select date_day, requested_keyword_count, answered_keyword_count, is_complete, voice_share from mart.${view}
          where  track_id = '1' and ${view.startsWith("app") ? "true" : "device_code = 'IPHONE'"} order by 1`),
      ).toEqual([
        "2026-08-01 | 2 | 2 | true | 0.1556",
        "2026-08-07 | 2 | 2 | true | 0.1875",
        "2026-08-08 | 2 | 1 | false | 0.5",
      ]);
  });

  test("without any answer has its rows as well, so that sums over apps see that it is incomplete", async () => {
    const views = ["organic_share_of_voice_daily", "weighted_share_of_voice_daily", "app_overview_daily"];
    for (const view of views)
      expect(
        await mart.ask(`
          select date_day, requested_keyword_count, answered_keyword_count, is_complete, ${view.startsWith("weighted") ? "weighted_voice_share" : "voice_share"}
          from   mart.${view} where track_id = '5' and ${view.startsWith("app") ? "true" : "device_code = 'IPHONE'"} order by 1`),
      ).toEqual([
        `2026-08-07 | 1 | 1 | true | ${view.startsWith("weighted") ? "-" : "0.5"}`,
        "2026-08-08 | 2 | 0 | false | -",
      ]);
    expect(
      await mart.ask(`
        select date_day, sum(top_10_keyword_count) as top_10, bool_and(is_complete) as is_complete from mart.organic_share_of_voice_daily
        where  date_day >= '2026-08-07' and device_code = 'IPHONE' and track_id in ('4', '5') group by 1 order by 1`),
    ).toEqual(["2026-08-07 | 3 | true", "2026-08-08 | 1 | false"]);
  });

  test("leaves the shares of the other apps open", async () => {
    expect(
      await mart.ask(`
        select date_day, round(voice_sum, 4) as voice_sum, portfolio_voice_share from mart.organic_share_of_voice_daily
        where  track_id = '4' and date_day >= '2026-08-07' and device_code = 'IPHONE' order by 1`),
      // 1 + 1/2, beside 1/4 + 1/8 of the first app and 1/2 of the fifth
    ).toEqual(["2026-08-07 | 1.5 | 0.6316", "2026-08-08 | 1 | -"]);
  });

  test("marks the comparison with competitors", async () => {
    expect(
      await mart.ask(`
        select keyword, competitor_track_id, requested_keyword_count, answered_keyword_count, is_complete
        from   mart.keyword_rank_vs_competitor where (track_id, competitor_track_id) in (('1', '4'), ('4', '1')) and keyword = 'plan' order by track_id`),
    ).toEqual(["plan | 4 | 2 | 1 | false", "plan | 1 | 1 | 1 | true"]);
  });

  test("marks releases whose days before or after it is one of", async () => {
    await mart.fill(
      "core.app_version",
      ["1", "4"].map((app) => ({
        app_key: `ios:${app}`,
        country_key: "US",
        version: "2",
        version_at: "2026-08-05T09:00:00",
      })),
    );
    expect(
      await mart.ask(`
        select track_id, requested_keyword_count, answered_keyword_count, is_complete
        from   mart.release_impact where window_day_count = 7 and track_id in ('1', '4') order by 1`),
      // two on the 1st and on the 7th, one of two on the 8th; one each on the 1st, 2nd and 8th, two on the 7th
    ).toEqual(["1 | 6 | 5 | false", "4 | 5 | 5 | true"]);
    // of four keywords on the days after it three have an answer, and shares are of these
    const after = `
      select m.after_ranked_keyword_share = round(s.ranked::numeric / s.answered, 6), s.requested, s.answered
      from   mart.release_impact as m,
             (select sum(ranked_keyword_count) as ranked, sum(answered_keyword_count) as answered, sum(requested_keyword_count) as requested
              from   mart.organic_share_of_voice_daily
              where  track_id = '1' and device_code = 'IPHONE' and date_day between '2026-08-06' and '2026-08-12') as s
      where  m.window_day_count = 7 and m.track_id = '1'`;
    expect(await mart.ask(after)).toEqual(["true | 4 | 3"]);
    expect(
      await mart.ask(`
        select attname from pg_attribute
        where  attrelid = 'mart.release_impact'::regclass and attname ~ 'share$' and col_description(attrelid, attnum) !~ 'answered keywords'`),
    ).toEqual([]);
  });

  test("marks what is spent on keywords that lead anyway", async () => {
    const spent = (app: string, date: string) => ({
      org_id: "7",
      report_level: "KEYWORD",
      grain: "day",
      currency: "USD",
      attribution: "WITH",
      keyword_id: `${app} ${date}`,
      keyword_key: "plan",
      app_key: `ios:${app}`,
      country_key: "US",
      period_start: date,
      period_end: date,
      date_day: date,
      spend: 5,
    });
    await mart.fill("core.fact_search_ads_report", [spent("1", "2026-08-08"), spent("4", "2026-08-07")]);
    expect(
      await mart.ask(`
        select track_id, organic_rank, requested_keyword_count, answered_keyword_count, is_complete from mart.keyword_cannibalisation order by 1`),
    ).toEqual(["1 | 2 | 2 | 1 | false", "4 | 1 | 2 | 2 | true"]);
  });

  test("with as many keywords as the day before, but others, takes none of either out", async () => {
    const days = ["far | 2026-05-08", "gone | 2026-05-08", "habit | 2026-05-07", "plan | 2026-05-07"];
    for (const view of ["keyword_opportunity", "keyword_rank_movers"])
      expect(
        await mart.ask(`select distinct keyword, date_day from mart.${view} where track_id = '8' order by 1`),
      ).toEqual(days);
  });

  test("that a budget cut short keeps the keywords of the week as well", async () => {
    expect(await movers("4", 1)).toEqual([
      "far | 2026-08-02 | - | 7 | - | not requested before | 1 | 1 | true",
      "habit | 2026-08-07 | - | 2 | - | not requested before | 1 | 1 | true",
      "plan | 2026-08-08 | 2026-08-07 | 1 | 1 | same | 1 | 1 | true",
    ]);
  });
});

test("of days that wait whole, each keyword counts once, however many lists name it, and a refused one not at all", async () => {
  // a budget, a plan of other lists, a failure: on the 10th lists share a keyword, on the 11th they do not
  await slice("6", "2026-08-10", "habit,plan", "pending");
  await slice("6", "2026-08-10", "plan,todo", "failed");
  await slice("6", "2026-08-11", "plan,todo", "deferred");
  await slice("6", "2026-08-11", "odd", "pending");
  await slice("7", "2026-08-11", "habit,plan", "pending");
  await slice("7", "2026-08-11", "todo", "deferred");
  const daily = () =>
    mart.ask(
      "select track_id, date_day, keyword_count from ops.unanswered_keyword_daily where track_id in ('6', '7') order by 1, 2",
    );
  const counted = ["6 | 2026-08-10 | 3", "6 | 2026-08-11 | 3", "7 | 2026-08-11 | 3"];
  expect(await daily()).toEqual(counted);
  expect(
    await mart.ask(
      "select track_id, date_day, count(*) from ops.unanswered_keyword where track_id in ('6', '7') group by 1, 2 order by 1, 2",
    ),
  ).toEqual(counted);
  await slice("6", "2026-08-12", "odd", "skipped", "bad_request");
  expect(await daily()).toEqual(["6 | 2026-08-10 | 3", "6 | 2026-08-11 | 2", "7 | 2026-08-11 | 3"]);
});

describe("a gap on just the day that is compared", () => {
  test("takes the nearest day, of two the earlier, and says which; never the newest day itself", async () => {
    expect(await movers("2", 7)).toEqual(["plan | 2026-08-08 | 2026-07-31 | 3 | 10 | gained | 1 | 1 | true"]);
    expect(await movers("2", 1)).toEqual(["plan | 2026-08-08 | 2026-08-06 | 3 | 30 | gained | 1 | 1 | true"]);
  });

  test("is a gap where no day near it has an answer", async () => {
    expect(await movers("3", 7)).toEqual(["plan | 2026-08-08 | - | 3 | - | not requested before | 1 | 1 | true"]);
  });
});
