import { readFile } from "node:fs/promises";
import path from "node:path";
import { sql } from "../../src/postgres/sql.ts";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { Environment } from "../../src/config/env.ts";
import { generatedFiles } from "../../src/docs/generated.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { freshDatabase } from "../support/database.ts";

test("generated files are as the code and the migrations have them: npm run docs writes them", async ({ skip }) => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  const { rows } = await sql<{ major: number }>`
    select current_setting('server_version_num')::integer / 10000 as major`.execute(warehouse.db);
  skip(rows[0]?.major !== 18, "an older Postgres words its catalogue in another way");
  for (const { file, text } of await generatedFiles(warehouse.db))
    expect(await readFile(path.join(projectRoot, file), "utf8")).toBe(text);
});

test(".env.example names every variable, and no other", async () => {
  const example = await readFile(path.join(projectRoot, ".env.example"), "utf8");
  const named = [...example.matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1]);
  expect(named).toEqual(Object.keys(Environment.shape));
});
