import { beforeAll, describe, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

const score = (app: string, date: string, value: number | null, kind = "history") => ({
  app_key: app,
  country_key: "US",
  score: value,
  kind,
  date_day: `2026-08-${date}`,
});
const names = (app: string, competitor: string, from: string, to: string | null) => ({
  app_key: app,
  competitor_app_key: competitor,
  valid_from: `2026-08-${from}`,
  valid_to: to === null ? null : `2026-08-${to}`,
  is_current: to === null,
});

beforeAll(async () => {
  const tracked = { valid_from: "2026-08-02", is_current: true };
  await mart.fill(
    "core.tracked_app",
    ["ios:1", "ios:2", "ios:3"].map((app_key) => ({ app_key, ...tracked })),
  );
  await mart.fill("core.tracked_competitor", [
    names("ios:1", "ios:7", "02", "04"),
    names("ios:1", "ios:2", "02", "05"),
    names("ios:1", "ios:8", "04", "05"),
    names("ios:2", "android:a", "02", null),
  ]);
  await mart.fill("core.fact_visibility", [
    score("ios:1", "01", 60),
    score("ios:2", "01", 30),
    score("ios:3", "01", 10),
    score("ios:7", "01", 90),
    score("ios:8", "01", 100),
    score("android:a", "01", 100),
    score("ios:1", "03", null),
    score("ios:2", "03", 30),
    score("ios:7", "03", 90, "now"),
    score("ios:8", "03", 100),
    score("ios:1", "04", 50),
    score("ios:2", "04", 50),
    score("ios:7", "04", 90),
    score("ios:8", "04", 70),
    score("ios:1", "05", 40),
    score("ios:2", "05", 20),
    score("ios:8", "05", 90),
  ]);
  await mart.name({ "ios:1": "Ours", "ios:2": "Second", "ios:3": "Third", "ios:7": "Rival", "android:a": "Elsewhere" });
});

const rowsOf = (app: string) =>
  mart.ask(`
    select date_day, visibility_score, visibility_share, visibility_rank, competitor_source, competitor_count, competitor_average_score,
           best_competitor_name, best_competitor_score
    from   mart.visibility_daily where app_name = '${app}' order by 1`);

describe("visibility beside competitors", () => {
  test("is beside those that the account named on the day, in the portfolio or not, and else beside the portfolio's apps", async () => {
    expect(await rowsOf("Ours")).toEqual([
      // before the first list was seen: 60 of 60 + 90 + 30
      "2026-08-01 | 60 | 0.3333 | 2 | named | 2 | 60 | Rival | 90",
      "2026-08-03 | - | - | - | named | 2 | 60 | Rival | 90",
      // another list: 50 of 50 + 50 + 70, by the track id where no name is known
      "2026-08-04 | 50 | 0.2941 | 2 | named | 2 | 60 | 8 | 70",
      // the list is gone
      "2026-08-05 | 40 | 0.6667 | 1 | portfolio | 1 | 20 | Second | 20",
    ]);
  });

  test("is never beside an app of the other store, and the portfolio's apps are compared with no other app's competitors", async () => {
    expect(await rowsOf("Second")).toEqual([
      "2026-08-01 | 30 | 0.3 | 2 | portfolio | 2 | 35 | Ours | 60",
      "2026-08-03 | 30 | 1 | 1 | portfolio | 0 | - | - | -",
      "2026-08-04 | 50 | 0.5 | 1 | portfolio | 1 | 50 | Ours | 50",
      "2026-08-05 | 20 | 0.3333 | 2 | portfolio | 1 | 40 | Ours | 40",
    ]);
    expect(await rowsOf("Third")).toEqual(["2026-08-01 | 10 | 0.1 | 3 | portfolio | 2 | 45 | Ours | 60"]);
  });

  test("has no rows for apps that are nothing but competitors, nor has the overview", async () => {
    const apps = (view: string) => mart.ask(`select distinct store, app_name from mart.${view} order by 1, 2`);
    const own = ["ios | Ours", "ios | Second", "ios | Third"];
    expect(await apps("visibility_daily")).toEqual(own);
    expect(await apps("app_overview_daily")).toEqual(own);
  });

  test("has rows for a competitor that the configuration adds to the portfolio: its ranks are requested", async () => {
    await mart.fill("core.fact_keyword_rank", [
      {
        app_key: "ios:7",
        date_day: "2026-08-01",
        country_key: "US",
        keyword_key: "plan",
        device_key: "IPHONE",
        rank: 3,
      },
    ]);
    // Ours, Second, Third and now Rival: 90 of 190
    expect((await rowsOf("Rival"))[0]).toBe("2026-08-01 | 90 | 0.4737 | 1 | portfolio | 3 | 33.33 | Ours | 60");
    expect((await rowsOf("Ours"))[0]).toBe("2026-08-01 | 60 | 0.3333 | 2 | named | 2 | 60 | Rival | 90");
    expect(await mart.ask("select count(*) from mart.app_overview_daily where app_name = 'Rival'")).not.toEqual(["0"]);
  });

  test("of an app whose first list was empty is beside the portfolio until a competitor is named", async () => {
    // tracked since the 2nd, with a list that named nobody until the 4th
    await mart.fill("core.tracked_competitor", [names("ios:3", "ios:7", "04", null)]);
    await mart.fill("core.fact_visibility", [score("ios:3", "04", 10)]);
    expect(
      await mart.ask(`
      select date_day, visibility_share, competitor_source, competitor_count, best_competitor_name
      from   mart.visibility_daily where app_name = 'Third' order by 1`),
    ).toEqual([
      "2026-08-01 | 0.0526 | portfolio | 3 | Rival",
      // 10 of 10 + 90
      "2026-08-04 | 0.1 | named | 1 | Rival",
    ]);
  });

  test("of a day on which an app or a competitor has no answer yet is marked, and has no share and no place", async () => {
    const requested = (items: string, state: string) =>
      mart.slice({
        dataset: "visibility",
        scope: { store: "ios", kind: "history" },
        days: ["2026-08-10", "2026-08-11"],
        asOf: "2026-08-12",
        state,
        items: items.split(","),
      });
    // ios:3 names ios:7 and ios:1 names nobody any more
    await mart.fill("core.fact_visibility", [
      score("ios:1", "10", 60),
      score("ios:3", "10", 20),
      score("ios:7", "10", 20),
    ]);
    await requested("US:1,US:3,US:7", "loaded");
    await requested("US:2", "failed");
    const rows = () =>
      mart.ask(`
        select app_name, visibility_score, score_kind, is_complete, visibility_share, visibility_rank, competitor_count
        from   mart.visibility_daily where date_day = '2026-08-10' and app_name <> 'Rival' order by 1`);
    expect(await rows()).toEqual([
      "Ours | 60 | history | false | - | - | 2",
      "Second | - | - | false | - | - | 3",
      // it is compared with Rival alone
      "Third | 20 | history | true | 0.5 | 1 | 1",
    ]);
    // the service does not know the app: an answer without a row
    await requested("US:2", "empty");
    expect(await rows()).toEqual([
      "Ours | 60 | history | true | 0.6 | 1 | 2",
      "Third | 20 | history | true | 0.5 | 1 | 1",
    ]);
    // the score of the day itself was not fetched in its time: nobody can request it any more
    await requested("US:2", "lost");
    expect((await rows())[0]).toBe("Ours | 60 | history | false | - | - | 2");
    await requested("US:2,US:3", "empty");
    await requested("US:7", "deferred");
    expect(await rows()).toEqual([
      "Ours | 60 | history | true | 0.6 | 1 | 2",
      "Third | 20 | history | true | 0.5 | 1 | 1",
    ]);
  });

  test("has rows for a competitor that the configuration lists, also where neither its ranks nor its ratings are requested", async () => {
    await mart.name({ "ios:8": "Charts alone" });
    await mart.ask(
      "insert into core.configured_portfolio (store, track_id, part, member, valid_from) values ('ios', '8', 'app', '', '2026-08-01')",
    );
    await mart.fill("core.fact_category_rank", [
      {
        app_key: "ios:8",
        date_day: "2026-08-01",
        country_key: "US",
        device_key: "IPHONE",
        category_code: "36",
        chart: "FREE",
        chart_version: "v1",
        resolution: "daily",
        ranked_at: "2026-08-01T00:00:00",
        rank: 3,
      },
    ]);
    for (const view of ["visibility_daily", "app_overview_daily"])
      expect(
        await mart.ask(
          `select date_day, visibility_score from mart.${view} where app_name = 'Charts alone' and date_day < '2026-08-04' order by 1`,
        ),
      ).toEqual(["2026-08-01 | 100", "2026-08-03 | 100"]);
  });
});
