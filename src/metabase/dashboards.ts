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
/** A dashboard as Metabase has it. */
export type Dashboard = z.output<typeof Dashboard>;

const Made = z.object({ id: z.number() });

/** Where a new dashboard goes, the ids of its cards by key, and how one that is there is changed. */
export type DashboardOptions = {
  readonly collectionId: number | null;
  readonly ids: ReadonlyMap<string, number | null>;
  readonly overwrite: boolean;
  /** What filters begin with, by their keys: those that choose by what the warehouse has. */
  readonly firstValues: ReadonlyMap<string, string>;
};

/**
 * Makes a dashboard that is missing, and adds the cards that are missing on one that is there. What differs on it is reported, and
 * replaced only with `overwrite`. Cards, filters and tabs that the file does not name stay in every case.
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
  // an empty dashboard is what an interrupted run leaves
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

/** All places are sent: Metabase drops those that are not. */
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

/** The filters of the file as properties that can be compared. */
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

/** The same filters as the dashboard in Metabase has them. */
function filtersOn({ key: dashboard, filters }: DashboardFile, { parameters }: Dashboard): Properties {
  const known = new Map((parameters ?? []).map((one) => [one.id, one]));
  return Object.fromEntries(
    Object.entries(filters).flatMap(([key, filter]) => {
      const found = known.get(parameterId(dashboard, key));
      if (found === undefined) return [];
      const { name, type, default: value } = found;
      // what a filter began with changes with the warehouse, and is for people to change
      const isOpen = value == null || filter.first !== undefined;
      return [[`filter.${key}`, { name, type, ...(isOpen ? {} : { default: value }) }]];
    }),
  );
}

/** The file's filters as Metabase takes them, after those that people added. A filter that is there keeps the value that it begins with. */
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
