import { z } from "zod";
import { Card } from "./cards.ts";
import type { DashboardFile } from "./collection-file.ts";
import { filtersIn } from "./collection-file.ts";
import { markerIn, withMarker } from "./three-ways.ts";
import { compareThreeWays, digestOf, digestsOf, type Properties, type Verdict } from "./three-ways.ts";

const Mapping = z.looseObject({ parameter_id: z.string(), target: z.array(z.unknown()).optional() });

/** A card's place on a dashboard as Metabase has it: of a question, or of a text, which has no card. */
export const Dashcard = z.looseObject({
  id: z.number(),
  card_id: z.number().nullish(),
  card: Card.partial().nullish(),
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

/** A place that we want on a dashboard: a text or the id of a card (null where a rehearsal would have made it), where it stands, and its filters. */
export type WantedPlace = { readonly key: string; readonly properties: Properties };

/** What becomes of a dashboard's places: all of them as they are to be sent, and in words what changes and what is left. */
export type Layout = {
  readonly places: readonly Properties[];
  readonly set: readonly string[];
  readonly left: readonly string[];
};

/** Above the cards, over the whole width: what to look at. */
const textPlace = [0, 0, 24, 3] as const;
/** The key of the text, which also carries the marker of the dashboard itself. */
export const textKey = "look_at";

/** The places of a dashboard's file: its text first, and the cards below it. `properties` of the dashboard itself go with the text. */
export function wantedPlaces(file: DashboardFile, ids: ReadonlyMap<string, number | null>): readonly WantedPlace[] {
  const cards = Object.entries(file.cards).map(([short, card]) => {
    const key = `${file.key}/${short}`;
    const [col, row, width, height] = card.place;
    const place = [col, row + textPlace[3], width, height];
    return { key, properties: { card: ids.get(key) ?? null, place, filters: [...filtersIn(card.sql)].sort() } };
  });
  return [{ key: `${file.key}/${textKey}`, properties: { place: [...textPlace], text: file.look_at } }, ...cards];
}

/** The id of a dashboard's filter, the same in every Metabase. */
export function parameterId(dashboard: string, filter: string): string {
  return digestOf(`${dashboard}/${filter}`).slice(0, 8);
}

/** What there is to lay out: the places that we want, those that are there, and the tab for new ones. */
type Plan = {
  readonly wanted: readonly WantedPlace[];
  readonly present: readonly Dashcard[];
  readonly tabId: number | null;
  readonly overwrite: boolean;
};

/** Puts our places among those that are there: theirs stay as they are, ours are mended where nobody has changed them, missing ones are added. */
export function layOut(file: DashboardFile, { wanted, present, tabId, overwrite }: Plan): Layout {
  const ours = new Map(present.map((one) => [markerIn(one.visualization_settings)?.key ?? "", one]));
  const mended = new Map<number, Properties>();
  const added: Properties[] = [];
  const [set, left]: [string[], string[]] = [[], []];
  for (const want of wanted) {
    const short = want.key.slice(file.key.length + 1);
    const found = ours.get(want.key);
    if (found === undefined) {
      set.push(short);
      // negative ids are those that Metabase is to make
      added.push(placeOf(file, want, { id: -1 - added.length, tabId, applied: digestsOf(want.properties) }));
      continue;
    }
    const { place, verdict } = mend(file, { want, found, overwrite });
    left.push(...verdict.left.map((name) => `${short}.${name}`));
    set.push(...verdict.set.map((name) => `${short}.${name}`));
    if (place !== null) mended.set(found.id, place);
  }
  return { places: [...present.map((one) => mended.get(one.id) ?? sendable(one)), ...added], set, left };
}

type Mending = { readonly want: WantedPlace; readonly found: Dashcard; readonly overwrite: boolean };

/** Our place as it is to be sent, null where nothing of it changes. What somebody has changed keeps the digest of what was ours. */
function mend(
  file: DashboardFile,
  { want, found, overwrite }: Mending,
): { readonly place: Properties | null; readonly verdict: Verdict } {
  const current = propertiesOf(file, found);
  const applied = markerIn(found.visualization_settings)?.applied ?? {};
  const verdict = compareThreeWays({ wanted: want.properties, current, applied, overwrite });
  // where somebody has put another card, our filters have nothing to lead to
  if (verdict.left.includes("card")) return { place: null, verdict: { set: [], left: verdict.left } };
  if (verdict.set.length === 0) return { place: null, verdict };
  const kept = Object.fromEntries(verdict.left.map((name) => [name, current[name]]));
  const digests = Object.fromEntries(verdict.set.map((name) => [name, digestOf(want.properties[name])]));
  const whole = { key: want.key, properties: { ...want.properties, ...kept } };
  const place = placeOf(file, whole, { id: found.id, tabId: null, found, applied: { ...applied, ...digests } });
  return { place: { ...sendable(found), ...place }, verdict };
}

function propertiesOf({ key, filters }: DashboardFile, found: Dashcard): Properties {
  const names = new Map(Object.keys(filters).map((name) => [parameterId(key, name), name]));
  const used = (found.parameter_mappings ?? []).flatMap(({ parameter_id: id }) => names.get(id) ?? []);
  return {
    card: found.card_id,
    place: [found.col, found.row, found.size_x, found.size_y],
    text: found.visualization_settings?.["text"],
    filters: [...used].sort(),
  };
}

type At = {
  readonly id: number;
  readonly tabId: number | null;
  readonly applied: Readonly<Record<string, string>>;
  readonly found?: Dashcard;
};

function placeOf(file: DashboardFile, { key, properties }: WantedPlace, { id, tabId, applied, found }: At): Properties {
  const [col, row, width, height] = properties["place"] as readonly number[];
  const isText = key === `${file.key}/${textKey}`;
  const settings = { ...found?.visualization_settings, ...(isText ? textSettings(String(properties["text"])) : {}) };
  const theirs = (found?.parameter_mappings ?? []).filter(({ parameter_id: one }) => !ownIds(file).has(one));
  const mappings = ((properties["filters"] ?? []) as readonly string[]).map((name) => ({
    parameter_id: parameterId(file.key, name),
    card_id: properties["card"],
    target: ["dimension", ["template-tag", name]],
  }));
  return {
    id,
    card_id: isText ? null : properties["card"],
    col,
    row,
    size_x: width,
    size_y: height,
    parameter_mappings: isText ? [] : [...mappings, ...theirs],
    visualization_settings: withMarker(settings, { key, applied }),
    ...(tabId === null ? {} : { dashboard_tab_id: tabId }),
  };
}

function ownIds({ key, filters }: DashboardFile): ReadonlySet<string> {
  return new Set(Object.keys(filters).map((name) => parameterId(key, name)));
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

/** A place as it may be sent back: newer versions refuse properties that they only tell. */
function sendable(one: Dashcard): Properties {
  const told = Object.fromEntries(sent.filter((name) => one[name] !== undefined).map((name) => [name, one[name]]));
  return { ...told, ...(one.series == null ? {} : { series: one.series.map(({ id }) => ({ id })) }) };
}
