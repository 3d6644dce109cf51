import { z } from "zod";
import type { DashboardFile } from "./collection-file.ts";
import { widgetOf } from "./wanted-cards.ts";
import { Dashcard, layOut, parameterId, textKey, wantedPlaces, type Layout } from "./dashcards.ts";
import { markerIn, withMarker } from "./three-ways.ts";
import type { Change, Remote } from "./remote.ts";
import { compareThreeWays, digestOf, type Properties } from "./three-ways.ts";

const Parameter = z.looseObject({ id: z.string() });

export const Dashboard = z.looseObject({
  id: z.number(),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.array(Parameter).nullish(),
  dashcards: z.array(Dashcard).nullish(),
  tabs: z.array(z.looseObject({ id: z.number(), name: z.string() })).nullish(),
});
/** A dashboard as Metabase has it. */
export type Dashboard = z.output<typeof Dashboard>;

const Made = z.object({ id: z.number() });

/** Where a new dashboard goes, the ids of its cards by key, and whether what others changed is put back. */
export type DashboardOptions = {
  readonly collectionId: number | null;
  readonly ids: ReadonlyMap<string, number | null>;
  readonly overwrite: boolean;
};

/** The dashboard of ours among those that are there: by a marker on one of its places, else an empty one of its name, which a run that broke off left. */
export function dashboardOf(file: DashboardFile, present: readonly Dashboard[]): Dashboard | undefined {
  const isOurs = (one: Dashboard) =>
    (one.dashcards ?? []).some(({ visualization_settings: settings }) =>
      markerIn(settings)?.key.startsWith(`${file.key}/`),
    );
  return present.find(isOurs) ?? present.find((one) => one.name === file.name && (one.dashcards ?? []).length === 0);
}

/** Makes or mends one dashboard. */
export async function applyDashboard(
  remote: Remote,
  file: DashboardFile,
  found: Dashboard | undefined,
  options: DashboardOptions,
): Promise<void> {
  if (found === undefined) {
    const body = { name: file.name, description: file.description, collection_id: options.collectionId };
    const made = await remote.write({
      what: "dashboard",
      name: file.name,
      action: "create",
      properties: [],
      method: "POST",
      path: "/api/dashboard",
      body,
    });
    if (made !== null)
      await put(remote, {
        file,
        found: { id: Made.parse(made).id, name: file.name, description: file.description },
        options,
        isNew: true,
      });
    return;
  }
  await put(remote, { file, found, options, isNew: false });
}

type Putting = {
  readonly file: DashboardFile;
  readonly found: Dashboard;
  readonly options: DashboardOptions;
  readonly isNew: boolean;
};

async function put(remote: Remote, { file, found, options, isNew }: Putting): Promise<void> {
  const present = found.dashcards ?? [];
  const text = present.find(
    ({ visualization_settings: settings }) => markerIn(settings)?.key === `${file.key}/${textKey}`,
  );
  const marker = markerIn(text?.visualization_settings);
  const wanted = ownProperties(file);
  const current = { name: found.name, description: found.description, ...parametersIn(file, found) };
  const own = compareThreeWays({
    wanted,
    current,
    applied: isNew ? {} : (marker?.applied ?? {}),
    overwrite: options.overwrite || present.length === 0,
  });
  const tabId = found.tabs?.[0]?.id ?? null;
  const layout = layOut(file, {
    wanted: wantedPlaces(file, options.ids),
    present,
    tabId,
    overwrite: options.overwrite,
  });
  const change: Omit<Change, "action" | "properties"> = { what: "dashboard", name: found.name };
  const left = [...own.left, ...layout.left];
  if (left.length > 0) remote.note({ ...change, action: "leave", properties: left });
  const set = [...own.set, ...layout.set];
  if (set.length === 0) return;
  const body = bodyOf(file, { found, set: own.set, layout, wanted });
  const path = `/api/dashboard/${found.id}`;
  if (!isNew) await remote.write({ ...change, action: "update", properties: set, method: "PUT", path, body });
  else await remote.send({ method: "PUT", path, body, what: `lay out dashboard ${file.name}` });
}

type Body = {
  readonly found: Dashboard;
  readonly set: readonly string[];
  readonly layout: Layout;
  readonly wanted: Properties;
};

/** Only what changes; but all places, of which those that are not sent would be taken away. */
function bodyOf(file: DashboardFile, { found, set, layout, wanted }: Body): Properties {
  const plain = Object.fromEntries(
    ["name", "description"].filter((name) => set.includes(name)).map((name) => [name, wanted[name]]),
  );
  const filters = set.filter((name) => name.startsWith("filter."));
  const digests = Object.fromEntries(set.map((name) => [name, digestOf(wanted[name])]));
  return {
    ...plain,
    ...(filters.length === 0 ? {} : { parameters: parametersOf(file, found, filters) }),
    dashcards: layout.places.map((place) => marked(file, place, digests)),
    tabs: (found.tabs ?? []).map(({ id, name }) => ({ id, name })),
  };
}

/** The text's place also says what was applied to the dashboard itself. */
function marked({ key }: DashboardFile, place: Properties, digests: Readonly<Record<string, string>>): Properties {
  const settings = place["visualization_settings"] as Properties | null | undefined;
  const marker = markerIn(settings);
  if (marker?.key !== `${key}/${textKey}`) return place;
  return {
    ...place,
    visualization_settings: withMarker(settings ?? {}, { ...marker, applied: { ...marker.applied, ...digests } }),
  };
}

function ownProperties(file: DashboardFile): Properties {
  const filters = Object.entries(file.filters).map(([name, filter]) => [
    `filter.${name}`,
    { name: filter.name, type: widgetOf(filter), ...(filter.default === undefined ? {} : { default: filter.default }) },
  ]);
  return { name: file.name, description: file.description, ...Object.fromEntries(filters) };
}

function parametersIn(file: DashboardFile, { parameters }: Dashboard): Properties {
  const known = new Map((parameters ?? []).map((one) => [one.id, one]));
  return Object.fromEntries(
    Object.keys(file.filters).flatMap((name) => {
      const found = known.get(parameterId(file.key, name));
      if (found === undefined) return [];
      const { name: shown, type, default: first } = found;
      return [[`filter.${name}`, { name: shown, type, ...(first == null ? {} : { default: first }) }]];
    }),
  );
}

/** All parameters of the dashboard, those that change as the file has them. */
function parametersOf(file: DashboardFile, { parameters }: Dashboard, set: readonly string[]): readonly Properties[] {
  const ours = Object.entries(file.filters)
    .filter(([name]) => set.includes(`filter.${name}`))
    .map(([name, filter]) => ({
      id: parameterId(file.key, name),
      name: filter.name,
      slug: name,
      type: widgetOf(filter),
      sectionId: filter.kind === "days" ? "date" : "string",
      ...(filter.default === undefined ? {} : { default: filter.default }),
    }));
  const fresh = new Map(ours.map((one) => [one.id, one]));
  const kept = (parameters ?? []).map((one) => fresh.get(one.id) ?? one);
  const known = new Set(kept.map(({ id }) => id));
  return [...kept, ...ours.filter(({ id }) => !known.has(id))];
}
