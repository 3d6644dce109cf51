import { describe, expect, test } from "vitest";
import { dashboardApps } from "../../../src/api/operations/dashboard.ts";
import { readAnswer } from "../../../src/api/read-answer.ts";
import { trackedApps } from "../../../src/datasets/tracked-app.ts";
import { sliceOf } from "../../support/ingest-slice.ts";

/** What the list of tracked apps becomes, read as an answer; pairs as `1 > 2`. */
function reported(apps: readonly object[]) {
  const { value, invalid: left, drift } = readAnswer(dashboardApps, Buffer.from(JSON.stringify({ data: apps })));
  const { rows, invalid } = trackedApps.normalise(sliceOf(), [value], left);
  const pairs = rows["core.tracked_competitor"]?.map((row) => `${row["app_key"]} > ${row["competitor_app_key"]}`);
  return { pairs, apps: rows["core.tracked_app"], described: rows["core.dim_app"] ?? [], invalid, left, drift };
}

const full = {
  trackId: 7,
  name: "Rival",
  categoryName: "Games",
  categoryId: 6014,
  iconUrl: "https://icons.example/7.png",
  price: 0,
  developerId: 70,
  developerName: "They",
  rating: "4.5",
  ratingCount: 12,
};

describe("a competitor", () => {
  test("is app information, or its id as a number or a text, in either store", () => {
    const { pairs, invalid } = reported([
      { trackId: "1", competitors: [full, 8, "9", "com.them", { trackId: "com.those" }] },
    ]);
    expect(pairs).toEqual(
      ["ios:7", "ios:8", "ios:9", "android:com.them", "android:com.those"].map((one) => `ios:1 > ${one}`),
    );
    expect(invalid).toEqual([]);
  });

  test("counts from each entry of an app that is listed twice", () => {
    const { pairs, apps } = reported([
      { trackId: "1", competitors: [8, 9] },
      { trackId: "1", competitors: [9, 10] },
    ]);
    expect(pairs).toEqual(["ios:1 > ios:8", "ios:1 > ios:9", "ios:1 > ios:10"]);
    expect(apps).toHaveLength(1);
  });

  test("is described as far as it is reported, and one that is nothing but an id is not", () => {
    const { described } = reported([
      { trackId: "1", competitors: [full, 8, { trackId: "9" }, { trackId: "com.them", name: "Them", price: {} }] },
    ]);
    expect(described).toEqual([
      {
        store: "ios",
        track_id: "7",
        app_name: "Rival",
        category_id: "6014",
        category_name: "Games",
        icon_url: "https://icons.example/7.png",
        price_text: "0",
        developer_id: "70",
        developer_name: "They",
        rating: 4.5,
        rating_count: 12,
        described_by: "tracked_competitor",
      },
      { store: "android", track_id: "com.them", app_name: "Them", described_by: "tracked_competitor" },
    ]);
  });

  test.each([
    [
      { name: "Rival, in full", price: "" },
      { app_name: "Rival, in full", described_by: "tracked_app" },
    ],
    [
      { name: "", rating: 3 },
      { app_name: "Rival", rating: 3, described_by: "tracked_competitor" },
    ],
    [{}, { app_name: "Rival", rating: 4.5, described_by: "tracked_competitor" }],
  ])(
    "that is tracked as well is described by its own entry, and by this one in what it leaves out (%j)",
    (own, row) => {
      const { pairs, described } = reported([
        { trackId: "1", competitors: [full] },
        { trackId: 7, ...own },
      ]);
      expect(pairs).toEqual(["ios:1 > ios:7"]);
      expect(described).toMatchObject([{ track_id: "7", price_text: "0", developer_name: "They", ...row }]);
    },
  );

  test("of two apps is described once, by the first that reports each fact", () => {
    const { pairs, described } = reported([
      { trackId: "1", competitors: [{ trackId: 7, name: "Rival" }] },
      {
        trackId: "2",
        competitors: [
          { ...full, name: "Else" },
          { ...full, trackId: "7" },
        ],
      },
    ]);
    expect(pairs).toEqual(["ios:1 > ios:7", "ios:2 > ios:7"]);
    expect(described.filter((row) => row["track_id"] === "7")).toMatchObject([
      { app_name: "Rival", developer_name: "They" },
    ]);
  });

  test("is not the app itself", () => {
    expect(reported([{ trackId: "1", competitors: [1, "1", { trackId: 1 }] }])).toMatchObject({
      pairs: [],
      invalid: [],
    });
  });

  test("may say more than is known, which is reported once", () => {
    const { pairs, drift } = reported([
      {
        trackId: "1",
        competitors: [
          { ...full, mood: "grim" },
          { trackId: 8, mood: "gay" },
        ],
      },
    ]);
    expect(pairs).toHaveLength(2);
    expect(drift).toEqual([{ path: "[].competitors[].mood", kind: "string" }]);
  });
});

test("an entry that does not name its app describes none: an earlier description would be gone", () => {
  expect(reported([{ trackId: "1", price: "Free", competitors: [{ trackId: 7, price: "Free" }] }])).toMatchObject({
    apps: [{ app_key: "ios:1" }],
    pairs: ["ios:1 > ios:7"],
    described: [],
  });
});

test.each([null, undefined, []])("an app of which no list is reported (%j) has no competitors", (competitors) => {
  expect(reported([{ trackId: "1", competitors }])).toMatchObject({ apps: [{}], pairs: [], invalid: [], left: [] });
});

test.each([
  ["not a list", { competitors: "all of them" }],
  ["not a list", { competitors: { 7: full } }],
  ["not a list", { competitors: 7 }],
  ["no track id", { competitors: [{ name: "Nameless" }] }],
  ["no track id", { competitors: [null] }],
  ["no track id", { competitors: [true] }],
  ["no track id", { competitors: [[7]] }],
  ["no track id", { competitors: [""] }],
  ["no track id", { competitors: [-7] }],
  ["no track id", { competitors: [7.5] }],
  ["no track id", { competitors: ["7,8"] }],
  ["no track id", { competitors: [{ trackId: { id: 7 } }] }],
])("what names no app (%s, %j) is rejected alone, and no app is lost for it", (reason, odd) => {
  const { apps, pairs, invalid, left } = reported([
    { trackId: "1", ...odd },
    { trackId: "2", competitors: [7] },
  ]);
  expect(apps).toHaveLength(2);
  expect(pairs).toEqual(["ios:2 > ios:7"]);
  expect(left).toEqual([]);
  expect(invalid).toMatchObject([{ reason: expect.stringContaining(reason), table: "core.tracked_competitor" }]);
  expect(invalid[0]?.item).toMatchObject({ trackId: "1" });
});
