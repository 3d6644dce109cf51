import { expect, test } from "vitest";
import { columnsPage } from "../../src/docs/columns-page.ts";
import { readRelations } from "../../src/postgres/relations.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { freshDatabase } from "../support/database.ts";

test("the page of columns names every table and view of core and mart, with each column, its type and its comment", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  const relations = await readRelations(warehouse.db);
  const text = columnsPage(relations);
  expect(relations.length).toBeGreaterThan(70);
  for (const { name } of relations) expect(text).toContain(`<code>${name}</code>`);
  expect(text.split("\n")).toContain("| `country_code` | text | Country, ISO 3166-1 alpha-2. |");
  expect(text).not.toMatch(/\| +\|/);
});
