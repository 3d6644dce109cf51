import { z } from "zod";
import { differing, type Properties } from "./differences.ts";
import type { Remote } from "./remote.ts";

/** A question or a metric of the starter collection. The one in Metabase is found by name. */
export type WantedCard = {
  readonly key: string;
  readonly what: "question" | "metric";
  readonly name: string;
  /** What is compared: description, display, `sql` and `filters` or `query`, and settings as `settings.<name>`. */
  readonly properties: Properties;
  /** The query in Metabase's form. */
  readonly query: unknown;
};

export const Card = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string().nullish(),
  display: z.string(),
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

/** Where new cards go, and whether a card that differs is replaced. */
export type CardOptions = { readonly collectionId: number | null; readonly overwrite: boolean };

/**
 * Makes a card that is missing. An existing one that differs is reported, and replaced only with `overwrite`. Returns its id, or null if a
 * dry run would have made it.
 */
export async function applyCard(
  remote: Remote,
  wanted: WantedCard,
  present: Card | undefined,
  { collectionId, overwrite }: CardOptions,
): Promise<number | null> {
  const { what, name } = wanted;
  if (present === undefined) {
    const body = {
      ...bodyOf(wanted),
      name,
      collection_id: collectionId,
      ...(what === "metric" ? { type: "metric" } : {}),
    };
    const made = await remote.write({
      what,
      name,
      action: "create",
      properties: [],
      method: "POST",
      path: "/api/card",
      body,
    });
    return made === null ? null : Made.parse(made).id;
  }
  const properties = differing(wanted.properties, propertiesOf(present, wanted));
  if (properties.length === 0) return present.id;
  const change = { what, name, properties };
  if (overwrite)
    await remote.write({
      ...change,
      action: "update",
      method: "PUT",
      path: `/api/card/${present.id}`,
      body: bodyOf(wanted),
    });
  else remote.note({ ...change, action: "leave" });
  return present.id;
}

function bodyOf({ properties, query }: WantedCard): Properties {
  return {
    description: properties["description"],
    display: properties["display"],
    dataset_query: query,
    visualization_settings: settingsIn(properties),
  };
}

function settingsIn(properties: Properties): Properties {
  const found = Object.entries(properties).filter(([name]) => name.startsWith("settings."));
  return Object.fromEntries(found.map(([name, value]) => [name.slice("settings.".length), value]));
}

/** The same properties of the card in Metabase. */
function propertiesOf(card: Card, { what, properties }: WantedCard): Properties {
  const settings = card.visualization_settings ?? {};
  return {
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

/** The id in a reference to a field; the options are after it or, in newer forms, before it. */
function idIn(reference: unknown): number | undefined {
  return Array.isArray(reference) ? reference.find((part) => typeof part === "number") : undefined;
}

/** A query in which every reference to a field has only its id and its unit of time: the other options are Metabase's own notes. */
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
