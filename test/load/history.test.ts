import { sql } from "../../src/postgres/sql.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { trackedApps } from "../../src/datasets/tracked-app.ts";
import { closingsOf } from "../../src/load/closings.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { prepareLoad } from "../../src/load/load.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { defineTable, type Row } from "../../src/load/table.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const listed = defineTable({
  name: "core.listed",
  columns: { country_key: "country", keyword_key: "keyword", title: "text", votes: "int" },
  key: ["country_key", "keyword_key"],
  load: { kind: "history", scope: ["country_key"], versioned: ["title"] },
  partitioned: false,
});

type Answer = { readonly day: number; readonly at: number; readonly complete?: boolean; readonly country?: string };

describe("a history", () => {
  const stage = forTests(openWarehouseStage);

  beforeAll(async () => {
    await stage.create(listed);
  });

  beforeEach(async () => {
    await stage.empty(listed);
  });

  /** Members as `keyword title votes`, on a day of August. */
  async function see(answer: Answer, ...members: readonly string[]): Promise<void> {
    const { country = "US", complete = true } = answer;
    const rows = members.map((member): Row => {
      const [keyword_key = "", title = "-", votes = "0"] = member.split(" ");
      return { country_key: country, keyword_key, title: title === "-" ? null : title, votes: Number(votes) };
    });
    await stage.load({
      table: listed,
      rows,
      scope: { country_key: country },
      day: day(`2026-08-${String(answer.day).padStart(2, "0")}`),
      at: answer.at,
      sliceId: String(answer.at),
      complete,
    });
  }

  /** Every stretch as `keyword title votes from-to`, days of August, `-` for none; `?` behind one of which it is unknown whether it goes on. */
  async function stretches(country = "US"): Promise<readonly string[]> {
    const { rows } = await sql<{ line: string }>`
      select concat_ws(' ', keyword, coalesce(title, '-'), votes, to_char(valid_from, 'FMDD') || '-' || coalesce(to_char(valid_to, 'FMDD'), case when is_current then '' else '?' end)) as line
      from   core.listed natural join core.dim_keyword natural join core.dim_country
      where  country_code = ${country} and coalesce(is_current, valid_to is null) = (valid_to is null)
      order  by keyword, valid_from`.execute(stage.db);
    return rows.map(({ line }) => line);
  }

  test("opens what is new, keeps what stayed, closes what left", async () => {
    await see({ day: 1, at: 1 }, "a", "b");
    await see({ day: 5, at: 2 }, "b", "c");
    expect(await stretches()).toEqual(["a - 0 1-5", "b - 0 1-", "c - 0 5-"]);
  });

  test("opens a new stretch for what comes back", async () => {
    await see({ day: 1, at: 1 }, "a");
    await see({ day: 3, at: 2 });
    await see({ day: 7, at: 3 }, "a");
    expect(await stretches()).toEqual(["a - 0 1-3", "a - 0 7-"]);
  });

  test("closes a version that changed and opens the next", async () => {
    await see({ day: 1, at: 1 }, "a Old 5", "b -");
    await see({ day: 4, at: 2 }, "a New 6", "b Name");
    expect(await stretches()).toEqual(["a Old 5 1-4", "a New 6 4-", "b - 0 1-4", "b Name 0 4-"]);
  });

  test("renews in place what is not versioned", async () => {
    await see({ day: 1, at: 1 }, "a Same 5");
    await see({ day: 4, at: 2 }, "a Same 6");
    expect(await stretches()).toEqual(["a Same 6 1-"]);
  });

  test("writes nothing when the same comes again, on any day", async () => {
    await see({ day: 1, at: 1 }, "a Same 5", "b -");
    const before = await stage.versions(listed);
    await see({ day: 1, at: 2 }, "b -", "a Same 5");
    await see({ day: 9, at: 3 }, "b -", "a Same 5");
    expect(await stage.versions(listed)).toEqual(before);
  });

  test("leaves no trace of what came and went within one day", async () => {
    await see({ day: 1, at: 1 }, "a");
    await see({ day: 2, at: 2 }, "a", "b", "c Old");
    await see({ day: 2, at: 3 }, "a", "c New");
    expect(await stretches()).toEqual(["a - 0 1-", "c New 0 2-"]);
  });

  test("opens again what was closed by mistake earlier on the same day", async () => {
    await see({ day: 1, at: 1 }, "a");
    await see({ day: 2, at: 2 });
    await see({ day: 2, at: 3 }, "a");
    expect(await stretches()).toEqual(["a - 0 1-2", "a - 0 2-"]);
  });

  test("closes everything of its scope when nothing is there any more, and nothing of another", async () => {
    await see({ day: 1, at: 1 }, "a", "b");
    await see({ day: 1, at: 1, country: "DE" }, "a");
    await see({ day: 2, at: 2 });
    expect(await stretches()).toEqual(["a - 0 1-2", "b - 0 1-2"]);
    expect(await stretches("DE")).toEqual(["a - 0 1-"]);
  });

  test("does not know who left by an answer with invalid items; what it names is closed, renewed or opened", async () => {
    await see({ day: 1, at: 1 }, "a Old 1", "b Old 1", "d Same 1");
    await see({ day: 2, at: 2, complete: false }, "a New 2", "c New 2", "d Same 2");
    expect(await stretches()).toEqual(["a Old 1 1-2", "a New 2 2-", "b Old 1 1-?", "c New 2 2-", "d Same 2 1-"]);
  });

  test("goes on with what was unknown where it is named again, and ends what a whole answer leaves out", async () => {
    await see({ day: 1, at: 1 }, "a", "b", "c");
    await see({ day: 2, at: 2, complete: false }, "c");
    await see({ day: 3, at: 3, complete: false }, "a");
    expect(await stretches()).toEqual(["a - 0 1-", "b - 0 1-?", "c - 0 1-?"]);
    await see({ day: 4, at: 4 }, "a", "c");
    expect(await stretches()).toEqual(["a - 0 1-", "b - 0 1-4", "c - 0 1-"]);
  });

  test("knows as much as before after an answer of which nothing fits", async () => {
    await see({ day: 1, at: 1 }, "a", "b");
    const before = await stage.versions(listed);
    await see({ day: 2, at: 2, complete: false });
    expect(await stage.versions(listed)).toEqual(before);
  });

  test("leaves out an older answer that arrives late, all of it", async () => {
    await see({ day: 1, at: 1 }, "a", "b Same 1");
    await see({ day: 2, at: 3 }, "b Same 1", "c");
    const before = await stretches();
    await see({ day: 2, at: 2 }, "a", "b Other 9");
    await see({ day: 2, at: 2 });
    await see({ day: 2, at: 2, complete: false }, "x");
    expect(await stretches()).toEqual(before);
  });

  test("leaves out an answer about a day that the history has passed, though it was received later", async () => {
    await see({ day: 1, at: 1 }, "a");
    await see({ day: 3, at: 2 }, "b");
    const before = await stretches();
    await see({ day: 2, at: 3 }, "a Other 1");
    expect(await stretches()).toEqual(before);
    await see({ day: 5, at: 4 });
    await see({ day: 4, at: 5 }, "b");
    expect(await stretches()).toEqual(["a - 0 1-3", "b - 0 3-5"]);
  });

  test("had no member any more on the day on which it ended: an outdated answer of that day would not close it", async () => {
    await see({ day: 1, at: 1 }, "a", "b");
    await see({ day: 3, at: 3 }, "b");
    const dimensions = createDimensions(stage.db);
    const closing = async (date: string) => {
      const outdated = {
        table: listed,
        rows: [],
        scope: { country_key: "US" },
        sliceId: "2",
        fetchedAt: 2,
        day: day(date),
        complete: true,
        isOutdated: true,
      };
      const load = await prepareLoad(outdated, dimensions, createPartitions(stage.db));
      const { current, closing: keys } = await closingsOf(stage.db, load, dimensions);
      return [current, keys.length];
    };
    expect(await closing("2026-08-02")).toEqual([2, 2]);
    expect(await closing("2026-08-03")).toEqual([1, 1]);
  });

  test("names the slice that opened and the one that closed", async () => {
    await see({ day: 1, at: 1 }, "a", "b");
    await see({ day: 2, at: 2 }, "b");
    expect((await stage.rows(listed, "valid_to, slice_id::int")).map(({ slice_id }) => slice_id)).toEqual([2, 1]);
  });

  test("takes a real table whose scope is everything", async () => {
    const [tracked, , apps] = trackedApps.tables;
    const app = (id: string) => ({ app_key: `ios:${id}`, account: "", is_store_account_connected: null });
    const scope = { account: "" };
    await stage.load({ table: tracked!, rows: [app("1"), app("2")], scope, at: 1 });
    await stage.load({ table: tracked!, rows: [app("2")], scope, at: 2, day: day("2026-08-02") });
    expect(await stage.rows(tracked!, "valid_to, is_current")).toEqual([
      { valid_to: "2026-08-02", is_current: false },
      { valid_to: null, is_current: true },
    ]);
    await stage.load({ table: apps!, rows: [{ store: "ios", track_id: "2", app_name: "Two" }], at: 2 });
    expect(await stage.rows(apps!, "track_id, app_name, slice_id::int")).toEqual([
      { track_id: "1", app_name: null, slice_id: null },
      { track_id: "2", app_name: "Two", slice_id: 1 },
    ]);
  });
});
