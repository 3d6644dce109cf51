import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readCollection } from "../../src/metabase/collection-file.ts";
import { openMetabaseStage } from "../support/metabase-stage.ts";
import { folderForTests } from "../support/folder.ts";

const folder = folderForTests();

const good = `name: Ranks
description: Where we rank.
text: Read this.
filters:
  app: { name: App, column: app_name }
cards:
  one:
    name: One
    description: The first.
    table: mart.keyword_rank_daily
    sql: select keyword from mart.keyword_rank_daily where true [[and {{app}}]]
    display: table
    place: [0, 0, 12, 4]
  two:
    name: Two
    description: The second.
    table: mart.keyword_rank_daily
    sql: select keyword from mart.keyword_rank_daily
    display: table
    place: [12, 0, 12, 4]
`;

function problemOf(text: string): string {
  writeFileSync(path.join(folder, "ranks.yaml"), text);
  try {
    readCollection(folder);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message.replace(folder, "") : "";
  }
}

test("a dashboard's file is read with its name as its key; without metrics.yaml there are none", () => {
  expect(problemOf(good)).toBe("");
  expect(readCollection(folder)).toMatchObject({ dashboards: [{ key: "ranks", name: "Ranks" }], metrics: {} });
});

test.each([
  [
    "a kind of picture that there is not",
    "display: table",
    "display: tabel",
    12,
    "cards.one.display is not a kind of picture",
  ],
  [
    "a filter that the dashboard does not have",
    "[[and {{app}}]]",
    "[[and {{apps}}]]",
    11,
    "cards.one.sql names a filter that the dashboard does not have: apps",
  ],
  ["cards on top of each other", "[12, 0, 12, 4]", "[11, 3, 12, 4]", 20, "cards.two.place overlaps that of one"],
  ["a card over the edge", "[12, 0, 12, 4]", "[13, 0, 12, 4]", 20, "cards.two.place must end within the 24 columns"],
  ["an unknown key", "text: Read this.", "text: Read this.\ncolour: red", 4, "colour is not known"],
  [
    "a table without its schema",
    "table: mart.keyword_rank_daily",
    "table: keyword_rank_daily",
    10,
    "cards.one.table must be a table of mart",
  ],
  ["no text", "text: Read this.", "", 1, "text"],
  ["broken yaml", "cards:", "cards: [", 6, ""],
])("%s is reported with file and line", (_, from, to, line, words) => {
  const problem = problemOf(good.replace(from, to));
  expect(problem).toMatch(/^bad_config: the configuration file is invalid: \/ranks.yaml line \d+: /);
  expect(problem).toContain(words);
  expect(Number(/line (\d+)/.exec(problem)?.[1])).toBeGreaterThanOrEqual(line);
});

test("two dashboards or two cards of one name are refused: they are found by name", () => {
  problemOf(good);
  writeFileSync(path.join(folder, "again.yaml"), good);
  expect(() => readCollection(folder)).toThrow("Ranks is the name of two dashboards");
  writeFileSync(path.join(folder, "again.yaml"), good.replace("name: Ranks", "name: More ranks"));
  expect(() => readCollection(folder)).toThrow("One is the name of two cards");
});

test("a query and a filter that do not fit the warehouse are reported by file and card", async () => {
  await using stage = await openMetabaseStage();
  const spoil = (from: string, to: string) => {
    writeFileSync(path.join(folder, "ranks.yaml"), good.replace(from, to));
    return stage.apply({ folder });
  };
  rmSync(path.join(folder, "again.yaml"), { force: true });
  await expect(spoil("sql: select keyword from", "sql: select keywrod from")).rejects.toThrow(
    /^dashboard_misfit: config\/metabase\/ranks.yaml does not match the warehouse: cards.one.sql does not match.*keywrod/,
  );
  expect(stage.metabase.state.collections.size).toBe(0);
  await expect(spoil("column: app_name", "column: app_nmae")).rejects.toThrow(
    /cards.one.table has no column mart.keyword_rank_daily.app_nmae for the filter app/,
  );
  const query = "column: app_name, first: select app_nmae from core.dim_app";
  await expect(spoil("column: app_name", query)).rejects.toThrow(
    /filters.app.first does not match the warehouse.*app_nmae/,
  );
  await expect(spoil("sql: select keyword from", "sql: delete from core.dim_app; select keyword from")).rejects.toThrow(
    /^dashboard_misfit/,
  );
});
