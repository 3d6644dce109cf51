import { z } from "zod";
import type { DashboardFile } from "./collection-file.ts";
import { Dashcard, layOut, comparePlaces } from "./dashcards.ts";
import { differing, type Properties } from "./differences.ts";
import type { Remote } from "./remote.ts";
import { parameterId } from "./stable-ids.ts";
import { widgetOf } from "./wanted-cards.ts";

const Parameter = z.looseObject({ id: z.string() });

export const Dashboard = z.looseObject({
  id: z.number(),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.array(Parameter).nullish(),
  dashcards: z.array(Dashcard).nullish(),
  tabs: z.array(z.looseObject({ id: z.number(), name: z.string() })).nullish(),
});
/** A dashboard in Metabase. */
export type Dashboard = z.output<typeof Dashboard>;

const Made = z.object({ id: z.number() });

/** Where a new dashboard goes, the ids of its cards by key, and how an existing one is changed. */
export type DashboardOptions = {
  readonly collectionId: number | null;
  readonly ids: ReadonlyMap<string, number | null>;
  readonly overwrite: boolean;
  /** Initial values from the warehouse, by filter key. */
  readonly firstValues: ReadonlyMap<string, string>;
};

/**
 * Makes a missing dashboard, and adds missing cards to an existing one. Differences are reported, and replaced only with `overwrite`.
 * Cards, filters and tabs that the file does not name always stay.
 */
export async function applyDashboard(
  remote: Remote,
  file: DashboardFile,
  present: Dashboard | undefined,
  { collectionId, ids, overwrite, firstValues }: DashboardOptions,
): Promise<void> {
  const { name, description } = file;
  const change = { what: "dashboard", name } as const;
  if (present === undefined) {
    const body = { name, description, collection_id: collectionId };
    const path = "/api/dashboard";
    const made = await remote.write({ ...change, action: "create", properties: [], method: "POST", path, body });
    if (made === null) return;
    const { id } = Made.parse(made);
    const filled = bodyOf(file, { id, name }, { ids, firstValues, replaces: true });
    await remote.send({ method: "PUT", path: `${path}/${id}`, body: filled, what: `fill dashboard ${name}` });
    return;
  }
  const wanted = { description, ...filtersOf(file) };
  const own = differing(wanted, { description: present.description, ...filtersOn(file, present) });
  const places = comparePlaces(file, present.dashcards ?? [], ids);
  const differs = [...own, ...places.differing];
  // an interrupted run leaves an empty dashboard
  const replaces = overwrite || (present.dashcards ?? []).length === 0;
  if (!replaces && differs.length > 0) remote.note({ ...change, action: "leave", properties: differs });
  const properties = replaces ? [...differs, ...places.missing] : places.missing;
  if (properties.length === 0) return;
  const body = bodyOf(file, present, { ids, firstValues, replaces });
  await remote.write({
    ...change,
    action: "update",
    properties,
    method: "PUT",
    path: `/api/dashboard/${present.id}`,
    body,
  });
}

type Filling = Pick<DashboardOptions, "ids" | "firstValues"> & { readonly replaces: boolean };

/** All places are sent: Metabase deletes those that are missing. */
function bodyOf(file: DashboardFile, present: Dashboard, { ids, firstValues, replaces }: Filling): Properties {
  const parameters = replaces ? parametersOf(file, present, firstValues) : (present.parameters ?? []);
  const dashcards = layOut(file, {
    present: present.dashcards ?? [],
    ids,
    replaces,
    tabId: present.tabs?.[0]?.id ?? null,
    parameters: new Set(parameters.map(({ id }) => id)),
  });
  const tabs = (present.tabs ?? []).map(({ id, name }) => ({ id, name }));
  return { ...(replaces ? { description: file.description, parameters } : {}), dashcards, tabs };
}

/** The filters of the file as properties, for comparison. */
function filtersOf({ filters }: DashboardFile): Properties {
  return Object.fromEntries(
    Object.entries(filters).map(([key, filter]) => [
      `filter.${key}`,
      {
        name: filter.name,
        type: widgetOf(filter),
        ...(filter.default === undefined ? {} : { default: filter.default }),
      },
    ]),
  );
}

/** The same filters of the dashboard in Metabase. */
function filtersOn({ key: dashboard, filters }: DashboardFile, { parameters }: Dashboard): Properties {
  const known = new Map((parameters ?? []).map((one) => [one.id, one]));
  return Object.fromEntries(
    Object.entries(filters).flatMap(([key, filter]) => {
      const found = known.get(parameterId(dashboard, key));
      if (found === undefined) return [];
      const { name, type, default: value } = found;
      // an initial value changes with the warehouse, and people may change it
      const isOpen = value == null || filter.first !== undefined;
      return [[`filter.${key}`, { name, type, ...(isOpen ? {} : { default: value }) }]];
    }),
  );
}

/** The file's filters in Metabase's form, after those that people added. An existing filter keeps its initial value. */
function parametersOf(
  file: DashboardFile,
  { parameters }: Dashboard,
  firstValues: DashboardOptions["firstValues"],
): readonly { readonly id: string }[] {
  const present = new Map((parameters ?? []).map((one) => [one.id, one]));
  const ours = Object.entries(file.filters).map(([key, filter]) => {
    const id = parameterId(file.key, key);
    const first = firstValues.get(key);
    const chosen = present.has(id) ? present.get(id)?.["default"] : first === undefined ? undefined : [first];
    const value = filter.first === undefined ? filter.default : chosen;
    return {
      id,
      name: filter.name,
      slug: key,
      type: widgetOf(filter),
      sectionId: filter.kind === "days" ? "date" : "string",
      ...(value == null ? {} : { default: value }),
    };
  });
  const ids = new Set(ours.map(({ id }) => id));
  return [...ours, ...(parameters ?? []).filter(({ id }) => !ids.has(id))];
}
