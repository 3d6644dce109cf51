import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import type { Database } from "../../src/postgres/database.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { prepareLoad, runLoads } from "../../src/load/load.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Load } from "../../src/load/ready-load.ts";
import { defineTable, type Table } from "../../src/load/table.ts";
import { long, seed as testSeed } from "../support/long.ts";
import { sold } from "../support/sold-table.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const shown = defineTable({
  name: "core.fact_shown",
  columns: { country_key: "country", date_day: "day", keyword_key: "keyword", rank: "int" },
  key: ["country_key", "date_day", "keyword_key"],
  load: { kind: "replace", scope: ["country_key", "date_day"] },
  partitioned: false,
});

/** A table whose key begins with a column that varies within an answer. */
const charted = defineTable({
  name: "core.fact_charted",
  columns: { keyword_key: "keyword", date_day: "day", chart: "text", rank: "int" },
  key: ["keyword_key", "date_day", "chart"],
  load: { kind: "replace", scope: ["date_day", "chart"] },
  partitioned: false,
});

/** An answer: of a country and some days of August, each word of it as `day word rank`. */
type Answer = { readonly country: string; readonly from: number; readonly days: number; readonly words: string };

const answers = fc.array(
  fc
    .record({
      country: fc.constantFrom("US", "JP", "GB"),
      from: fc.integer({ min: 1, max: 6 }),
      days: fc.integer({ min: 1, max: 3 }),
      words: fc.array(
        fc.tuple(fc.integer({ min: 0, max: 2 }), fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 9 })),
        {
          maxLength: 4,
        },
      ),
    })
    .map(({ words, from, days, country }): Answer => {
      const ranks = new Map(words.map(([place, word, rank]) => [`${from + (place % days)} ${word}`, rank]));
      return { country, from, days, words: [...ranks].map((each) => each.join(" ")).join(",") };
    }),
  { minLength: 1, maxLength: 8 },
);

const stage = forTests(openWarehouseStage);
beforeAll(async () => {
  for (const table of [shown, charted, sold]) await stage.create(table);
});

/** The load of an answer; later ones were received later. */
function loadOf({ country, from, days, words }: Answer, index: number): Load {
  const rows = words
    .split(",")
    .filter(Boolean)
    .map((word) => word.split(" "))
    .map(([on, keyword = "", rank]) => ({
      country_key: country,
      date_day: `2026-08-0${on}`,
      keyword_key: keyword,
      rank: Number(rank),
    }));
  return {
    table: shown,
    rows,
    sliceId: String(index + 1),
    fetchedAt: 1_000 * (index + 1),
    day: day(`2026-08-0${from}`),
    until: day(`2026-08-0${from + days}`),
    scope: { country_key: country },
    complete: true,
  };
}

/** The load of a chart on a day of August, each member as `word rank`, or as `day word rank` if it is of another day. */
function chartOf(chart: string, on: number, members: readonly string[], index: number): Load {
  const rows = members.map((member) => {
    const [rank, word = "", other = on] = member.split(" ").toReversed();
    return { keyword_key: word, date_day: `2026-08-0${other}`, chart, rank: Number(rank) };
  });
  const whose = { sliceId: String(index + 1), fetchedAt: 1_000 * (index + 1), scope: { chart } };
  const [from, until] = [day(`2026-08-0${on}`), day(`2026-08-0${on + 1}`)];
  return { table: charted, rows, ...whose, day: from, until, complete: true };
}

/** Loads answers in groups and returns what the table holds then. `texts` gets the statements. */
async function loaded(
  groups: readonly (readonly Load[])[],
  { table = shown, texts = [] }: { readonly table?: Table; readonly texts?: string[] } = {},
): Promise<readonly string[]> {
  await stage.empty(table);
  const dimensions = createDimensions(stage.db);
  const partitions = createPartitions(stage.db);
  for (const group of groups) {
    const ready = await Promise.all(group.map((load) => prepareLoad(load, dimensions, partitions)));
    await stage.db.transaction().execute(async (transaction) => {
      const run: Database["run"] = (text, values) => (texts.push(text), transaction.run(text, values));
      await runLoads({ ...transaction, run }, ready, dimensions);
    });
  }
  const columns = [...Object.keys(table.columns), "slice_id", "fetched_at"];
  const rows = await stage.rows(table, columns.join(", "));
  return rows.map((row) => JSON.stringify(row)).toSorted();
}

describe("answers of a group whose rows are replaced as a whole", () => {
  test("leave what they leave one after the other, whether their scopes are new, overlap or hold rows", async () => {
    await fc.assert(
      fc.asyncProperty(answers, fc.integer({ min: 0, max: 4 }), async (given, before) => {
        const loads = given.map(loadOf);
        const apart = await loaded(loads.map((load) => [load]));
        expect(await loaded([...loads.slice(0, before).map((load) => [load]), loads.slice(before)])).toEqual(apart);
      }),
      { numRuns: long ? 60 : 25, seed: testSeed },
    );
  });

  test("leave the same where one source gives up what another one reports of a new scope", async () => {
    const sums: readonly (readonly [named: string, byCountry: Readonly<Record<string, number>>])[] = [
      ["ALL", { ALL: 9, US: 4 }],
      ["ALL", { ALL: 5 }],
      ["US", { US: 5 }],
      ["GB", { GB: 1 }],
    ];
    const loads = sums.map(([named, byCountry], index): Load => {
      const rows = Object.entries(byCountry).map(([country, units]) => ({
        date_day: "2026-08-01",
        country_key: country,
        named_key: named,
        units,
      }));
      const whose = { sliceId: String(index + 1), fetchedAt: 1_000 * (index + 1), scope: { named_key: named } };
      return { table: sold, rows, ...whose, day: day("2026-08-01"), until: day("2026-08-02"), complete: true };
    });
    const [before, ...group] = loads as [Load, ...Load[]];
    const apart = await loaded(
      loads.map((load) => [load]),
      { table: sold },
    );
    expect(apart).toHaveLength(3);
    expect(await loaded([[before], group], { table: sold })).toEqual(apart);
  });

  test("are inserted by one statement where their scopes hold nothing", async () => {
    const loads = ["US", "JP", "GB"].map((country, index) =>
      loadOf({ country, from: 1, days: 2, words: "1 a 5,2 b 6" }, index),
    );
    const texts: string[] = [];
    expect(await loaded([loads], { texts })).toHaveLength(6);
    expect(texts.filter((text) => /^\s*(insert|merge|delete)/.test(text))).toHaveLength(1);
  });

  test("are inserted without a search for each row, although other scopes hold rows of the same members", async () => {
    const before = [chartOf("FREE", 1, ["a 1", "b 2"], 0), chartOf("PAID", 1, ["a 2", "b 1"], 1)];
    const after = [chartOf("FREE", 2, ["a 1", "b 2"], 2), chartOf("PAID", 2, ["b 1", "c 2"], 3)];
    const texts: string[] = [];
    expect(await loaded([before, after], { table: charted, texts })).toHaveLength(8);
    expect(texts.filter((text) => /on\s+conflict|left\s+join/.test(text))).toEqual([]);
  });

  test("move rows that other answers stored for their scopes, although the scopes of these answers are new", async () => {
    const before = chartOf("FREE", 1, ["a 1", "b 2"], 0);
    const after = [chartOf("FREE", 2, ["a 1", "1 b 9"], 1), chartOf("PAID", 2, ["b 1", "c 2"], 2)];
    const apart = await loaded(
      [before, ...after].map((load) => [load]),
      { table: charted },
    );
    expect(apart).toHaveLength(5);
    expect(await loaded([[before], after], { table: charted })).toEqual(apart);
  });
});
