import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { table, type Cell } from "../../src/cli/table.ts";
import { martExamples } from "../../src/docs/mart-examples.ts";
import { martAnswers } from "../../src/docs/marts-page.ts";
import { everythingShow } from "../../src/demo/shows.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { martShapes } from "../../src/postgres/mart-shapes.ts";
import { readRelations } from "../../src/postgres/relations.ts";
import { openClickHouse } from "../../src/publish/clickhouse.ts";
import { martViews } from "../../src/publish/mart-views.ts";
import { publish } from "../../src/publish/publish.ts";
import { digestInClickHouse, digestInPostgres, rowsInClickHouse, rowsInPostgres } from "../support/clickhouse-rows.ts";
import { enginePath, leftOut } from "../support/clickhouse-engine.ts";
import { openClickHouseStage } from "../support/clickhouse-stage.ts";
import { openStage, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

/** Marts without an example: what others are made of, and what is empty once everything is loaded. */
const partsAndGaps = ["search_ads_daily", "keyword_not_requested_daily"];
const marts = [...martExamples.map(({ mart }) => mart), ...partsAndGaps];

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

test("every mart has an example, is what one is made of or lists gaps, and there is no other", async () => {
  const made = await stage.query("select viewname as name from pg_catalog.pg_views where schemaname = 'mart'");
  expect(made.map(({ name }) => name).sort(), "each mart has an example in src/docs/mart-examples.ts").toEqual(
    [...marts].sort(),
  );
});

test("every mart has a declared key", () => {
  expect(Object.keys(martShapes).sort(), "each mart has its key in src/postgres/mart-shapes.ts").toEqual(
    [...marts].sort(),
  );
});

async function columnsOf(reader: pg.Client, name: string): Promise<readonly { name: string; type: string }[]> {
  const { rows } = await reader.query<{ name: string; type: string }>(
    `select quote_ident(attname) as name, format_type(atttypid, null) as type
     from   pg_attribute where attrelid = 'mart.${name}'::regclass and attnum > 0 and not attisdropped`,
  );
  return rows;
}

/** What a client's rows of a mart come to. Computing a mart takes longest, so that each client does it once. */
async function reportedOf(reader: pg.Client, name: string) {
  const { key = [] } = martShapes[name] ?? {};
  const columns = await columnsOf(reader, name);
  const sameEverywhere = columns.filter(({ type }) => type !== "timestamp with time zone");
  const fractions = columns.filter(({ type }) => /^(numeric|real|double)/.test(type));
  const { rows } = await reader.query<{
    rows: number;
    digest: string;
    keys: number;
    nulls: Record<string, number>;
    long: (string | null)[];
  }>(`
    with m as materialized (select * from mart.${name})
    select count(*)::int as rows, (select count(*)::int from (select distinct ${key.join(", ")} from m) as k) as keys,
           json_build_object(${key.map((column) => `'${column}', count(*) filter (where ${column} is null)`).join(", ")}) as nulls,
           sum(hashtextextended(row(${sameEverywhere.map((column) => column.name).join(", ")})::text, 0))::text as digest,
           array[${fractions.map((column) => `case when bool_or(scale(${column.name}::text::numeric) > 9) then '${column.name}' end`).join(", ")}]::text[] as long
    from   m`);
  return rows[0];
}

test.each(marts)(
  "%s has rows once everything is loaded, the same in every zone, one for each value of its key",
  async (name) => {
    const [reported, elsewhere] = await Promise.all(readers.map((reader) => reportedOf(reader, name)));
    expect((reported?.rows ?? 0) > 0).toBe(name !== "keyword_not_requested_daily");
    expect(elsewhere).toEqual(reported);
    expect(reported?.keys).toBe(reported?.rows);
    const { nullable = [] } = martShapes[name] ?? {};
    const nulls = Object.entries(reported?.nulls ?? {}).filter(([, count]) => count > 0);
    expect(nulls.map(([column]) => column).filter((column) => !nullable.includes(column))).toEqual([]);
    // no figure is computed to more than nine decimals
    expect(reported?.long.filter((column) => column !== null)).toEqual([]);
  },
);

test.skipIf(enginePath === null)(
  `every mart that is a view in ClickHouse is the same there, row for row, with what it reads, columns and comments${leftOut}`,
  async () => {
    await using there = await openClickHouseStage();
    await using warehouse = await openWarehouse(stage.databaseUrl, 2);
    await using clickHouse = openClickHouse({
      environment: {
        CLICKHOUSE_URL: there.url,
        CLICKHOUSE_USER: there.user,
        CLICKHOUSE_PASSWORD: there.password,
        LOG_LEVEL: "silent",
      },
    });
    // the others are tables there, which test/publish holds to what Postgres has; the long run compares all
    const only = martViews().map(({ mart }) => mart);
    const { tables, views } = await publish(warehouse, clickHouse, { now: () => 0, ...(long ? {} : { only }) });
    const published = new Set([...tables.map(({ table: name }) => name), ...views]);
    const described = await there.ask(`
    select t.database || '.' || t.name as name, any(t.comment) as about, arrayMap(c -> (c.2, c.3), arraySort(groupArray((c.position, c.name, c.comment)))) as columns
    from   system.tables as t join system.columns as c on c.database = t.database and c.table = t.name
    where  t.database in ('core', 'mart') group by name`);
    const relations = (await readRelations(warehouse.db)).filter(
      ({ name, schema }) => published.has(name) && schema !== "ops",
    );
    expect(relations.map(({ name }) => name)).toEqual(expect.arrayContaining(only));
    for (const relation of relations) {
      const { name, comment, columns } = relation;
      expect(described.find((one) => one["name"] === name)).toEqual({
        name,
        about: comment,
        columns: columns.map((column) => [column.name, column.comment]),
      });
      // publishing compares the tables with Postgres itself before they are used, which test/publish sees every day
      if (!long && relation.schema !== "mart") continue;
      const own = await digestInPostgres(warehouse.pool, relation);
      if ((await digestInClickHouse(there, relation)) === own) continue;
      // to bring all rows here costs more than all else, and is of use only where they differ
      expect([name, ...(await rowsInClickHouse(there, relation))]).toEqual([
        name,
        ...(await rowsInPostgres(warehouse.pool, relation)),
      ]);
      expect.unreachable(`the rows of ${name} are the same, and their digests are not`);
    }
  },
);

/** `npm run demo -- --everything` loads the same, which makes the answers of docs/marts.md those that anybody sees. */
test("the questions of docs/marts.md have the answers that it shows (vitest --update writes them, npm run docs takes them over)", async () => {
  await using asker = await openAsker();
  const reported: string[] = [];
  for (const { mart, query } of martExamples) {
    const { rows } = await asker.query<Record<string, Cell>>(query);
    expect(rows.length, `the example of ${mart} in src/docs has an answer`).toBeGreaterThan(0);
    const headings = Object.keys(rows[0] ?? {});
    const cells = rows.map((row) => headings.map((heading) => row[heading]));
    reported.push(`## ${mart}\n\n${table(headings, cells)}\n`);
  }
  await expect(
    reported.join("\n"),
    "npx vitest run --project database test/mart/everything.test.ts --update, then npm run docs",
  ).toMatchFileSnapshot(martAnswers);
});

/** A connection that leaves days as texts, in any zone of this machine. */
async function openAsker() {
  const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
    oid === pg.types.builtins.DATE ? String : pg.types.getTypeParser(oid, format as "text");
  // freshness is as of the day that counts as today in the demo
  const options = `-c storehouse.today=${everythingShow.today}`;
  const client = new pg.Client({ connectionString: stage.databaseUrl, types: { getTypeParser }, options });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
