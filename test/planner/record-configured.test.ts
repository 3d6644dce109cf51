import { expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { day } from "../../src/core/day.ts";
import { recordConfigured } from "../../src/planner/record-configured.ts";
import { recordSettings } from "../../src/planner/record-settings.ts";
import { sql } from "../../src/postgres/sql.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(() => openWarehouseStage(2));

const portfolioOf = (apps: object[], source = "config") => Settings.parse({ portfolio: { source, apps } }).portfolio;

async function read(): Promise<readonly string[]> {
  const { rows } = await stage.pool.query<{ line: string }>(
    "select concat_ws(' ', track_id, part, nullif(member, ''), valid_from, '-', valid_to) as line from core.configured_portfolio order by track_id, part, member, valid_from",
  );
  return rows.map(({ line }) => line);
}

test("what the configuration lists has the day on which it came and left; what has not changed is not written", async () => {
  const { db } = stage;
  const first = { id: "12", countries: ["US", "JP"], keywords: ["lumi", "習慣", "x".repeat(3_000)] };
  await recordConfigured(db, portfolioOf([first]), day("2026-08-01"));
  const versions = async () =>
    (await stage.pool.query("select ctid, xmin from core.configured_portfolio order by 1")).rows;
  const before = await versions();
  // a second entry of the same app adds to it
  await recordConfigured(
    db,
    portfolioOf([first, { id: 12, countries: ["US"], keywords: ["lumi"] }]),
    day("2026-08-02"),
  );
  expect(await versions()).toEqual(before);
  const later = [
    { ...first, countries: ["US"], keywords: ["習慣", "new"] },
    { id: "com.example.b", countries: ["GB"] },
  ];
  await recordConfigured(db, portfolioOf(later), day("2026-08-03"));
  expect(await read()).toEqual([
    "12 app 2026-08-01 -",
    "12 country JP 2026-08-01 - 2026-08-03",
    "12 country US 2026-08-01 -",
    "12 keyword lumi 2026-08-01 - 2026-08-03",
    "12 keyword new 2026-08-03 -",
    "12 keyword 習慣 2026-08-01 -",
    "com.example.b app 2026-08-03 -",
    "com.example.b country GB 2026-08-03 -",
  ]);
  // two processes with different files on one day end nothing
  await recordConfigured(db, portfolioOf([]), day("2026-08-04"));
  await recordConfigured(db, portfolioOf(later), day("2026-08-04"));
  expect((await read()).filter((line) => line.includes("08-04"))).toEqual([]);
  await recordConfigured(db, portfolioOf(later, "account"), day("2026-08-05"));
  expect((await read()).filter((line) => line.endsWith(" -"))).toEqual([]);
  await recordConfigured(db, portfolioOf(later), day("2026-08-07"));
  expect((await read()).filter((line) => line.endsWith("08-07 -"))).toHaveLength(6);
});

test("long lists are compared by hash, since statistics may be old; what follows in the transaction is planned as ever", async () => {
  const tables = ["core.configured_portfolio", "core.grouped_app", "core.grouped_keyword", "ops.dataset_timing"];
  await stage.pool.query("create table public.nested_loops (setting text)");
  await stage.pool.query(
    "create function public.note_setting() returns trigger language plpgsql as $$ begin insert into public.nested_loops values (tg_table_name || ' ' || current_setting('enable_nestloop')); return null; end $$",
  );
  for (const table of tables)
    await stage.pool.query(
      `create trigger note_setting after insert on ${table} for each statement execute function public.note_setting()`,
    );
  const settings = Settings.parse({ portfolio: { source: "config", apps: [{ id: "12", countries: ["US"] }] } });
  const request = { datasets: [], bounds: {}, today: day("2026-08-09") };
  const after = await stage.db.transaction().execute(async (transaction) => {
    await recordSettings(transaction, { request, settings });
    return sql<{ setting: string }>`select current_setting('enable_nestloop') as setting`.execute(transaction);
  });
  const { rows } = await stage.pool.query<{ setting: string }>("select setting from public.nested_loops order by 1");
  expect(rows.map(({ setting }) => setting)).toEqual([
    "configured_portfolio off",
    "dataset_timing off",
    "grouped_app off",
    "grouped_keyword off",
  ]);
  expect(after.rows).toEqual([{ setting: "on" }]);
});
