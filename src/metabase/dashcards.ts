import { z } from "zod";
import { filtersIn, type DashboardFile } from "./collection-file.ts";
import { differing, type Properties } from "./differences.ts";
import { parameterId } from "./stable-ids.ts";

const Mapping = z.looseObject({ parameter_id: z.string(), target: z.array(z.unknown()).optional() });

/** A card's place on a dashboard as Metabase has it: of a question, or of a text, which has no card. */
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
/** A card's place on a dashboard as Metabase has it. */
export type Dashcard = z.output<typeof Dashcard>;

/** Ids of cards by key; null where a dry run would have made the card. */
type CardIds = ReadonlyMap<string, number | null>;

/** A place of the file: a text, or a card with the filters that its query names. */
type WantedPlace = {
  readonly short: string;
  /** Column, row, width, height on the grid. */
  readonly at: readonly number[];
  readonly text: string | null;
  readonly cardId: number | null;
  readonly filters: readonly string[];
};

/** The text stands above the cards, over the whole width. */
const textPlace = [0, 0, 24, 3] as const;

/** How the places of a dashboard compare with its file: what of them differs, and which are not there. */
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
  /** Whether the file's places are replaced where they are there. */
  readonly replaces: boolean;
  /** The tab of places that are added; null where the dashboard has no tabs. */
  readonly tabId: number | null;
  /** Ids of the filters that the dashboard has: a place can name no other. */
  readonly parameters: ReadonlySet<string>;
};

/** All places of a dashboard as they are to be sent: those that are there, replaced where wanted, and those that are missing. */
export function layOut(file: DashboardFile, layout: Layout): readonly Properties[] {
  const { present, ids, replaces, tabId } = layout;
  const wanted = wantedPlaces(file, ids).map((place) => ({ place, found: findIn(present, place) }));
  const kept = present.map((one) => {
    const ours = replaces ? wanted.find(({ found }) => found === one)?.place : undefined;
    return ours === undefined ? sendable(one) : { ...sendable(one), ...placeOf(file, ours, layout, one) };
  });
  const added = wanted
    .filter(({ found }) => found === undefined)
    // a negative id is one that Metabase is to make
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

/** The place of a card is found by its card, that of the text by what it says or by where it stands. */
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

/** A place as it may be sent back: newer versions refuse properties that they only show. */
function sendable(one: Dashcard): Properties {
  const own = Object.fromEntries(sent.filter((name) => one[name] !== undefined).map((name) => [name, one[name]]));
  return { ...own, ...(one.series == null ? {} : { series: one.series.map(({ id }) => ({ id })) }) };
}
