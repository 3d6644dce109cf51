import { expect, test } from "vitest";
import { readTracked } from "../../src/planner/portfolio.ts";
import { openSynced } from "../support/synced-stage.ts";

test("the portfolio of an account has no app that only another account of the warehouse tracks", async () => {
  await using stage = await openSynced({ market: { apps: 3, countries: ["US"], keywordsPerApp: 2 } });
  const [one] = await stage.query<{ key: number; id: string }>(
    "select app_key as key, track_id as id from core.dim_app join core.tracked_app using (app_key) order by 1 limit 1",
  );
  const move = (table: string) => stage.query(`update ${table} set account = 'acme' where app_key = $1`, [one?.key]);
  for (const table of ["core.tracked_app", "core.tracked_country", "core.tracked_keyword"]) await move(table);
  await using app = await stage.open();
  const appsOf = async (account: string) =>
    (await readTracked(app.warehouse.db, { account })).map(({ trackId }) => trackId);
  expect(await appsOf("acme")).toEqual([one?.id]);
  const own = await appsOf("");
  expect(own.length).toBeGreaterThan(1);
  expect(own).not.toContain(one?.id);
});
