import { z } from "zod";
import { applyCard, Card, type WantedCard } from "./cards.ts";
import type { CollectionFiles } from "./collection-file.ts";
import { applyDashboard, Dashboard } from "./dashboards.ts";
import { entryName } from "./database-entry.ts";
import type { Remote } from "./remote.ts";
import { firstValuesOf, metricOf, readQuestion, type Lookup } from "./wanted-cards.ts";

const Collections = z.array(
  z.looseObject({
    id: z.union([z.number(), z.string()]),
    name: z.string(),
    archived: z.boolean().nullish(),
    location: z.string().nullish(),
  }),
);
const Items = z.object({ data: z.array(z.looseObject({ id: z.number(), name: z.string(), model: z.string() })) });
const Made = z.object({ id: z.number() });

const description =
  "Starter dashboards over the warehouse, created by `storehouse metabase`. The command creates what is missing here and leaves the rest as it is.";

/**
 * Makes the missing parts of the starter collection: the collection, its metrics, the questions of its dashboards, and the dashboards. Each
 * is found by its name in the collection; one that was renamed or moved is left alone and made again.
 */
export async function applyCollection(
  remote: Remote,
  files: CollectionFiles,
  { lookup, overwrite }: { readonly lookup: Lookup; readonly overwrite: boolean },
): Promise<void> {
  // all of them first: a file that does not match the warehouse is reported before any change
  const cards: WantedCard[] = Object.entries(files.metrics).map(([key, metric]) => metricOf(key, metric, lookup));
  for (const file of files.dashboards)
    for (const [key, card] of Object.entries(file.cards)) cards.push(await readQuestion(file, key, card, lookup));
  const firsts = new Map<string, ReadonlyMap<string, string>>();
  for (const file of files.dashboards) firsts.set(file.key, await firstValuesOf(file, lookup));
  const collectionId = await collectionOf(remote);
  const present = await itemsOf(remote, collectionId, Object.keys(files.metrics).length > 0);
  const ids = new Map<string, number | null>();
  for (const card of cards) {
    const id = present(card.what === "metric" ? "metric" : "card", card.name);
    const path = `/api/card/${id}?legacy-mbql=true`;
    const found = id === undefined ? undefined : await remote.get(path, Card, "show a question");
    ids.set(card.key, await applyCard(remote, card, found, { collectionId, overwrite }));
  }
  for (const file of files.dashboards) {
    const id = present("dashboard", file.name);
    const found =
      id === undefined ? undefined : await remote.get(`/api/dashboard/${id}`, Dashboard, "show a dashboard");
    const firstValues = firsts.get(file.key) ?? new Map<string, string>();
    await applyDashboard(remote, file, found, { collectionId, ids, overwrite, firstValues });
  }
}

/** The id of our collection, made if it is missing; null if a dry run would have made it. */
async function collectionOf(remote: Remote): Promise<number | null> {
  const all = await remote.get("/api/collection", Collections, "list its collections");
  const found = all.find(
    ({ name, location, archived }) => name === entryName && (location ?? "/") === "/" && archived !== true,
  );
  if (typeof found?.id === "number") return found.id;
  const made = await remote.write({
    what: "collection",
    name: entryName,
    action: "create",
    properties: [],
    method: "POST",
    path: "/api/collection",
    body: { name: entryName, description, parent_id: null },
  });
  return made === null ? null : Made.parse(made).id;
}

/** Finds what is in the collection by kind and name; if several share a name, the oldest counts. */
async function itemsOf(
  remote: Remote,
  collectionId: number | null,
  hasMetrics: boolean,
): Promise<(model: string, name: string) => number | undefined> {
  if (collectionId === null) return () => undefined;
  const { data } = await remote.get(
    `/api/collection/${collectionId}/items?models=card&models=dashboard${hasMetrics ? "&models=metric" : ""}`,
    Items,
    "list its collection",
  );
  const items = [...data].sort((a, b) => a.id - b.id);
  return (model, name) => items.find((one) => one.model === model && one.name === name)?.id;
}
