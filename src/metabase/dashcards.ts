import { z } from "zod";
import { filtersIn, type DashboardFile } from "./collection-file.ts";
import { differing, type Properties } from "./differences.ts";
import { parameterId } from "./stable-ids.ts";

const Mapping = z.looseObject({ parameter_id: z.string(), target: z.array(z.unknown()).optional() });

/** A place on a dashboard in Metabase: of a question, or of a text, which has no card. */
export const Dashcard = z.looseObject({
  id: z.number(),
  card_id: z.number().nullish(),
  row: z.number(),
  col: z.number(),
  size_x: z.number(),
  size_y: z.number(),
  series: z.array(z.looseObject({ id: z.number() })).nullish(),
  parameter_mappings: z.array(Mapping).nullish(),
  visualization_settings: z.record(z.string(), z.unknown()).nullish(),
});
/** A place on a dashboard in Metabase. */
export type Dashcard = z.output<typeof Dashcard>;

/** Ids of cards by key; null if a dry run would have made the card. */
type CardIds = ReadonlyMap<string, number | null>;

/** A place in the file: a text, or a card with the filters that its query names. */
type WantedPlace = {
  readonly short: string;
  /** Column, row, width, height on the grid. */
  readonly at: readonly number[];
  readonly text: string | null;
  readonly cardId: number | null;
  readonly filters: readonly string[];
};

/** The text is above the cards, over the whole width. */
const textPlace = [0, 0, 24, 3] as const;

/** Compares the places of a dashboard with its file: which properties differ, and which places are missing. */
export function comparePlaces(
  file: DashboardFile,
  present: readonly Dashcard[],
  ids: CardIds,
): { readonly differing: readonly string[]; readonly missing: readonly string[] } {
  const pairs = wantedPlaces(file, ids).map((wanted) => ({ wanted, found: findIn(present, wanted) }));
  return {
    differing: pairs.flatMap(({ wanted, found }) =>
      found === undefined
        ? []
        : differing(compared(wanted), comparedIn(file, found)).map((name) => `${wanted.short}.${name}`),
    ),
    missing: pairs.flatMap(({ wanted, found }) => (found === undefined ? [wanted.short] : [])),
  };
}

type Layout = {
  readonly present: readonly Dashcard[];
  readonly ids: CardIds;
  /** True if existing places are replaced by those in the file. */
  readonly replaces: boolean;
  /** The tab for added places; null if the dashboard has no tabs. */
  readonly tabId: number | null;
  /** Ids of the filters of the dashboard: a place can name no other. */
  readonly parameters: ReadonlySet<string>;
};

/** All places of a dashboard to send: the existing ones, replaced if wanted, and the missing ones. */
export function layOut(file: DashboardFile, layout: Layout): readonly Properties[] {
  const { present, ids, replaces, tabId } = layout;
  const wanted = wantedPlaces(file, ids).map((place) => ({ place, found: findIn(present, place) }));
  const kept = present.map((one) => {
    const ours = replaces ? wanted.find(({ found }) => found === one)?.place : undefined;
    return ours === undefined ? sendable(one) : { ...sendable(one), ...placeOf(file, ours, layout, one) };
  });
  const added = wanted
    .filter(({ found }) => found === undefined)
    // Metabase replaces a negative id with a new one
    .map(({ place }, index) => ({
      id: -1 - index,
      ...placeOf(file, place, layout),
      ...(tabId === null ? {} : { dashboard_tab_id: tabId }),
    }));
  return [...kept, ...added];
}

function wantedPlaces(file: DashboardFile, ids: CardIds): readonly WantedPlace[] {
  const cards = Object.entries(file.cards).map(
    ([
      short,
      {
        place: [col, row, width, height],
        sql,
      },
    ]) => ({
      short,
      at: [col, row + textPlace[3], width, height],
      text: null,
      cardId: ids.get(`${file.key}/${short}`) ?? null,
      filters: [...filtersIn(sql)].sort(),
    }),
  );
  return [{ short: "text", at: textPlace, text: file.text, cardId: null, filters: [] }, ...cards];
}

/** The place of a card is found by its card, that of the text by its words or its position. */
function findIn(present: readonly Dashcard[], { text, cardId }: WantedPlace): Dashcard | undefined {
  if (text === null) return present.find((one) => cardId !== null && one.card_id === cardId);
  const texts = present.filter((one) => one.card_id == null && textOf(one) !== undefined);
  return texts.find((one) => textOf(one) === text) ?? texts.find(({ row, col }) => row === 0 && col === 0);
}

function textOf({ visualization_settings: settings }: Dashcard): unknown {
  return settings?.["text"];
}

function compared({ at, text, filters }: WantedPlace): Properties {
  return text === null ? { place: [...at], filters } : { place: [...at], text };
}

function comparedIn({ key, filters }: DashboardFile, found: Dashcard): Properties {
  const names = new Map(Object.keys(filters).map((name) => [parameterId(key, name), name]));
  const used = (found.parameter_mappings ?? []).flatMap(({ parameter_id: id }) => names.get(id) ?? []);
  return {
    place: [found.col, found.row, found.size_x, found.size_y],
    text: textOf(found),
    filters: [...used].sort(),
  };
}

function placeOf(
  { key, filters: known }: DashboardFile,
  { at, text, cardId, filters }: WantedPlace,
  { parameters }: Layout,
  found?: Dashcard,
): Properties {
  const [col, row, width, height] = at;
  const own = new Set(Object.keys(known).map((name) => parameterId(key, name)));
  const added = (found?.parameter_mappings ?? []).filter(({ parameter_id: id }) => !own.has(id));
  const mappings = filters
    .map((name) => ({
      parameter_id: parameterId(key, name),
      card_id: cardId,
      target: ["dimension", ["template-tag", name]],
    }))
    .filter(({ parameter_id: id }) => parameters.has(id));
  return {
    card_id: cardId,
    col,
    row,
    size_x: width,
    size_y: height,
    parameter_mappings: [...mappings, ...added],
    visualization_settings: { ...found?.visualization_settings, ...(text === null ? {} : textSettings(text)) },
  };
}

function textSettings(text: string): Properties {
  const card = { name: null, display: "text", visualization_settings: {}, dataset_query: {}, archived: false };
  return { virtual_card: card, text, "dashcard.background": false };
}

const sent = [
  "id",
  "card_id",
  "action_id",
  "dashboard_tab_id",
  "row",
  "col",
  "size_x",
  "size_y",
  "parameter_mappings",
  "visualization_settings",
  "inline_parameters",
] as const;

/** A place without properties that newer versions show but refuse. */
function sendable(one: Dashcard): Properties {
  const own = Object.fromEntries(sent.filter((name) => one[name] !== undefined).map((name) => [name, one[name]]));
  return { ...own, ...(one.series == null ? {} : { series: one.series.map(({ id }) => ({ id })) }) };
}
