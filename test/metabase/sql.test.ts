import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filtersIn, readCollection } from "../../src/metabase/collection-file.ts";
import { withoutFilters } from "../../src/metabase/wanted-cards.ts";
import { projectRoot } from "../../src/config/config.ts";
import { martShapes } from "../../src/postgres/mart-shapes.ts";
import { freshDatabase } from "../support/database.ts";

const { dashboards, metrics } = readCollection(path.join(projectRoot, "config", "metabase"));
const cards = dashboards.flatMap((dashboard) =>
  Object.entries(dashboard.cards).map(([key, card]) => ({ name: `${dashboard.name}: ${key}`, dashboard, card })),
);

type Card = (typeof cards)[number];

/** What Metabase puts where a filter stands: the column with schema and table before it, which no alias may hide. */
function filtered({ dashboard, card }: Card): string {
  const clause = (name: string) => {
    const { column, kind, table = card.table } = dashboard.filters[name]!;
    const full = [...table.split("."), card.columns[name] ?? column].map((part) => `"${part}"`).join(".");
    return kind === "days" ? `${full} between date '2026-01-01' and date '2026-03-01'` : `${full} in ('a', 'b')`;
  };
  return card.sql.replaceAll(/\[\[|\]\]/g, "").replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => clause(name));
}

describe("the SQL of every card of config/metabase runs on a warehouse that was just made", () => {
  const stack = new AsyncDisposableStack();
  let client: pg.Client;
  beforeAll(async () => {
    const database = stack.use(await freshDatabase());
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    stack.defer(() => client.end());
  });
  afterAll(() => stack.disposeAsync());

  test.each(cards)("$name", async (one) => {
    const bare = await client.query(withoutFilters(one.card.sql));
    const whole = await client.query(filtered(one));
    const names = whole.fields.map(({ name }) => name);
    expect(bare.fields.map(({ name }) => name)).toEqual(names);
    // what a picture draws is among the columns
    for (const drawn of ["graph.dimensions", "graph.metrics"])
      expect(names).toEqual(expect.arrayContaining((one.card.settings[drawn] ?? []) as string[]));
    const field = one.card.settings["scalar.field"];
    if (field !== undefined) expect(names).toContain(field);
  });

  test("a filter that begins with our app hides no competitor: cards of marts about others as well do not have it", async () => {
    const { rows } = await client.query<{ name: string }>(`
      select distinct 'mart.' || table_name as name from information_schema.columns
      where  table_schema = 'mart' and column_name in ('is_competitor', 'is_portfolio_app')`);
    const about = cards.filter(({ card }) => rows.some(({ name }) => name === card.table));
    expect(about.length).toBeGreaterThan(3);
    const hiding = about.filter(
      ({ dashboard, card }) => dashboard.filters["app"]?.first !== undefined && filtersIn(card.sql).includes("app"),
    );
    expect(
      hiding.map(({ name }) => name),
      "take the filter app out of the card in config/metabase, or `first` out of that filter",
    ).toEqual([]);
  });

  test("a table that names apps says of which store they are, unless its mart is about one store: an app has one name in both", async () => {
    const ofOneStore = /^mart\.(featuring_daily|bid_change_impact|keyword_cannibalisation)$/;
    const silent: string[] = [];
    for (const { name, card } of cards) {
      const { fields } = await client.query(withoutFilters(card.sql));
      const columns = fields.map((field) => field.name);
      const saysStore = columns.includes("store") || columns.includes("device_code") || ofOneStore.test(card.table);
      if (columns.includes("app_name") && !saysStore) silent.push(name);
    }
    expect(silent, "select store in the SQL of the card in config/metabase").toEqual([]);
  });

  test("what is narrowed to an app is narrowed to a group of apps as well", () => {
    const byApp = cards.filter(({ card }) => filtersIn(card.sql).includes("app"));
    expect(byApp.length).toBeGreaterThan(40);
    // a card about groups shows each of them
    const without = byApp.filter(({ card }) => !filtersIn(card.sql).includes("app_group"));
    expect(without.map(({ name }) => name)).toEqual(["Market: app_groups"]);
  });

  test("figures by day leave out days of which a part has no answer", () => {
    const marts = [
      "organic_share_of_voice_daily",
      "weighted_share_of_voice_daily",
      "visibility_daily",
      "keyword_group_daily",
    ];
    const tables = [...marts, "search_ads_daily_default"].map((name) => `mart.${name}`);
    const byDay = cards.filter(
      ({ card }) => tables.includes(card.table) && (card.display === "line" || card.display === "smartscalar"),
    );
    expect(byDay.length).toBeGreaterThan(10);
    expect(byDay.filter(({ card }) => !card.sql.includes("bool_and(is_complete)")).map(({ name }) => name)).toEqual([]);
  });

  test("what failed and was answered since is no problem any more, and what is lost is one, beside all other cells", async () => {
    const sqlOf = (key: string) => cards.find(({ name }) => name === `Data health: ${key}`)?.card.sql ?? "";
    await client.query("begin");
    await client.query(`
      insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-08', '{}', now());
      insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, error_code, planned_requests,
                             planned_credits, run_id, created_at, ended_at)
      select 'app_rating', 'o', s.scope, '2026-08-08', '2026-08-09', '2026-08-08', '', 'daily', s.state, s.code, 1, 1, run_id, now(), now()
      from   ops.run, (values ('{"app":"1"}'::jsonb, 'failed', 'server_error'), ('{"app":"1"}', 'loaded', null),
                              ('{"app":"2"}', 'failed', 'timeout'), ('{"app":"3"}', 'lost', null)) as s (scope, state, code)`);
    const problems = await client.query<Record<string, unknown>>(withoutFilters(sqlOf("problems")));
    const coverage = await client.query<Record<string, unknown>>(withoutFilters(sqlOf("coverage")));
    await client.query("rollback");
    expect(problems.rows.map((row) => [row["state"], row["error_code"]]).sort()).toEqual([
      ["failed", "timeout"],
      ["lost", null],
    ]);
    expect(coverage.rows).toMatchObject([{ loaded_count: "1", failed_count: "1", lost_count: "1" }]);
  });

  test.each(Object.entries(metrics))("metric %s", async (_, { table, aggregate, column, over, only, day }) => {
    const inner = aggregate === "distinct" ? `count(distinct ${column})` : `${aggregate}(${column ?? "*"})`;
    const ratio = over === undefined ? inner : `${inner}::numeric / nullif(sum(${over}), 0)`;
    await expect(
      client.query(`select ${ratio}, max(${day ?? "null"}) from ${table} where ${only ?? "true"}`),
    ).resolves.toMatchObject({
      rowCount: 1,
    });
  });
});

test("every picture says what it draws, and every filter of a dashboard is used by one of its cards", () => {
  for (const { card, name } of cards)
    expect([name, card.display === "table" || drawnAs(card) in card.settings]).toEqual([name, true]);
  for (const { cards: all, filters, name } of dashboards) {
    const used = new Set(Object.values(all).flatMap(({ sql }) => filtersIn(sql)));
    expect([name, Object.keys(filters).filter((filter) => !used.has(filter))]).toEqual([name, []]);
  }
});

/** The setting that says what a card shows. */
function drawnAs({ display }: Card["card"]): string {
  return display === "scalar" || display === "smartscalar" ? "scalar.field" : "graph.dimensions";
}

test("every dashboard begins with numbers", () => {
  for (const { name, cards: all } of dashboards)
    for (const { place, display } of Object.values(all))
      expect([name, place[1] === 0]).toEqual([name, display === "scalar" || display === "smartscalar"]);
});

test("a picture draws ranks with the first place on top: below zero, since Metabase turns no axis round, and says so", () => {
  const drawn = cards.flatMap(({ card }) =>
    ((card.settings["graph.metrics"] ?? []) as string[])
      .filter((column) => column.endsWith("rank"))
      .map((column) => ({ column, card })),
  );
  expect(drawn.length).toBeGreaterThan(3);
  for (const { column, card } of drawn) {
    expect(column).toMatch(/^negative_/);
    expect(card.sql).toMatch(new RegExp(`- (round|min|ranks)\\S.* as ${column}\\b`));
    expect(card.description).toContain("first place is on top");
  }
});

test("every mart is on a dashboard", () => {
  const texts = cards.map(({ card }) => card.sql).join("\n");
  const isRead = (mart: string) => new RegExp(`(from|join)\\s+mart\\.${mart}\\b`).test(texts);
  expect(
    Object.keys(martShapes).filter((mart) => !isRead(mart)),
    "each mart has a card in a file of config/metabase",
  ).toEqual([]);
});
