import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { table, type Cell } from "../../src/cli/table.ts";
import { martExamples } from "../../src/docs/mart-examples.ts";
import { martAnswers } from "../../src/docs/mart-page.ts";
import { migratedTables } from "../../src/docs/migrated-tables.ts";
import { everythingShow } from "../../src/cli/demo-shows.ts";
import { openStage, type Stage } from "../support/ingest-stage.ts";

const marts = [...martExamples.map(({ mart }) => mart), "search_ads_daily"];

const zones = ["UTC", "Pacific/Kiritimati"] as const;

let stage: Stage;
let readers: readonly pg.Client[];

beforeAll(async () => {
  const { today, market, settings, bounds, datasets } = everythingShow;
  stage = await openStage({ today, market });
  await stage.sync({ settings, request: { datasets, bounds, today } });
  readers = zones.map((zone) => new pg.Client({ connectionString: stage.databaseUrl, options: `-c TimeZone=${zone}` }));
  for (const reader of readers) await reader.connect();
}, 240_000);
afterAll(async () => {
  for (const reader of readers) await reader.end();
  await stage[Symbol.asyncDispose]();
});

test("every mart is there, and no other", () => {
  const made = migratedTables().filter(({ name }) => name.startsWith("mart."));
  expect(made.map(({ name }) => name.replace("mart.", "")).sort()).toEqual([...marts].sort());
});

test.each(marts)("%s has rows once everything is loaded, the same in every zone", async (name) => {
  const query = `
    select count(*)::int as rows, md5(string_agg(t.told, ',' order by t.told)) as digest
    from   (select (to_jsonb(m) - array(select a.attname::text from pg_attribute as a
                                        where a.attrelid = 'mart.${name}'::regclass and a.atttypid = 'timestamptz'::regtype))::text as told
            from mart.${name} as m) as t`;
  const told = await Promise.all(readers.map(async (reader) => (await reader.query(query)).rows[0]));
  expect(told[0].rows).toBeGreaterThan(0);
  expect(told[1]).toEqual(told[0]);
});

/** `npm run demo -- --everything` loads the same, which makes README's answers those that anybody sees. */
test("README's questions have the answers that it shows (vitest -u writes them, npm run docs takes them over)", async () => {
  await using asker = await openAsker();
  const told: string[] = [];
  for (const { mart, query } of martExamples) {
    const { rows } = await asker.query<Record<string, Cell>>(query);
    expect([mart, rows.length]).not.toEqual([mart, 0]);
    const headings = Object.keys(rows[0] ?? {});
    const cells = rows.map((row) => headings.map((heading) => row[heading]));
    told.push(`## ${mart}\n\n${table(headings, cells)}\n`);
  }
  await expect(told.join("\n")).toMatchFileSnapshot(martAnswers);
});

/** A connection that leaves days as texts, whatever the zone of this machine. */
async function openAsker() {
  const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
    oid === pg.types.builtins.DATE ? String : pg.types.getTypeParser(oid, format as "text");
  const client = new pg.Client({ connectionString: stage.databaseUrl, types: { getTypeParser } });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
