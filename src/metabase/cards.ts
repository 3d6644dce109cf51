import { z } from "zod";
import { digestOf, compareThreeWays, digestsOf, type Properties } from "./three-ways.ts";
import { markerIn, withMarker } from "./three-ways.ts";
import type { Change, Remote } from "./remote.ts";

/** A card that we want: its key, what it is, and its properties. Settings stand among them as `settings.<name>`. */
export type WantedCard = {
  readonly key: string;
  readonly what: "question" | "metric";
  readonly display: string;
  readonly properties: Properties;
  /** The query in Metabase's form, of which the properties tell `sql` and `filters`, or `query`. */
  readonly query: (properties: Properties) => unknown;
};

export const Card = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string().nullish(),
  display: z.string(),
  archived: z.boolean().optional(),
  visualization_settings: z.record(z.string(), z.unknown()).nullish(),
  dataset_query: z.looseObject({}).nullish(),
});
/** A card as Metabase has it. */
export type Card = z.output<typeof Card>;

const Made = z.object({ id: z.number() });
const Native = z.object({
  native: z.object({
    query: z.string(),
    "template-tags": z
      .record(
        z.string(),
        z.looseObject({
          dimension: z.array(z.unknown()).optional(),
          "widget-type": z.string().optional(),
          "display-name": z.string().optional(),
        }),
      )
      .nullish(),
  }),
});
const Built = z.object({ query: z.record(z.string(), z.unknown()) });

/** Where new cards go, and whether what others changed is put back. */
export type CardOptions = { readonly collectionId: number | null; readonly overwrite: boolean };

/** Makes or mends one card. Returns its id, null where a rehearsal would have made it. */
export async function applyCard(
  remote: Remote,
  wanted: WantedCard,
  known: Card | undefined,
  options: CardOptions,
): Promise<number | null> {
  const { what, properties, key } = wanted;
  const change = { what, name: String(properties["name"]) } as const;
  if (known === undefined) {
    const body = {
      ...bodyOf(wanted, properties, {}),
      visualization_settings: withMarker(settingsIn(properties), { key, applied: digestsOf(properties) }),
      collection_id: options.collectionId,
      ...(what === "metric" ? { type: "metric" } : {}),
    };
    const made = await remote.write({
      ...change,
      action: "create",
      properties: [],
      method: "POST",
      path: "/api/card",
      body,
    });
    return made === null ? null : Made.parse(made).id;
  }
  await mend(remote, { wanted, known, change, overwrite: options.overwrite });
  return known.id;
}

type Mending = {
  readonly wanted: WantedCard;
  readonly known: Card;
  readonly change: Pick<Change, "what" | "name">;
  readonly overwrite: boolean;
};

async function mend(remote: Remote, { wanted, known, change, overwrite }: Mending): Promise<void> {
  const applied = markerIn(known.visualization_settings)?.applied ?? {};
  const current = propertiesOf(known, wanted);
  const { set, left } = compareThreeWays({ wanted: wanted.properties, current, applied, overwrite });
  if (left.length > 0) remote.note({ ...change, name: known.name, action: "leave", properties: left });
  if (set.length === 0) return;
  const kept: Properties = { ...wanted.properties, ...Object.fromEntries(left.map((name) => [name, current[name]])) };
  const isSet = (name: string) => set.includes(name) || !left.includes(name);
  const digests = Object.fromEntries(
    Object.keys(wanted.properties).flatMap((name) =>
      isSet(name)
        ? [[name, digestOf(wanted.properties[name])]]
        : applied[name] === undefined
          ? []
          : [[name, applied[name]]],
    ),
  );
  const settings = { ...known.visualization_settings, ...settingsIn(kept) };
  const body = {
    ...bodyOf(wanted, kept, { only: set }),
    visualization_settings: withMarker(settings, { key: wanted.key, applied: digests }),
  };
  await remote.write({
    ...change,
    action: "update",
    properties: set,
    method: "PUT",
    path: `/api/card/${known.id}`,
    body,
  });
}

const queryParts: ReadonlySet<string> = new Set(["sql", "filters", "query"]);

function bodyOf(
  { query }: WantedCard,
  properties: Properties,
  { only }: { readonly only?: readonly string[] },
): Properties {
  const plain = ["name", "description", "display"].filter((name) => only === undefined || only.includes(name));
  const isQuery = only === undefined || only.some((name) => queryParts.has(name));
  return {
    ...Object.fromEntries(plain.map((name) => [name, properties[name]])),
    ...(isQuery ? { dataset_query: query(properties) } : {}),
  };
}

function settingsIn(properties: Properties): Properties {
  const found = Object.entries(properties).filter(([name]) => name.startsWith("settings."));
  return Object.fromEntries(found.map(([name, value]) => [name.slice("settings.".length), value]));
}

/** What a card of Metabase says of the properties that are ours. */
function propertiesOf(card: Card, { what, properties }: WantedCard): Properties {
  const settings = card.visualization_settings ?? {};
  return {
    name: card.name,
    description: card.description,
    display: card.display,
    ...(what === "metric" ? builtIn(card) : nativeIn(card)),
    ...Object.fromEntries(
      Object.keys(properties)
        .filter((name) => name.startsWith("settings."))
        .map((name) => [name, settings[name.slice("settings.".length)]]),
    ),
  };
}

function nativeIn({ dataset_query: query }: Card): Properties {
  const native = Native.safeParse(query).data?.native;
  if (native === undefined) return { sql: "" };
  const tags = Object.entries(native["template-tags"] ?? {});
  return {
    sql: native.query.trim(),
    filters: Object.fromEntries(
      tags.map(([name, tag]) => [
        name,
        { field: idIn(tag.dimension), widget: tag["widget-type"], name: tag["display-name"] },
      ]),
    ),
  };
}

function builtIn({ dataset_query: query }: Card): Properties {
  return { query: withoutOptions(Built.safeParse(query).data?.query) };
}

/** The id of a reference to a field, whose options stand behind it or, in newer forms, before it. */
function idIn(reference: unknown): number | undefined {
  return Array.isArray(reference) ? reference.find((part) => typeof part === "number") : undefined;
}

/** A query with every reference to a field as its id and its unit of time alone: the other options are Metabase's own notes. */
export function withoutOptions(query: unknown): unknown {
  if (Array.isArray(query)) {
    if (query[0] !== "field") return query.map(withoutOptions);
    const unit = query
      .map((part) => (typeof part === "object" && part !== null ? (part as Properties)["temporal-unit"] : undefined))
      .find((found) => typeof found === "string");
    return ["field", idIn(query), unit ?? null];
  }
  if (typeof query !== "object" || query === null) return query;
  return Object.fromEntries(Object.entries(query).map(([name, inner]) => [name, withoutOptions(inner)]));
}
