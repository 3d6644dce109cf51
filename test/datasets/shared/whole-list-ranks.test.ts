import { describe, expect, test } from "vitest";
import { day } from "../../../src/core/day.ts";
import { keywordRank } from "../../../src/datasets/keyword-rank.ts";
import { sliceOf } from "../../support/ingest-slice.ts";

type Entry = Record<string, unknown>;

const operation = "dashboard.daily-keyword-rankings";
const slice = sliceOf({ operation, items: ["run", "to-do, list", "yoga"], requests: 2, credits: 100 });

/** All three keywords, ranked alike, with what a test changes of the first. */
const listed = (chosen: Entry = {}): Entry[] => [
  { keyword: "run", rank: 7, countryCode: "US", ...chosen },
  { keyword: "to-do, list", rank: 3 },
  { keyword: "yoga" },
];

/** Rows as `keyword device rank`, sorted. */
function read(
  pages: readonly (readonly Entry[])[],
  left: readonly { reason: string; item: unknown }[] = [],
  of = slice,
) {
  const { rows, invalid, unanswered } = keywordRank.normalise(of, pages, left);
  const found = (rows["core.fact_keyword_rank"] ?? []).map((row) =>
    [row["keyword_key"], row["device_key"], row["rank"]].join(" "),
  );
  return { rows: found.sort(), invalid, unanswered };
}

describe("ranks from the account's whole list", () => {
  test("are stamped with the device of the call and the day that was requested, and report no time of observation", () => {
    const { rows } = keywordRank.normalise(slice, [listed(), listed({ rank: 9 })], []);
    expect(rows["core.fact_keyword_rank"]).toContainEqual({
      app_key: "ios:42",
      date_day: "2026-08-01",
      country_key: "US",
      keyword_key: "run",
      device_key: "IPAD",
      rank: 9,
      observed_at: null,
    });
    expect(read([listed(), listed({ rank: 9 })])).toEqual({
      rows: ["run IPAD 9", "run IPHONE 7", "to-do, list IPAD 3", "to-do, list IPHONE 3", "yoga IPAD ", "yoga IPHONE "],
      invalid: [],
      unanswered: [],
    });
  });

  test.each([null, undefined, 0, -1])("say not ranked where the rank is %s", (rank) => {
    expect(read([listed({ rank }), listed({ rank })]).rows).toContain("run IPHONE ");
  });

  test("say that an app is the first one, of a country in whichever letters", () => {
    const { rows, invalid } = read([listed({ rank: 1, countryCode: "us" }), listed()]);
    expect([rows[1], invalid]).toEqual(["run IPHONE 1", []]);
  });

  test.each(["7", 7.5, { value: 7 }, true])(
    "claim nothing of a keyword whose rank is %j, and keep it as a reject",
    (rank) => {
      const { rows, invalid, unanswered } = read([listed({ rank }), listed()]);
      expect(rows.filter((row) => row.startsWith("run"))).toEqual(["run IPAD 7"]);
      expect(invalid).toEqual([{ reason: expect.stringContaining("rank"), item: expect.objectContaining({ rank }) }]);
      expect(unanswered).toEqual([]);
    },
  );

  test("claim nothing of a keyword from another country, also where the right one has an entry beside it", () => {
    const other = { countryCode: "DE" };
    for (const list of [listed(other), [...listed(), ...listed(other).slice(0, 1)]]) {
      const { rows, invalid } = read([list, listed()]);
      expect(rows.filter((row) => row.startsWith("run"))).toEqual(["run IPAD 7"]);
      expect(invalid).toHaveLength(1);
    }
  });

  test("claim nothing of a keyword that a list does not name, and say so", () => {
    const { rows, invalid, unanswered } = read([listed().slice(1), listed()]);
    expect(rows.filter((row) => row.startsWith("run"))).toEqual([]);
    expect([invalid, unanswered]).toEqual([[], ["run"]]);
    expect(read([[], []])).toEqual({ rows: [], invalid: [], unanswered: slice.items });
  });

  test("leave alone what is tracked and was not requested", () => {
    const more = { keyword: "boxing", rank: "x" };
    expect(
      read([
        [...listed(), more],
        [more, ...listed()],
      ]),
    ).toEqual(read([listed(), listed()]));
  });

  test("take the better of two entries for one keyword, and find one in another format", () => {
    const twice = [...listed({ keyword: "RUN " }), { keyword: "Run", rank: 2 }];
    expect(read([twice, listed()]).rows).toContain("run IPHONE 2");
    expect(read([twice.toReversed(), listed()]).rows).toContain("run IPHONE 2");
    expect(read([[...listed(), { keyword: "RUN", rank: 1 }], listed()]).rows).toContain("run IPHONE 7");
  });

  test("claim nothing of a keyword about which something came that does not fit the contract", () => {
    const { rows, unanswered } = read([listed(), listed().slice(1)], [{ reason: "odd", item: { keyword: "Run" } }]);
    expect(rows.filter((row) => row.startsWith("run"))).toEqual([]);
    expect(unanswered).toEqual([]);
  });

  test("claim nothing where no keyword of many is ranked on the newest day: it may not be out yet", () => {
    const items = ["a", "b", "c", "d", "e"];
    const none = items.map((keyword) => ({ keyword }));
    const newest = { ...slice, items, asOf: day("2026-08-02") };
    expect(read([none, none], [], newest).rows).toEqual([]);
    expect(read([none, none], [], { ...newest, asOf: day("2026-08-03") }).rows).toHaveLength(10);
    expect(read([none, [{ keyword: "a", rank: 4 }, ...none.slice(1)]], [], newest).rows).toHaveLength(10);
  });

  test("are the same when they are read again for those keywords alone that the lists name", () => {
    const named = ["a", "b", "c", "d"];
    const none = named.map((keyword) => ({ keyword }));
    const newest = { ...slice, items: [...named, "e", "f"], asOf: day("2026-08-02") };
    const first = read([none, none], [], newest);
    expect(first.unanswered).toEqual(["e", "f"]);
    expect(read([none, none], [], { ...newest, items: named }).rows).toEqual(first.rows);
  });

  test("come a call a device, and in one call where the store has no devices", () => {
    const who = { trackId: "42", countryCode: "US", date: "2026-08-01" };
    expect(keywordRank.request(slice, 0)).toEqual({ ...who, device: "iphone" });
    expect(keywordRank.request(slice, 1)).toEqual({ ...who, device: "ipad" });
    const android = sliceOf({ operation, items: ["run"], scope: { store: "android", app: "com.run", country: "US" } });
    expect(keywordRank.request(android, 0)).toEqual({ ...who, trackId: "com.run" });
    expect(read([[{ keyword: "run", rank: 5 }]], [], android).rows).toEqual(["run ALL 5"]);
  });
});
