import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { sql } from "../../src/postgres/sql.ts";
import { long } from "../support/long.ts";
import { sharedMetabaseStage, type MetabaseStage } from "../support/metabase-stage.ts";

const shared = sharedMetabaseStage();
afterAll(() => shared[Symbol.asyncDispose]());

function dashboardOf({ metabase }: MetabaseStage, name: string) {
  const found = [...metabase.state.dashboards.values()].find((one) => one.name === name);
  if (found === undefined) throw new Error(`no dashboard ${name}`);
  return found;
}

function cardOf({ metabase }: MetabaseStage, name: string) {
  const found = [...metabase.state.cards.values()].find((one) => one.name === name);
  if (found === undefined) throw new Error(`no card ${name}`);
  return found;
}

/** The place on a dashboard of the card of a name. */
function placeOf(stage: MetabaseStage, dashboard: string, card: string) {
  const { id } = cardOf(stage, card);
  const place = dashboardOf(stage, dashboard).dashcards.find((one) => one.card_id === id);
  if (place === undefined) throw new Error(`${card} is not on ${dashboard}`);
  return place;
}

function change({ folder }: MetabaseStage, file: string, from: string, to: string): void {
  const name = path.join(folder, file);
  const text = readFileSync(name, "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  writeFileSync(name, text.replace(from, to));
}

test("seven dashboards, each with a text, its cards, and filters on the columns of their tables", async () => {
  const stage = await shared.fresh();
  const { state } = stage.metabase;
  const names = [
    "Competitors",
    "Data health",
    "Keyword performance",
    "Market",
    "Reviews",
    "Search ads",
    "Share of voice",
  ];
  expect([...state.dashboards.values()].map(({ name }) => name)).toEqual(names);
  for (const { dashcards, parameters } of state.dashboards.values()) {
    expect(dashcards.filter(({ card_id: card }) => card === null)).toHaveLength(1);
    expect(dashcards.length).toBeGreaterThan(4);
    expect(parameters.length).toBeGreaterThan(1);
  }
  const query = cardOf(stage, "Organic share of voice").dataset_query;
  const tag = query.type === "native" ? query.native["template-tags"]["app"] : undefined;
  const table = state.tables.find(({ name }) => name === "organic_share_of_voice_daily");
  expect(tag?.dimension[1]).toBe(table?.fields.find(({ name }) => name === "app_name")?.id);
  const settings = cardOf(stage, "Organic share of voice").visualization_settings;
  expect(settings["column_settings"]).toMatchObject({
    '["name","voice_share"]': { number_style: "percent", decimals: 1 },
  });
});

test("metrics are Metabase's own, over the tables by name", async () => {
  const stage = await shared.fresh();
  const { type, dataset_query: query } = cardOf(stage, "Organic share of voice by day");
  expect(type).toBe("metric");
  const table = stage.metabase.state.tables.find(({ name }) => name === "organic_share_of_voice_daily");
  const isComplete = table?.fields.find(({ name }) => name === "is_complete")?.id;
  expect(query).toMatchObject({
    type: "query",
    query: { "source-table": table?.id, filter: ["=", ["field", isComplete, null], true] },
  });
});

test("a card that was deleted and a dashboard that was deleted are made again, and nothing else is", async () => {
  const stage = await shared.fresh(["keyword-performance", "reviews"]);
  const { state } = stage.metabase;
  const { id } = cardOf(stage, "Movers of the week");
  state.cards.delete(id);
  const performance = dashboardOf(stage, "Keyword performance");
  performance.dashcards = performance.dashcards.filter(({ card_id: card }) => card !== id);
  state.dashboards.delete(dashboardOf(stage, "Reviews").id);
  const { changes } = await stage.apply();
  expect(changes.map(({ what, name, action }) => [what, name, action])).toEqual([
    ["question", "Movers of the week", "create"],
    ["dashboard", "Keyword performance", "update"],
    ["dashboard", "Reviews", "create"],
  ]);
  expect(placeOf(stage, "Keyword performance", "Movers of the week").parameter_mappings).toHaveLength(5);
  expect((await stage.apply()).changes).toEqual([]);
});

test("what differs is reported and left, also what a new version changes, and replaced only by --overwrite", async () => {
  const stage = await shared.fresh(["keyword-performance"]);
  const { state } = stage.metabase;
  const rank = cardOf(stage, "Average rank");
  const place = placeOf(stage, "Keyword performance", "Average rank");
  const wasAt = place.row;
  rank.display = "area";
  place.row = 90;
  dashboardOf(stage, "Keyword performance").description = "Ask Kim about these.";
  change(stage, "keyword-performance.yaml", "days_back = 7 and", "days_back = 7 and keyword_rank is not null and");
  const before = structuredClone(state);
  stage.metabase.forgetWrites();
  const left = [
    { what: "question", name: "Average rank", action: "leave", properties: ["display"] },
    { what: "question", name: "Movers of the week", action: "leave", properties: ["sql"] },
    {
      what: "dashboard",
      name: "Keyword performance",
      action: "leave",
      properties: ["description", "average_rank.place"],
    },
  ];
  expect((await stage.apply()).changes).toEqual(left);
  expect((await stage.apply()).changes).toEqual(left);
  expect(stage.metabase.writes()).toEqual([]);
  expect(state).toEqual(before);

  expect((await stage.apply({ overwrite: true })).changes).toEqual(left.map((one) => ({ ...one, action: "update" })));
  expect(rank.display).toBe("line");
  expect(JSON.stringify(cardOf(stage, "Movers of the week").dataset_query)).toContain("keyword_rank is not null");
  expect(placeOf(stage, "Keyword performance", "Average rank").row).toBe(wasAt);
  expect((await stage.apply()).changes).toEqual([]);
});

test("cards, filters and tabs that people added to a dashboard stay, also where the dashboard is replaced", async () => {
  const stage = await shared.fresh(["reviews"]);
  const { state } = stage.metabase;
  const dashboard = dashboardOf(stage, "Reviews");
  const own = { ...cardOf(stage, "Reviews by stars"), id: 7001, name: "Mine" };
  state.cards.set(own.id, own);
  const mine = {
    id: 7002,
    card_id: own.id,
    row: 60,
    col: 0,
    size_x: 4,
    size_y: 4,
    visualization_settings: { mine: true },
  };
  const place = placeOf(stage, "Reviews", "Reviews by stars");
  place.parameter_mappings = [
    ...(place.parameter_mappings ?? []),
    { parameter_id: "mine1234", card_id: place.card_id, target: ["dimension", ["template-tag", "app"]] },
  ];
  dashboard.dashcards.push(mine);
  dashboard.parameters.push({ id: "mine1234", name: "Mine", slug: "mine", type: "string/=" });
  dashboard.tabs = [{ id: 7003, name: "First" }];
  dashboard.dashcards = dashboard.dashcards.map((one) => ({ ...one, dashboard_tab_id: 7003 }));
  expect((await stage.apply()).changes).toEqual([]);

  change(stage, "reviews.yaml", "name: Days", "name: Period");
  change(stage, "reviews.yaml", "place: [0, 4, 12, 7]", "place: [0, 4, 12, 6]");
  const { changes } = await stage.apply({ overwrite: true });
  expect(changes.filter(({ what }) => what === "dashboard")).toEqual([
    { what: "dashboard", name: "Reviews", action: "update", properties: ["filter.day", "stars.place"] },
  ]);
  expect(dashboard.dashcards.find(({ id }) => id === mine.id)).toMatchObject(mine);
  expect(dashboard.parameters.map(({ id }) => id)).toContain("mine1234");
  expect(dashboard.tabs).toEqual([{ id: 7003, name: "First" }]);
  const replaced = placeOf(stage, "Reviews", "Reviews by stars");
  expect(replaced.size_y).toBe(6);
  expect(replaced.parameter_mappings?.map((one) => one.parameter_id)).toContain("mine1234");
});

test("a text that was removed comes back, and a filter that was removed is reported", async () => {
  const stage = await shared.fresh(["reviews"]);
  const dashboard = dashboardOf(stage, "Reviews");
  dashboard.dashcards = dashboard.dashcards.filter(({ card_id: card }) => card !== null);
  const [removed, ...parameters] = dashboard.parameters;
  dashboard.parameters = parameters;
  for (const one of dashboard.dashcards)
    one.parameter_mappings = (one.parameter_mappings ?? []).filter(({ parameter_id: id }) => id !== removed?.id);
  const { changes } = await stage.apply();
  expect(changes).toEqual([
    { what: "dashboard", name: "Reviews", action: "leave", properties: expect.arrayContaining(["filter.app"]) },
    { what: "dashboard", name: "Reviews", action: "update", properties: ["text"] },
  ]);
  expect((await stage.apply()).changes.map(({ action }) => action)).toEqual(["leave"]);
  await stage.apply({ overwrite: true });
  expect((await stage.apply()).changes).toEqual([]);
});

test("what was renamed is left alone and made again under its own name; a copy is not ours", async () => {
  const stage = await shared.fresh(["search-ads"]);
  const { state } = stage.metabase;
  const dashboard = dashboardOf(stage, "Search ads");
  dashboard.name = "Our ads";
  const metric = cardOf(stage, "Credits spent");
  state.cards.set(9001, { ...metric, id: 9001, name: "Credits spent - copy" });
  const { changes } = await stage.apply();
  expect(changes).toEqual([{ what: "dashboard", name: "Search ads", action: "create", properties: [] }]);
  expect(dashboard.name).toBe("Our ads");
  expect((await stage.apply()).changes).toEqual([]);
});

const breaks = [
  // the dashboard is there, and has no card yet
  ["PUT", /^\/api\/dashboard\/\d+$/],
  ["POST", /^\/api\/card$/],
  ["POST", /^\/api\/dashboard$/],
] as const;

test.each(long ? breaks : breaks.slice(0, 1))(
  "a run that broke off at %s %s is finished by the next, with nothing twice",
  async (method, at) => {
    const stage = await shared.fresh(["data-health", "reviews"]);
    stage.metabase.state.cards.clear();
    stage.metabase.state.dashboards.clear();
    stage.metabase.fail({ method, path: at, status: 500, body: { message: "the server stops" } });
    await expect(stage.apply()).rejects.toThrow(/^metabase_failed: .*the server stops/);
    expect((await stage.apply()).isComplete).toBe(true);
    const { state } = stage.metabase;
    expect(state.dashboards.size).toBe(2);
    const names = [...state.cards.values()].map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect((await stage.apply()).changes).toEqual([]);
  },
);

test("a dry run changes nothing and reports what the run then does", async () => {
  const stage = await shared.fresh(["data-health", "reviews", "search-ads"]);
  const { state } = stage.metabase;
  state.dashboards.delete(dashboardOf(stage, "Search ads").id);
  cardOf(stage, "Last runs").archived = true;
  change(stage, "reviews.yaml", "Reviews of each day by their stars,", "Stars by day.");
  stage.metabase.forgetWrites();
  const planned = await stage.apply({ isDryRun: true });
  expect(stage.metabase.writes()).toEqual([]);
  const done = await stage.apply();
  expect(done.changes).toEqual(planned.changes);
  expect(planned.changes.length).toBeGreaterThan(2);
});

test("a dry run on a new Metabase reports its first step", async () => {
  const stage = await shared.fresh(["reviews"]);
  const { state } = stage.metabase;
  state.databases.clear();
  expect(await stage.apply({ isDryRun: true })).toMatchObject({
    isComplete: false,
    changes: [{ what: "database", action: "create" }],
  });
  Object.assign(state, { admin: null, setupToken: "first-day-token" });
  expect(
    await stage.apply({ isDryRun: true, credentials: { email: "a@example.com", password: "long-enough" } }),
  ).toMatchObject({
    isComplete: false,
    changes: [{ what: "administrator", name: "a@example.com", action: "create" }],
  });
  expect(stage.metabase.writes()).toEqual([]);
});

// changes the warehouse that all share, so it comes last
test("filters begin with the app and the country of most keywords, and with what people chose since", async () => {
  const stage = await shared.fresh(["keyword-performance", "search-ads"]);
  stage.metabase.state.cards.clear();
  stage.metabase.state.dashboards.clear();
  const { db } = stage.warehouse;
  await sql`insert into core.dim_app (store, track_id, app_name) values ('ios', '1', 'Few'), ('ios', '2', 'Most')`.execute(
    db,
  );
  const counted = (country: number) => sql`
    insert into core.fact_keyword_rank_summary
    select app_key, ops.today(), ${country}::int, 1, case track_id when '1' then 3 else 9 end, 0, 0, 0, 0, 0, 0, 0 from core.dim_app`;
  await counted(392).execute(db);
  await sql`update core.fact_keyword_rank_summary set answered_keyword_count = answered_keyword_count + 1`.execute(db);
  await counted(840).execute(db);
  await stage.apply();
  const begins = () =>
    Object.fromEntries(
      dashboardOf(stage, "Keyword performance").parameters.map((one) => [one["slug"], one["default"]]),
    );
  expect(begins()).toEqual({ app: ["Most"], country: ["JP"], keyword: undefined, group: undefined, day: "past30days" });
  expect(dashboardOf(stage, "Search ads").parameters.map((one) => one["default"])).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    "past30days",
  ]);
  const app = dashboardOf(stage, "Keyword performance").parameters.find((one) => one["slug"] === "app");
  Object.assign(app ?? {}, { default: ["Few"] });
  await sql`truncate core.fact_keyword_rank_summary`.execute(db);
  expect((await stage.apply()).changes).toEqual([]);
  change(stage, "keyword-performance.yaml", "name: Keyword group,", "name: Group,");
  await stage.apply({ overwrite: true });
  expect(begins()).toMatchObject({ app: ["Few"], country: ["JP"] });
});
