import { sql } from "../../src/postgres/sql.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { organicKeyword } from "../../src/datasets/organic-keyword.ts";
import { defineTable } from "../../src/load/table.ts";
import { sold } from "../support/sold-table.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const chart = defineTable({
  name: "core.fact_chart",
  columns: { country_key: "country", device_key: "device", keyword_key: "keyword", rank: "int" },
  key: ["country_key", "device_key", "keyword_key"],
  load: { kind: "replace", scope: ["country_key", "device_key"] },
  partitioned: false,
});

const scope = { country_key: "US", device_key: "IPAD" };

/** `a:1 b:2` as rows of one country and device. */
function members(words: string, place: typeof scope = scope) {
  return words
    .split(" ")
    .filter(Boolean)
    .map((word) => word.split(":"))
    .map(([keyword = "", rank]) => ({ ...place, keyword_key: keyword, rank: Number(rank) }));
}

const daily = defineTable({
  name: "core.fact_shown",
  columns: { country_key: "country", date_day: "day", keyword_key: "keyword" },
  key: ["country_key", "date_day", "keyword_key"],
  load: { kind: "replace", scope: ["country_key", "date_day"] },
  partitioned: false,
});

const stage = forTests(openWarehouseStage);
beforeAll(async () => {
  for (const table of [sold, daily, chart]) await stage.create(table);
});

describe("a replacement of the days that are reported", () => {
  beforeEach(() => stage.empty(sold));

  /** An answer about the first week of August; `3US4` is 4 units in the US on the third. Received at `at`, which is its slice as well. */
  async function take(words: string, at: number, { named = "ALL", complete = true, isCut = false } = {}) {
    const rows = Array.from(words.matchAll(/(\d)([A-Z]+)(\d)/g), ([, date, country = "", units]) => ({
      date_day: `2026-08-0${date}`,
      country_key: country,
      named_key: named,
      units: Number(units),
    }));
    const whose = { at: at * 1_000, sliceId: String(at), until: day("2026-08-08"), scope: { named_key: named } };
    await stage.load({ table: sold, rows, ...whose, complete, isCut });
  }

  /** What there is, each with the slice that wrote it: `3US4/1`. */
  async function current(): Promise<string> {
    const { rows } = await sql<{ words: string }>`
      select coalesce(string_agg(extract(day from date_day) || country_code || units || '/' || slice_id, ' ' order by date_day, country_code), '') as words
      from   core.fact_sold natural join core.dim_country`.execute(stage.db);
    return rows[0]?.words ?? "";
  }

  test("takes out who left on such a day, and nobody on a day that is not reported or by an answer without a row", async () => {
    await take("1ALL7 1FR3 1US4 2ALL3 2FR3", 1);
    await take("1ALL4 1US4", 2);
    expect(await current()).toBe("1ALL4/2 1US4/2 2ALL3/1 2FR3/1");
    await take("", 3);
    expect(await current()).toBe("1ALL4/2 1US4/2 2ALL3/1 2FR3/1");
  });

  test("marks rows as received again on days that lost a row, and on no other", async () => {
    await take("1ALL7 1FR3 2ALL3", 1);
    await take("1ALL7 2ALL3", 2);
    expect(await current()).toBe("1ALL7/2 2ALL3/1");
  });

  test("writes nothing when the same answer comes again, and leaves no trace of one that comes late", async () => {
    await take("1ALL7 1FR3 1US4", 1);
    await take("1ALL7 1US4", 3);
    const before = await stage.versions(sold);
    await take("1ALL7 1US4", 3);
    await take("1ALL7 1US4", 4);
    await take("1ALL7 1FR3 1US4", 2);
    expect(await stage.versions(sold)).toEqual(before);
    await stage.empty(sold);
    for (const [words, at] of [["1ALL7 1US4", 3] as const, ["1ALL7 1FR3 1US4", 2] as const]) await take(words, at);
    expect(await current()).toBe("1ALL7/3 1US4/3");
  });

  test("takes out who left though items do not fit, and nobody where pages were not read", async () => {
    await take("1ALL7 1FR3 1US4 2FR3", 1);
    await take("1ALL5 1US4", 2, { complete: false, isCut: true });
    expect(await current()).toBe("1ALL5/2 1FR3/1 1US4/1 2FR3/1");
    await take("1ALL4 1US4", 3, { complete: false });
    expect(await current()).toBe("1ALL4/3 1US4/3 2FR3/1");
  });

  test("leaves what others report, unless it ranks higher itself, in whichever order they come", async () => {
    const answers = [
      () => take("1ALL9 1US4", 1),
      () => take("1FR2", 2, { named: "FR" }),
      () => take("1ALL8 1US4", 3),
      () => take("1US5", 4, { named: "US" }),
    ];
    for (const order of [answers, answers.toReversed()]) {
      await stage.empty(sold);
      for (const answer of order) await answer();
      expect((await current()).replaceAll(/\/\d/g, "")).toBe("1ALL8 1FR2 1US4");
    }
  });
});

describe("a replacement of several days", () => {
  beforeEach(() => stage.empty(daily));

  /** An answer about the first days of August; `3a 4b` is the word a on the third and b on the fourth. */
  async function take(words: string, at: number, [from, to]: readonly [number, number] = [1, 7], complete = true) {
    const rows = words
      .split(" ")
      .filter(Boolean)
      .map((word) => ({ country_key: "US", date_day: `2026-08-0${word[0]}`, keyword_key: word.slice(1) }));
    const days = { day: day(`2026-08-0${from}`), until: day(`2026-08-0${to + 1}`) };
    await stage.load({ table: daily, rows, scope: { country_key: "US" }, at, complete, ...days });
  }

  async function current(): Promise<string> {
    const { rows } = await sql<{ words: string }>`
      select string_agg(extract(day from date_day) || keyword, ' ' order by date_day, keyword) as words
      from   core.fact_shown natural join core.dim_keyword`.execute(stage.db);
    return rows[0]?.words ?? "";
  }

  test("takes out the members of each of its days that left, and none of the days beside them", async () => {
    await take("1a 3b 4c 7d", 1_000);
    await take("3b 5e", 2_000, [3, 5]);
    expect(await current()).toBe("1a 3b 5e 7d");
    await take("", 3_000, [1, 3]);
    expect(await current()).toBe("5e 7d");
  });

  test("with invalid items replaces the days of which it has rows, and leaves the others as they were", async () => {
    await take("1a 3b 4c 7d", 1_000);
    await take("3x 4c", 2_000, [1, 7], false);
    expect(await current()).toBe("1a 3x 4c 7d");
    await take("", 3_000, [1, 7], false);
    expect(await current()).toBe("1a 3x 4c 7d");
  });

  test("that is older than what some of its days hold brings the others", async () => {
    await take("4x", 2_000, [4, 5]);
    await take("1a 4b 6c", 1_000);
    expect(await current()).toBe("1a 4x 6c");
  });
});

describe("a replacement", () => {
  beforeEach(async () => {
    await stage.empty(chart);
    await take("a:1 b:2 c:3", 1_000);
  });

  async function take(
    words: string,
    at: number,
    more: { complete?: boolean; isCut?: boolean; place?: typeof scope } = {},
  ) {
    const { place = scope, complete = true, isCut = false } = more;
    await stage.load({ table: chart, rows: members(words, place), scope: place, at, complete, isCut });
  }

  /** The members of the chart as `a:1 b:2`. */
  async function current(place: typeof scope = scope): Promise<string> {
    const { rows } = await sql<{ words: string }>`
      select coalesce(string_agg(keyword || ':' || rank, ' ' order by keyword), '') as words
      from   core.fact_chart natural join core.dim_keyword natural join core.dim_country natural join core.dim_device
      where  country_code = ${place.country_key} and device_code = ${place.device_key}`.execute(stage.db);
    return rows[0]?.words ?? "";
  }

  test("takes out the members that left, brings new ones, and moves the rest", async () => {
    await take("b:1 c:3 d:2", 2_000);
    expect(await current()).toBe("b:1 c:3 d:2");
  });

  test("writes nothing when the same members come again", async () => {
    const before = await stage.versions(chart);
    await take("c:3 b:2 a:1", 2_000);
    expect(await stage.versions(chart)).toEqual(before);
  });

  test("takes out everybody when the answer is empty", async () => {
    await take("", 2_000);
    expect(await current()).toBe("");
  });

  test("touches no other scope", async () => {
    const elsewhere = { country_key: "US", device_key: "IPHONE" };
    await take("z:9", 1_000, { place: elsewhere });
    await take("", 2_000);
    expect(await current(elsewhere)).toBe("z:9");
  });

  test("leaves no old member beside the new ones, though some of the answer did not fit", async () => {
    await take("b:1 d:2", 2_000, { complete: false });
    expect(await current()).toBe("b:1 d:2");
  });

  test("takes nobody out when nothing of the answer fits, or when pages of it were not read", async () => {
    await take("", 2_000, { complete: false });
    expect(await current()).toBe("a:1 b:2 c:3");
    await take("b:1 d:2", 3_000, { complete: false, isCut: true });
    expect(await current()).toBe("a:1 b:1 c:3 d:2");
  });

  test("lets no older answer bring members back, take them out or move them", async () => {
    await take("b:1 c:3 d:2", 3_000);
    await take("a:1 b:9 x:4", 2_000);
    await take("x:4", 2_000, { complete: false });
    expect(await current()).toBe("b:1 c:3 d:2");
    await take("", 2_000);
    expect(await current()).toBe("b:1 c:3 d:2");
  });

  test("takes the later of two answers of the same moment", async () => {
    await take("q:1", 1_000);
    expect(await current()).toBe("q:1");
  });

  test("replaces an answer as large as they come", async () => {
    // 36,000 keywords of one app were seen; comparing each with each would outlast the test
    const [table] = organicKeyword.tables;
    const place = { app_key: "ios:1", date_day: "2026-08-01", country_key: "US", device_key: "IPHONE" };
    const answer = (from: number) =>
      Array.from({ length: 36_000 }, (_, rank) => ({ ...place, keyword_key: `keyword ${rank + from}`, rank }));
    await stage.load({ table: table!, rows: answer(0), scope: place, at: 1_000 });
    await stage.load({ table: table!, rows: answer(10), scope: place, at: 2_000 });
    const [count] = await stage.rows(table!, "count(*)::int as members, min(slice_id) as slice");
    expect(count?.["members"]).toBe(36_000);
  });
});
