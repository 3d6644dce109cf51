import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
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

test("five dashboards, each with a text, its cards, and filters that lead to the columns of their tables", async () => {
  const stage = await shared.fresh();
  const { state } = stage.metabase;
  const names = ["Data health", "Keyword performance", "Reviews", "Search ads", "Share of voice"];
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
  expect(query).toMatchObject({ type: "query", query: { "source-table": table?.id } });
});

test("a card that was deleted and a dashboard that was deleted are made again, and nothing else is", async () => {
  const stage = await shared.fresh();
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
  expect(placeOf(stage, "Keyword performance", "Movers of the week").parameter_mappings).toHaveLength(3);
  expect((await stage.apply()).changes).toEqual([]);
});

test("what somebody has changed is told and left, and put back only when asked to", async () => {
  const stage = await shared.fresh();
  const card = cardOf(stage, "Average rank");
  const place = placeOf(stage, "Keyword performance", "Average rank");
  const wasAt = place.row;
  Object.assign(card, { name: "Our rank", display: "area" });
  place.row = 90;
  Object.assign(dashboardOf(stage, "Keyword performance"), { name: "Ranks" });
  stage.metabase.forgetWrites();
  const left = [
    { what: "question", name: "Our rank", action: "leave", properties: ["name", "display"] },
    { what: "dashboard", name: "Ranks", action: "leave", properties: ["name", "average_rank.place"] },
  ];
  expect((await stage.apply()).changes).toEqual(left);
  expect(stage.metabase.writes()).toEqual([]);

  // also after a new version has changed something else of the same place
  change(
    stage,
    "keyword-performance.yaml",
    "[[and {{country}}]] [[and {{day}}]]\n      group  by 1, 2",
    "[[and {{country}}]]\n      group  by 1, 2",
  );
  await stage.apply();
  expect(placeOf(stage, "Ranks", "Our rank")).toMatchObject({
    row: 90,
    parameter_mappings: { length: 2 },
  });
  expect((await stage.apply()).changes).toEqual(left);

  await stage.apply({ overwrite: true });
  expect(card).toMatchObject({ name: "Average rank", display: "line" });
  expect(placeOf(stage, "Keyword performance", "Average rank").row).toBe(wasAt);
  expect((await stage.apply()).changes).toEqual([]);
});

test("a new version of a card reaches it, but for what somebody has changed there", async () => {
  const stage = await shared.fresh();
  const card = cardOf(stage, "Movers of the week");
  card.description = "Ask Kim about these.";
  change(stage, "keyword-performance.yaml", "days_back = 7 and", "days_back = 7 and keyword_rank is not null and");
  change(stage, "keyword-performance.yaml", "Keywords that gained or lost most places", "Gains and losses");
  const { changes } = await stage.apply();
  expect(changes).toEqual([
    { what: "question", name: "Movers of the week", action: "leave", properties: ["description"] },
    { what: "question", name: "Movers of the week", action: "update", properties: ["sql"] },
  ]);
  expect(card.description).toBe("Ask Kim about these.");
  expect(JSON.stringify(card.dataset_query)).toContain("keyword_rank is not null");
  // the change of somebody is remembered as that
  const again = await stage.apply();
  expect(again.changes.map(({ action }) => action)).toEqual(["leave"]);
});

test("what somebody added to our dashboards stays where it is: cards, filters, tabs", async () => {
  const stage = await shared.fresh();
  const { state } = stage.metabase;
  const dashboard = dashboardOf(stage, "Reviews");
  const own = { ...cardOf(stage, "Reviews by stars"), id: 7001, name: "Mine", visualization_settings: {} };
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
  change(stage, "reviews.yaml", "place: [0, 0, 12, 7]", "place: [0, 0, 12, 6]");
  const { changes } = await stage.apply();
  expect(changes.filter(({ what }) => what === "dashboard")).toEqual([
    { what: "dashboard", name: "Reviews", action: "update", properties: ["filter.day", "stars.place"] },
  ]);
  expect(dashboard.dashcards.find(({ id }) => id === mine.id)).toMatchObject(mine);
  expect(dashboard.parameters.map(({ id }) => id)).toContain("mine1234");
  expect(dashboard.tabs).toEqual([{ id: 7003, name: "First" }]);
  const mended = placeOf(stage, "Reviews", "Reviews by stars");
  expect(mended.size_y).toBe(6);
  expect(mended.parameter_mappings?.map((one) => one.parameter_id)).toContain("mine1234");
});

test("a card that somebody moved to another collection is still ours, and a copy of one is not", async () => {
  const stage = await shared.fresh();
  const card = cardOf(stage, "Credits by day");
  card.collection_id = null;
  const { state } = stage.metabase;
  state.cards.set(9001, {
    ...card,
    id: 9001,
    name: "Credits by day - copy",
    collection_id: [...state.collections.keys()][0]!,
  });
  change(stage, "data-health.yaml", "Credits booked by day and dataset.", "What was booked, by day and dataset.");
  const { changes } = await stage.apply();
  expect(changes).toEqual([
    { what: "question", name: "Credits by day", action: "update", properties: ["description"] },
  ]);
  expect(state.cards.get(card.id)?.description).toBe("What was booked, by day and dataset.");
});

test.each([
  ["POST", /^\/api\/card$/],
  ["POST", /^\/api\/dashboard$/],
  ["PUT", /^\/api\/dashboard\/\d+$/],
] as const)("a run that broke off at %s %s is finished by the next, with nothing twice", async (method, at) => {
  const stage = await shared.fresh();
  stage.metabase.state.cards.clear();
  stage.metabase.state.dashboards.clear();
  stage.metabase.fail({ method, path: at, status: 500, body: { message: "the server stops" } });
  await expect(stage.apply()).rejects.toThrow(/^metabase_failed: .*the server stops/);
  expect((await stage.apply()).isWhole).toBe(true);
  const { state } = stage.metabase;
  expect(state.dashboards.size).toBe(5);
  const names = [...state.cards.values()].map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect((await stage.apply()).changes).toEqual([]);
});

test("a rehearsal changes nothing and tells what the run then does", async () => {
  const stage = await shared.fresh();
  const { state } = stage.metabase;
  state.dashboards.delete(dashboardOf(stage, "Search ads").id);
  cardOf(stage, "Last runs").archived = true;
  change(stage, "reviews.yaml", "Reviews of each day by their stars.", "Stars by day.");
  stage.metabase.forgetWrites();
  const told = await stage.apply({ isRehearsal: true });
  expect(stage.metabase.writes()).toEqual([]);
  const done = await stage.apply();
  expect(done.changes).toEqual(told.changes);
  expect(told.changes.length).toBeGreaterThan(2);
});

test("a rehearsal on a new Metabase looks no further than it can", async () => {
  const stage = await shared.fresh();
  const { state } = stage.metabase;
  state.databases.clear();
  expect(await stage.apply({ isRehearsal: true })).toMatchObject({
    isWhole: false,
    changes: [{ what: "database", action: "create" }],
  });
  Object.assign(state, { admin: null, setupToken: "first-day-token" });
  expect(
    await stage.apply({ isRehearsal: true, credentials: { email: "a@example.com", password: "long-enough" } }),
  ).toMatchObject({
    isWhole: false,
    changes: [{ what: "administrator", name: "a@example.com", action: "create" }],
  });
  expect(stage.metabase.writes()).toEqual([]);
});
