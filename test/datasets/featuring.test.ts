import { describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { featuring } from "../../src/datasets/featuring.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const app = 6_446_318_020;
const scope = { store: "ios", app: String(app), category_code: "6007" };
const window = { start: day("2026-08-03"), end: day("2026-08-10") };

function cards(...showings: readonly unknown[]) {
  const answer = { trackId: app, categoryId: 6007, cards: showings };
  const { rows, invalid } = featuring.normalise(sliceOf({ scope, window }), [answer], []);
  return { rows: rows["core.fact_featuring"] ?? [], invalid };
}

const showing = (date: string, countryCode: string | undefined, ...reported: readonly unknown[]) => ({
  date,
  countryCode,
  data: { cards: reported },
});

describe("a card", () => {
  test("is of its country, in whichever case the answer names it", () => {
    expect(cards(showing("2026-08-03", "us", {}), showing("2026-08-03", undefined, {})).rows).toMatchObject([
      { country_key: "US" },
      { country_key: "ALL" },
    ]);
  });

  test("says in which order it shows apps, and which place the app has among them", () => {
    const card = { type: "AppList", label: "TODAY", title: "🌱", shortName: "s", link: "l", apps: [1, app, "3"] };
    expect(cards(showing("2026-08-03", "US", card)).rows).toEqual([
      {
        app_key: `ios:${app}`,
        date_day: "2026-08-03",
        country_key: "US",
        category_code: "6007",
        card_number: 1,
        card_type: "AppList",
        label: "TODAY",
        title: "🌱",
        card_name: null,
        short_name: "s",
        link_url: "l",
        image_url: null,
        position: 2,
        listed_count: 3,
        track_ids: `["1","${app}","3"]`,
        extra: null,
      },
    ]);
    expect(cards(showing("2026-08-03", "US", { apps: [app, 1] }, { apps: [2] })).rows).toMatchObject([
      { position: 1, listed_count: 2 },
      { position: null, listed_count: 1 },
    ]);
    expect(cards(showing("2026-08-03", "US", { type: "FullImage" })).rows).toMatchObject([
      { position: null, listed_count: null, track_ids: null },
    ]);
  });

  test("is numbered among those of its day and country, also where the answer has them apart", () => {
    const { rows } = cards(
      showing("2026-08-03", "US", { title: "a" }, { title: "b" }),
      showing("2026-08-03", "JP", { title: "c" }),
      showing("2026-08-03", "US", { title: "d" }),
      showing("2026-08-04", "US", { title: "e" }),
    );
    expect(rows.map((row) => `${row["country_key"]} ${row["title"]} ${row["card_number"]}`).sort()).toEqual([
      "JP c 1",
      "US a 1",
      "US b 2",
      "US d 3",
      "US e 1",
    ]);
  });

  test("that comes again with its day counts once", () => {
    const again = showing("2026-08-03T18:00:00", "us", { title: "a", apps: [app] }, { title: "b", apps: [app] });
    const { rows } = cards(showing("2026-08-03", "US", { title: "a", apps: [app] }, { title: "b" }), again, again);
    expect(rows.map((row) => [row["card_number"], row["title"], row["position"]])).toEqual([
      [1, "a", 1],
      [2, "b", null],
      [3, "b", 1],
    ]);
  });

  test("of a country that is not named belongs to all, and none at all still says that the app was shown", () => {
    expect(cards(showing("2026-08-03", undefined, { title: "a" })).rows).toMatchObject([{ country_key: "ALL" }]);
    expect(cards({ date: "2026-08-03", countryCode: "US", page: "today" }).rows).toMatchObject([
      { card_number: 1, title: null, extra: '{"page":"today"}' },
    ]);
  });

  test("keeps what is unknown of it and of what is around it", () => {
    const reported = { ...showing("2026-08-03", "US", { title: "a", badge: 1 }), editor: "x" };
    expect(JSON.parse(String(cards(reported).rows[0]?.["extra"]))).toEqual({ badge: 1, editor: "x" });
  });

  test("of the day after the window belongs to the next one, whichever way the end was read", () => {
    expect(featuring.request(sliceOf({ scope, window }))).toEqual({
      trackId: String(app),
      categoryId: 6007,
      startDate: "2026-08-03",
      endDate: "2026-08-10",
    });
    const { rows, invalid } = cards(...["03", "09", "10"].map((date) => showing(`2026-08-${date}`, "US", {})));
    expect([rows.map((row) => row["date_day"]), invalid]).toEqual([["2026-08-03", "2026-08-09"], []]);
  });

  test("of any other day is invalid: an answer of nothing else is no empty one", () => {
    const { rows, invalid } = cards(showing("2026-08-02", "US", {}), showing("2026-08-11", "US", {}));
    expect([rows, invalid.map(({ reason }) => reason)]).toEqual([
      [],
      ["a day that was not requested", "a day that was not requested"],
    ]);
  });

  test("of another app or category is invalid", () => {
    const answer = { trackId: 1, categoryId: 6007, cards: [showing("2026-08-03", "US", {})] };
    expect(featuring.normalise(sliceOf({ scope, window }), [answer], [])).toMatchObject({
      rows: { "core.fact_featuring": [] },
      invalid: [{ reason: "an app or a category that was not requested" }],
    });
  });
});

describe("cards are requested", () => {
  const countries = [{ country: "US", keywords: [], keywordCount: 0 }];
  const apps: Portfolio["apps"] = [
    { store: "ios", trackId: String(app), tracked: true, countries },
    { store: "android", trackId: "com.one", tracked: true, countries },
  ];
  const described = { store: "ios", track_id: String(app), described_by: "tracked_app", category_id: "6007" };

  test("on the page of the category that the app is known to be in, of iOS apps alone", () => {
    const of = (found: readonly Record<string, string>[], options?: unknown) =>
      featuring.partitions({ apps, sources: { described_app: found } }, options).map((one) => one.scope);
    expect(of([described])).toEqual([scope]);
    expect(of([])).toEqual([]);
    expect(of([{ ...described, category_id: "" }])).toEqual([]);
    expect(of([], { category_codes: [0, 36] })).toEqual([
      { ...scope, category_code: "0" },
      { ...scope, category_code: "36" },
    ]);
  });
});
