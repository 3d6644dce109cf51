import { sql } from "../../src/postgres/sql.ts";
import { describe, expect, test } from "vitest";
import { countryCodes } from "../../src/config/portfolio-settings.ts";
import { createDimensions, type Dimensions } from "../../src/load/dimensions.ts";
import type { DimensionKind } from "../../src/load/columns.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

describe("dimensions", () => {
  const stage = forTests(() => openWarehouseStage(12));

  async function keysOf(kind: DimensionKind, names: readonly string[], of?: Dimensions): Promise<readonly number[]> {
    const dimensions = of ?? createDimensions(stage.db);
    await dimensions.learn(kind, names);
    return names.map((name) => dimensions.keyOf(kind, name));
  }

  test("give a name one key for good, to every worker", async () => {
    const first = await keysOf("keyword", ["habit", "sleep"]);
    expect(new Set(first).size).toBe(2);
    expect(await keysOf("keyword", ["sleep", "habit", "sleep"])).toEqual([first[1], first[0], first[1]]);
  });

  test("give one key to a name that many workers learn at the same moment", async () => {
    const names = Array.from({ length: 500 }, (_, index) => `contested ${index}`);
    const workers = Array.from({ length: 8 }, (_, index) => (index % 2 ? names : names.toReversed()));
    const keys = await Promise.all(workers.map((order) => keysOf("keyword", order)));
    for (const [index, found] of keys.entries()) expect(index % 2 ? found : found.toReversed()).toEqual(keys[1]);
    const apps = await Promise.all(workers.map(() => keysOf("app", ["ios:77", "android:a.b"])));
    expect(new Set(apps.map(String)).size).toBe(1);
    const countries = await Promise.all(workers.map(() => keysOf("country", ["QZ"])));
    expect(new Set(countries.flat()).size).toBe(1);
  });

  test("distinguish keywords that differ only in case, in spaces or in the form of an accent", async () => {
    const names = ["Habit", "habit", "habit ", " habit", "é", "e\u0301", "ｈabit", ""];
    expect(new Set(await keysOf("keyword", names)).size).toBe(names.length);
  });

  test("give names that Postgres cannot hold the key of what is left of them", async () => {
    const [clean, dirty, half, replaced] = await keysOf("keyword", ["ab", "a\0b", "x\uD800", "x\uFFFD"]);
    expect(dirty).toBe(clean);
    expect(half).toBe(replaced);
  });

  test("know countries by their number in ISO 3166, and every country together as 0", async () => {
    expect(await keysOf("country", ["US", "DE", "XK", "ALL"])).toEqual([840, 276, 1608, 0]);
  });

  test("begin with the countries that a configuration may name", async () => {
    const { rows } = await sql<{ country_code: string }>`
      select country_code from core.dim_country where country_code <> 'ALL' and region <> 'Unknown' order by country_code collate "C"`.execute(
      stage.db,
    );
    expect(rows.map((row) => row.country_code)).toEqual(countryCodes);
  });

  test("give a country code that ISO does not know the same key in any warehouse", async () => {
    expect(await keysOf("country", ["ZZ", "AA", "QQ"])).toEqual([1675, 1000, 1432]);
    const { rows } = await sql`select country_name from core.dim_country where country_code = 'ZZ'`.execute(stage.db);
    expect(rows).toEqual([{ country_name: "ZZ" }]);
  });

  test("make no country of what is none", async () => {
    await expect(keysOf("country", ["us"])).rejects.toThrow(/no key/);
    await expect(keysOf("country", ["USA"])).rejects.toThrow(/no key/);
  });

  test("distinguish apps of the two stores and keep a colon in an id", async () => {
    const keys = await keysOf("app", ["ios:5", "android:5", "android:a:b"]);
    expect(new Set(keys).size).toBe(3);
    const { rows } = await sql`select store, track_id from core.dim_app where app_key = ${keys[2]}`.execute(stage.db);
    expect(rows).toEqual([{ store: "android", track_id: "a:b" }]);
  });

  test("know the devices and make no others", async () => {
    expect(await keysOf("device", ["ALL", "IPHONE", "IPAD"])).toEqual([0, 1, 2]);
    await expect(keysOf("device", ["WATCH"])).rejects.toThrow(/no key/);
  });

  test("ask the database for what they do not know and no more", async () => {
    const dimensions = createDimensions(stage.db);
    const [key] = await keysOf("keyword", ["remembered"], dimensions);
    await sql`update core.dim_keyword set keyword = 'renamed' where keyword_key = ${key}`.execute(stage.db);
    expect(await keysOf("keyword", ["remembered"], dimensions)).toEqual([key]);
  });

  test("look up together what many answers want at once", async () => {
    await stage.pool.query("create table public.look_up (number integer generated always as identity)");
    await stage.pool.query(
      "create function public.note_look_up() returns trigger language plpgsql as $$ begin insert into public.look_up default values; return null; end $$",
    );
    await stage.pool.query(
      "create trigger note_look_up after insert on core.dim_app for each statement execute function public.note_look_up()",
    );
    const dimensions = createDimensions(stage.db);
    const answers = Array.from({ length: 20 }, (_, index) => ["ios:900", `ios:${901 + index}`]);
    const keys = await Promise.all(answers.map((names) => keysOf("app", names, dimensions)));
    expect(new Set(keys.flat()).size).toBe(21);
    const { rows } = await stage.pool.query("select from public.look_up");
    expect(rows.length).toBe(1);
  });

  test("fail the answer alone whose name Postgres refuses or takes for none", async () => {
    const dimensions = createDimensions(stage.db);
    // longer than an index takes, and made of parts that do not repeat, since Postgres compresses
    const tooLong = Array.from({ length: 2_000 }, (_, index) => (index * 7919 * 104_729) % 1_000_003).join(" ");
    const wanted = ["beside 1", tooLong, "beside 2"].map((name) => keysOf("keyword", [name], dimensions));
    const ends = await Promise.allSettled([
      ...wanted,
      keysOf("country", ["US"], dimensions),
      keysOf("country", ["us"], dimensions),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled", "rejected"]);
  });

  test("refuse a name that was not learned", () => {
    expect(() => createDimensions(stage.db).keyOf("keyword", "habit")).toThrow(/not learned/);
  });
});
