import type { FastifyInstance } from "fastify";
import * as shape from "./metabase-shapes.ts";
import { found, Refused, taken } from "./metabase-request.ts";
import { nextId, type CardRow, type DashboardRow, type MetabaseState } from "./metabase-state.ts";

/** Tables, fields, collections, cards and dashboards of the stand-in. */
export function addMetabaseContent(server: FastifyInstance, state: MetabaseState): void {
  addModel(server, state);
  addCollections(server, state);
  addCards(server, state);
  addDashboards(server, state);
}

function given<T extends object>(update: T): Partial<T> {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value != null)) as Partial<T>;
}

function addModel(server: FastifyInstance, state: MetabaseState): void {
  // searched for without a list of them all: a new Metabase gets more than a thousand descriptions, one by one
  const fieldOf = (id: number) => {
    for (const { fields } of state.tables) {
      const field = fields.find((one) => one.id === id);
      if (field !== undefined) return field;
    }
    return undefined;
  };
  server.put("/api/table/:id", (request) => {
    const table = found(new Map(state.tables.map((one) => [one.id, one])), request);
    return Object.assign(table, given(taken(shape.TableUpdate, request)));
  });
  server.put("/api/field/:id", (request) => {
    const field = found({ get: fieldOf }, request);
    const update = taken(shape.FieldUpdate, request);
    if (update.fk_target_field_id != null && fieldOf(update.fk_target_field_id) === undefined)
      throw new Refused(400, { errors: { fk_target_field_id: "Invalid target field" } });
    return Object.assign(field, given(update));
  });
}

function addCollections(server: FastifyInstance, state: MetabaseState): void {
  server.get("/api/collection", () => [{ id: "root", name: "Our analytics" }, ...state.collections.values()]);
  server.post("/api/collection", (request) => {
    const { name, description } = taken(shape.NewCollection, request);
    const row = { id: nextId(state), name, description: description ?? null, archived: false, location: "/" };
    state.collections.set(row.id, row);
    return row;
  });
  server.get("/api/collection/:id/items", (request) => {
    const { id } = found(state.collections, request);
    const models = [(request.query as { models?: string | string[] }).models ?? []].flat();
    const here = (row: CardRow | DashboardRow) => row.collection_id === id && !row.archived;
    const cards = [...state.cards.values()]
      .filter(here)
      .map((card) => ({ id: card.id, name: card.name, model: card.type === "metric" ? "metric" : "card" }));
    const dashboards = [...state.dashboards.values()]
      .filter(here)
      .map(({ id: one, name }) => ({ id: one, name, model: "dashboard" }));
    const data = [...cards, ...dashboards].filter(({ model }) => models.includes(model));
    return { data, total: data.length, models: [...new Set(data.map(({ model }) => model))] };
  });
}

/** A query as newer versions return it: fields with their types, tags with what they lack. */
function returned(query: shape.Query): unknown {
  const withType = (part: unknown): unknown => {
    if (Array.isArray(part))
      return part[0] === "field"
        ? ["field", part[1], { "base-type": "type/Text", ...(part[2] as object | null) }]
        : part.map(withType);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, withType(inner)]));
  };
  return withType(query);
}

function checkQuery(state: MetabaseState, query: shape.Query): void {
  const known = new Set(state.tables.flatMap((table) => table.fields.map(({ id }) => id)));
  const used = JSON.stringify(query).matchAll(/\["field",(\d+)/g);
  for (const [, id] of used)
    if (!known.has(Number(id))) throw new Refused(400, { message: `Field ${id} does not exist.` });
  if (!state.databases.has(query.database)) throw new Refused(404, "Not found.");
  if (query.type === "query") return;
  const named = [...new Set([...query.native.query.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1]))].sort();
  const tags = Object.keys(query.native["template-tags"]).sort();
  if (JSON.stringify(named) !== JSON.stringify(tags))
    throw new Refused(400, { message: "template tags do not fit the query" });
}

function addCards(server: FastifyInstance, state: MetabaseState): void {
  server.post("/api/card", (request) => {
    const { name, description, type, display, dataset_query, visualization_settings, collection_id } = taken(
      shape.NewCard,
      request,
    );
    checkQuery(state, dataset_query);
    if (collection_id != null && !state.collections.has(collection_id)) throw new Refused(404, "Not found.");
    const row: CardRow = {
      id: nextId(state),
      name,
      description: description ?? null,
      type: type ?? "question",
      display,
      archived: false,
      collection_id: collection_id ?? null,
      dataset_query,
      visualization_settings,
    };
    state.cards.set(row.id, row);
    return row;
  });
  server.get("/api/card/:id", (request) => {
    const card = found(state.cards, request);
    const isLegacy = (request.query as Record<string, string>)["legacy-mbql"] === "true";
    return {
      ...card,
      dataset_query: isLegacy ? returned(card.dataset_query) : { "lib/type": "mbql/query", stages: [] },
    };
  });
  server.put("/api/card/:id", (request) => {
    const card = found(state.cards, request);
    const update = taken(shape.CardUpdate, request);
    if (update.dataset_query !== undefined) checkQuery(state, update.dataset_query);
    if (update.archived === true)
      for (const one of state.dashboards.values())
        one.dashcards = one.dashcards.filter((place) => place.card_id !== card.id);
    return Object.assign(card, given(update));
  });
}

function addDashboards(server: FastifyInstance, state: MetabaseState): void {
  server.post("/api/dashboard", (request) => {
    const { name, description, collection_id } = taken(shape.NewDashboard, request);
    const row: DashboardRow = {
      id: nextId(state),
      name,
      description: description ?? null,
      archived: false,
      collection_id: collection_id ?? null,
      parameters: [],
      dashcards: [],
      tabs: [],
    };
    state.dashboards.set(row.id, row);
    return row;
  });
  server.get("/api/dashboard/:id", (request) => {
    const dashboard = found(state.dashboards, request);
    const shown = dashboard.dashcards.filter(({ card_id: id }) => id == null || !state.cards.get(id)?.archived);
    const places = shown.map((place) => ({
      ...place,
      dashboard_id: dashboard.id,
      created_at: "2026-01-01T00:00:00Z",
      card: place.card_id == null ? null : state.cards.get(place.card_id),
      series: place.series ?? [],
      parameter_mappings: (place.parameter_mappings ?? []).map((one) => ({
        ...one,
        target: [...one.target.slice(0, 2), { "stage-number": 0 }],
      })),
    }));
    return { ...dashboard, dashcards: places, width: "fixed", auto_apply_filters: true };
  });
  addLayout(server, state);
}

/** All places of a dashboard come at once; those that are not sent are gone. */
function addLayout(server: FastifyInstance, state: MetabaseState): void {
  server.put("/api/dashboard/:id", (request) => {
    const dashboard = found(state.dashboards, request);
    const { dashcards, tabs, ...plain } = taken(shape.DashboardUpdate, request);
    const parameters = plain.parameters ?? dashboard.parameters;
    for (const place of dashcards ?? []) checkPlace(state, { place, dashboard, parameters, tabs: tabs ?? [] });
    Object.assign(dashboard, given(plain));
    if (dashcards != null)
      dashboard.dashcards = dashcards.map((place) => (place.id < 0 ? { ...place, id: nextId(state) } : place));
    if (tabs != null) dashboard.tabs = tabs;
    return dashboard;
  });
}

type Checked = {
  readonly place: shape.Place;
  readonly dashboard: DashboardRow;
  readonly parameters: readonly shape.Parameter[];
  readonly tabs: readonly { id: number }[];
};

function checkPlace(state: MetabaseState, { place, dashboard, parameters, tabs }: Checked): void {
  if (place.id >= 0 && !dashboard.dashcards.some(({ id }) => id === place.id)) throw new Refused(404, "Not found.");
  const card = place.card_id == null ? null : state.cards.get(place.card_id);
  if (card === undefined || card?.archived === true)
    throw new Refused(400, { message: "The object has been archived." });
  if (card === null && place.visualization_settings?.["virtual_card"] === undefined)
    throw new Refused(400, { message: "a place with nothing on it" });
  if (tabs.length > 0 && place.dashboard_tab_id == null)
    throw new Refused(400, { message: "This dashboard has tab, makes sure every card has a tab" });
  for (const { parameter_id: id, target } of place.parameter_mappings ?? []) {
    if (!parameters.some((one) => one.id === id)) throw new Refused(400, { message: `no parameter ${id}` });
    const tag = (target[1] as unknown[] | undefined)?.[1];
    const query = card?.dataset_query;
    const tags = query?.type === "native" ? Object.keys(query.native["template-tags"]) : [];
    if (!tags.includes(String(tag))) throw new Refused(400, { message: `the card has no tag ${String(tag)}` });
  }
}
