import { describe, expect, test } from "vitest";
import { alertKinds } from "../../src/config/alert-kinds.ts";
import { alertsForTests } from "../support/alert-stage.ts";

const stage = alertsForTests();

describe("the ready-made kinds", () => {
  const page = (app: string, valid_from: string, app_name: string) => ({
    app_key: `ios:${app}`,
    country_key: "US",
    valid_from,
    app_name,
    is_current: true,
  });
  const review = (id: string, country_key: string, reviewed_at: string) => ({
    app_key: "ios:1",
    country_key,
    language_code: "",
    review_id: id,
    source: "v2",
    rating: 1,
    reviewed_at,
  });

  test("one-star reviews count when every list of the day has its answer", async () => {
    const stars = { stars: { kind: "one_star_reviews", count: 2 } };
    const scope = { store: "ios", app: "1" };
    await stage.mart.fill("core.review", [
      review("a", "US", "2026-08-08 10:00:00"),
      review("b", "US", "2026-08-08 11:00:00"),
      review("c", "GB", "2026-08-08 11:00:00"),
    ]);
    await stage.answered(
      { dataset: "review", scope, day: "2026-08-08" },
      { dataset: "review", scope: { ...scope, list: "v2" }, day: "2026-08-08", state: "failed" },
    );
    await stage.watch(stars);
    expect(await stage.fired()).toEqual([]);
    await stage.answered({ dataset: "review", scope: { ...scope, list: "v2" }, day: "2026-08-08" });
    await stage.watch(stars);
    expect(stage.sent()).toEqual([["Ours, US: one star count 2, on 2026-08-08"]]);
  });

  test("one-star reviews count when the list that failed turns out to be unavailable", async () => {
    const stars = { stars: { kind: "one_star_reviews", count: 1 } };
    const scope = { store: "ios", app: "1" };
    await stage.mart.fill("core.review", [review("a", "US", "2026-08-08 10:00:00")]);
    await stage.answered(
      { dataset: "review", scope, day: "2026-08-08" },
      { dataset: "review", scope: { ...scope, list: "v2" }, day: "2026-08-08", state: "failed" },
    );
    await stage.watch(stars);
    expect(await stage.fired()).toEqual([]);
    await stage.mart.ask("update ops.slice set state = 'skipped' where state = 'failed'");
    await stage.watch(stars);
    expect(stage.sent()).toEqual([["Ours, US: one star count 1, on 2026-08-08"]]);
  });

  test("a keyword that fell on every device is one fall, of the iPhone; of the devices that are named otherwise", async () => {
    const on = (device_key: string, date_day: string, rank: number) => ({
      app_key: "ios:1",
      country_key: "US",
      keyword_key: "plan",
      device_key,
      date_day,
      rank,
    });
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    await stage.mart.fill("core.fact_keyword_rank", [on("IPAD", "2026-08-07", 3), on("IPAD", "2026-08-08", 11)]);
    await stage.watch({ left: { kind: "keyword_left_top" }, fell: { kind: "keyword_fell" } });
    expect(
      stage
        .sent()
        .flat()
        .map((text) => text.slice(0, 22)),
    ).toEqual(["Ours, US, plan, IPHONE", "Ours, US, plan, IPHONE"]);
    await stage.watch({ ipad: { kind: "keyword_left_top", for: { devices: ["IPAD"] } } });
    expect((await stage.fired()).filter((one) => one.includes("IPAD"))).toHaveLength(1);
  });

  test("a day that is not published yet fires nothing before it is, though a part of it is there", async () => {
    await stage.mart.ask(`
      insert into ops.dataset_timing (dataset, scope, is_default, kind, settle_days)
      values ('keyword_rank', 'null', true, 'series', 2), ('keyword_rank', '{"store":"ios","app":"9"}', false, 'series', 1)`);
    try {
      await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
      await stage.watch({ left: { kind: "keyword_left_top" } });
      expect(await stage.fired()).toEqual([]);
      stage.clock.time += 86_400_000;
      await stage.watch({ left: { kind: "keyword_left_top" } });
      expect(await stage.fired()).toHaveLength(1);
    } finally {
      await stage.mart.ask("delete from ops.dataset_timing");
    }
  });

  test("nor does one that the dataset declares so, where no planning has recorded its timing", async () => {
    await stage.ranks({ "2026-08-08": 4, "2026-08-09": 12 });
    await stage.watch({ left: { kind: "keyword_left_top" } });
    expect(await stage.fired()).toEqual([]);
    stage.clock.time += 86_400_000;
    await stage.watch({ left: { kind: "keyword_left_top" } });
    expect(await stage.fired()).toHaveLength(1);
  });

  test("a rating that fell counts over a day without one, on which something else is known of the app", async () => {
    const rated = (date_day: string, rating: number) => ({ app_key: "ios:1", country_key: "US", date_day, rating });
    await stage.mart.fill("core.fact_app_rating", [rated("2026-08-06", 4.5), rated("2026-08-08", 4.2)]);
    await stage.mart.fill("core.review", [review("a", "US", "2026-08-07 10:00:00")]);
    const scope = { store: "ios", app: "1" };
    await stage.answered(...["2026-08-06", "2026-08-08"].map((on) => ({ dataset: "app_rating", scope, day: on })));
    await stage.watch({ rating: { kind: "rating_fell" } });
    expect(stage.sent().flat()).toEqual(["Ours, US: rating 4.5 -> 4.2, on 2026-08-08, compared with 2026-08-06"]);
  });

  test("a competitor that changed its title: one that is named, or one that the account names; once, by its page", async () => {
    await stage.mart.fill("core.app_change", [
      {
        app_key: "ios:2",
        country_key: "US",
        version_at: "2026-08-08 10:00:00",
        property: "NAME",
        old_value: '"Plan"',
        new_value: '"Plan it"',
      },
    ]);
    await stage.answered({ dataset: "app_change", scope: { store: "ios", app: "2" }, day: "2026-08-08" });
    await stage.mart.fill("core.app_history", [page("2", "2026-08-01", "Plan"), page("2", "2026-08-09", "Plan it")]);
    await stage.answered({ dataset: "app_history", scope: { store: "ios", app: "2" }, day: "2026-08-09" });
    await stage.watch({ title: { kind: "page_changed" } });
    expect(await stage.fired()).toEqual([]);
    await stage.watch({ title: { kind: "page_changed", for: { apps: ["2"] } } });
    expect(stage.sent().flat()).toEqual([
      "Theirs, US, title: change source page, old value Plan, new value Plan it, on 2026-08-09",
    ]);
  });

  test.each([
    [
      ["title", "subtitle"],
      ["subtitle, on 2026-08-08", "title, on 2026-08-09"],
    ],
    [
      ["version", "subtitle"],
      ["subtitle, on 2026-08-08", "version, on 2026-08-08"],
    ],
  ])("of %s each change fires once, though several sources report it", async (properties, fires) => {
    const changed = (property: string) => ({
      app_key: "ios:2",
      country_key: "US",
      version_at: "2026-08-08 10:00:00",
      property,
      old_value: '"Old"',
      new_value: '"New"',
    });
    await stage.mart.fill("core.app_change", ["NAME", "SUB_TITLE", "VERSION"].map(changed));
    await stage.mart.fill("core.app_history", [page("2", "2026-08-01", "Old"), page("2", "2026-08-09", "New")]);
    await stage.mart.fill("core.app_version", [
      { app_key: "ios:2", country_key: "US", version: "1.0", version_at: "2026-07-01 09:00:00" },
      { app_key: "ios:2", country_key: "US", version: "1.1", version_at: "2026-08-08 09:00:00" },
    ]);
    const scope = { store: "ios", app: "2" };
    await stage.answered(...["app_change", "app_version"].map((dataset) => ({ dataset, scope, day: "2026-08-08" })), {
      dataset: "app_history",
      scope,
      day: "2026-08-09",
    });
    await stage.watch({ changes: { kind: "page_changed", properties, for: { apps: ["2"] } } });
    expect(
      stage
        .sent()
        .flat()
        .map((text) => text.replace(/^Theirs, US, (.*?): .*?(, on .*)$/, "$1$2")),
    ).toEqual(fires);
  });

  test("a page alert takes each property from the source that the mart marks", async () => {
    const every = (valid_from: string, value: string) => ({
      ...page("2", valid_from, value),
      description: value,
      screenshots: JSON.stringify([value]),
      price_text: value,
      icon_url: value,
      video_url: value,
      category_name: value,
      developer_name: value,
      in_app_products: value,
      is_removed: value === "b",
    });
    await stage.mart.fill("core.app_history", [every("2026-08-01", "a"), every("2026-08-08", "b")]);
    const shown = await stage.mart.ask("select distinct property from mart.app_page_change");
    expect(shown).toHaveLength(10);
    const change = { app_key: "ios:2", country_key: "US", version_at: "2026-08-08 10:00:00" };
    const ofPage = ["NAME", "DESCRIPTION", "SCREENSHOTS", "PRICE", "ICON", "PRIMARY_CATEGORY_ID", "DEVELOPER_NAME"];
    const others = ["VERSION", "SUB_TITLE", "IPAD_SCREENSHOTS", "PROMOTIONAL_TEXT"];
    await stage.mart.fill(
      "core.app_change",
      [...ofPage, ...others].map((property) => ({ ...change, property })),
    );
    await stage.mart.fill("core.app_version", [{ ...change, version: "1.1" }]);
    const main = await stage.mart.ask(
      "select property, change_source from mart.app_page_change where is_main_source order by 1",
    );
    const properties = [...shown, "subtitle", "version", "ipad screenshots", "promotional text"].toSorted();
    expect(main).toEqual(
      properties.map((property) => {
        const { change_source: source } = alertKinds.page_changed.when({ properties: [property], for: {} });
        return `${property} | ${String(source.is)}`;
      }),
    );
  });

  test.each([
    ["2026-08-07", 1],
    ["2026-07-31", 1],
    ["2026-07-30", 0],
  ])("a chart that was entered since the list before of %s: %d", async (before, fires) => {
    const place = (app: string, date_day: string, rank: number) => ({
      app_key: `ios:${app}`,
      country_key: "US",
      device_key: "IPHONE",
      date_day,
      category_code: "36",
      chart: "FREE",
      chart_version: "v1",
      rank,
    });
    await stage.mart.fill("core.fact_top_chart", [
      place("2", before, 1),
      place("2", "2026-08-08", 2),
      place("1", "2026-08-08", 1),
    ]);
    const scope = { store: "ios", country: "US" };
    await stage.answered(...[before, "2026-08-08"].map((on) => ({ dataset: "top_chart", scope, day: on })));
    await stage.watch({ chart: { kind: "chart_entered", for: { apps: ["1", "2"] } } });
    const text = `Ours, US, IPHONE, 36, FREE, v1: movement entered, chart rank 1, on 2026-08-08, compared with ${before}`;
    expect(stage.sent().flat()).toEqual(Array.from({ length: fires }, () => text));
  });
});
