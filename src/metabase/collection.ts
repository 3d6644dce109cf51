import { z } from "zod";
import { applyCard, Card, type WantedCard } from "./cards.ts";
import type { CollectionFiles } from "./collection-file.ts";
import { applyDashboard, Dashboard, dashboardOf } from "./dashboards.ts";
import { entryName } from "./database-entry.ts";
import { markerIn } from "./three-ways.ts";
import type { Remote } from "./remote.ts";
import { metricOf, questionOf, type Lookup } from "./wanted-cards.ts";

const Collections = z.array(
  z.looseObject({
    id: z.union([z.number(), z.string()]),
    name: z.string(),
    description: z.string().nullish(),
    archived: z.boolean().nullish(),
    location: z.string().nullish(),
  }),
);
const Items = z.object({ data: z.array(z.looseObject({ id: z.number(), model: z.string() })) });
const Made = z.object({ id: z.number() });

const description =
  "Starter dashboards over the warehouse, made by `storehouse metabase`. Copy what you change much: what is changed here stays, but gets no updates.";

/** Makes or mends the starter collection: its metrics, the questions of its dashboards, and these. */
export async function applyCollection(
  remote: Remote,
  files: CollectionFiles,
  { lookup, overwrite }: { readonly lookup: Lookup; readonly overwrite: boolean },
): Promise<void> {
  // all of them first: what does not fit the warehouse is told before anything is changed
  const metrics = Object.entries(files.metrics).map(([key, metric]) => metricOf(key, metric, lookup));
  const questions: WantedCard[] = [];
  for (const file of files.dashboards)
    for (const [key, card] of Object.entries(file.cards)) questions.push(await questionOf(file, key, card, lookup));
  const collectionId = await collectionOf(remote);
  const { cards, dashboards } = await presentIn(remote, collectionId, metrics.length > 0);
  const options = { collectionId, overwrite };
  const ids = new Map<string, number | null>();
  for (const wanted of [...metrics, ...questions])
    ids.set(wanted.key, await applyCard(remote, wanted, cards.get(wanted.key), options));
  for (const file of files.dashboards)
    await applyDashboard(remote, file, dashboardOf(file, dashboards), { ...options, ids });
}

/** The id of our collection, also where somebody has renamed or moved it, made when it is not there; null where a rehearsal would have made it. */
async function collectionOf(remote: Remote): Promise<number | null> {
  const all = await remote.get("/api/collection", Collections, "list its collections");
  const present = all.filter(({ archived }) => archived !== true);
  const found =
    present.find(({ name, location }) => name === entryName && (location ?? "/") === "/") ??
    present.find((one) => one.description === description);
  if (typeof found?.id === "number") return found.id;
  const body = { name: entryName, description, parent_id: null };
  const made = await remote.write({
    what: "collection",
    name: entryName,
    action: "create",
    properties: [],
    method: "POST",
    path: "/api/collection",
    body,
  });
  return made === null ? null : Made.parse(made).id;
}

type Present = { readonly cards: ReadonlyMap<string, Card>; readonly dashboards: readonly Dashboard[] };

/** What is ours already: dashboards of the collection, and cards of it or on them, wherever somebody has moved those. */
async function presentIn(remote: Remote, collectionId: number | null, hasMetrics: boolean): Promise<Present> {
  if (collectionId === null) return { cards: new Map(), dashboards: [] };
  const { data } = await remote.get(
    `/api/collection/${collectionId}/items?models=card&models=dashboard${hasMetrics ? "&models=metric" : ""}`,
    Items,
    "list its collection",
  );
  const idsOf = (models: readonly string[]) =>
    data
      .filter(({ model }) => models.includes(model))
      .map(({ id }) => id)
      .sort((a, b) => a - b);
  const dashboards: Dashboard[] = [];
  for (const id of idsOf(["dashboard"]))
    dashboards.push(await remote.get(`/api/dashboard/${id}`, Dashboard, "show a dashboard"));
  // the card that stands where we put it comes first: a copy that somebody made carries the marker as well
  const inPlace = dashboards.flatMap(({ dashcards }) =>
    (dashcards ?? []).flatMap(({ card, card_id: id, visualization_settings: settings }) => {
      const key = markerIn(card?.visualization_settings)?.key;
      return key !== undefined && key === markerIn(settings)?.key ? (id ?? []) : [];
    }),
  );
  const cards = new Map<string, Card>();
  for (const id of new Set([...inPlace, ...idsOf(["card", "metric"])])) {
    const card = await remote.get(`/api/card/${id}?legacy-mbql=true`, Card, "show a question");
    const marker = markerIn(card.visualization_settings);
    if (marker !== null && card.archived !== true && !cards.has(marker.key)) cards.set(marker.key, card);
  }
  return { cards, dashboards };
}
