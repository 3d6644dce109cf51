import { expect, test } from "vitest";
import { isAppNamed } from "../../src/core/app-names.ts";
import { appNamed } from "../../src/postgres/app-named.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { sql } from "../../src/postgres/sql.ts";
import { freshDatabase } from "../support/database.ts";

const apps = [
  { store: "ios", trackId: "1" },
  { store: "android", trackId: "a.b" },
  { store: "android", trackId: "1" },
  { store: "ios", trackId: "ios:1" },
  { store: "", trackId: "1" },
  { store: null, trackId: "1" },
  { store: null, trackId: "2" },
  { store: "ios", trackId: "" },
];
const names = ["", ":", "1", ":1", "ios:1", "iOS:1", "ios:", "ios:ios:1", "android:a.b", "null:2", "%", " 1"];

test("SQL and TypeScript agree which app a name means", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  for (const name of names) {
    const { rows } = await sql<{ is_named: boolean }>`
      select coalesce(${appNamed([name], { store: sql`a.store`, trackId: sql`a."trackId"` })}, false) as is_named
      from   rows from (jsonb_to_recordset(${JSON.stringify(apps)}::jsonb) as (store text, "trackId" text)) with ordinality as a (store, "trackId", turn)
      order  by turn`.execute(warehouse.db);
    expect([name, ...rows.map((row) => row.is_named)]).toEqual([name, ...apps.map((app) => isAppNamed([name], app))]);
    expect(apps.map((app) => isAppNamed(new Set([name]), app))).toEqual(rows.map((row) => row.is_named));
  }
});
