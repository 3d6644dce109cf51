import type { z } from "zod";
import { androidCategories, iosCategories } from "../../api/categories.ts";
import type { androidTopCharts, iosTopCharts } from "../../api/operations/category.ts";
import type { InvalidItem } from "../../api/read-answer.ts";
import type { Scope, Slice } from "../../core/slice.ts";
import { storeOf } from "../../core/store.ts";
import { holds } from "../../core/window.ts";
import { appRef, extraOf, type Row } from "../../load/table.ts";
import { checkItems } from "./check-items.ts";
import { chartTypeOf } from "./values.ts";
import { part } from "./define-dataset.ts";
import { placesOf } from "./places.ts";
import { readInstant, clockOf } from "./instants.ts";

type IosChart = z.output<typeof iosTopCharts.answer>;
type Entry = z.output<typeof androidTopCharts.answer>[number];
type Chart = { readonly rows: readonly Row[]; readonly invalid: readonly InvalidItem[] };

/** The rows of a chart, one for each app. An answer about another chart or day than the requested one is invalid. */
export function normalisedTopChart(slice: Slice, pages: readonly unknown[], left: readonly InvalidItem[]): Chart {
  const parts =
    part(slice.scope, "store") === "ios"
      ? (pages as readonly IosChart[]).map((chart) => iosChart(slice, chart, left))
      : [androidChart(slice, pages.flat() as readonly Entry[])];
  return { rows: parts.flatMap(({ rows }) => rows), invalid: parts.flatMap(({ invalid }) => invalid) };
}

/** The order of the list is the rank. */
function iosChart(slice: Slice, chart: IosChart, left: readonly InvalidItem[]): Chart {
  const { countryCode, categoryId, targetDevice, rankingType, date, trackIds } = chart;
  const { scope } = slice;
  const isOther =
    differs(countryCode?.toUpperCase(), scope["country"]) ||
    differs(categoryId, scope["category_code"]) ||
    differs(targetDevice, scope["device"]) ||
    differs(rankingType == null ? null : chartTypeOf(rankingType), scope["chart"]);
  const extra = extraOf(chart, knownOfChart);
  if (isOther || isOtherDay(slice, date))
    return { rows: [], invalid: [{ reason: mismatched, item: { ...chart, trackIds: trackIds.length } }] };
  const { fitting, invalid } = checkItems(
    placesOf([trackIds], left),
    ({ item }) => storeProblem(scope, item),
    ({ item, place }) => ({ trackId: item, rank: place }),
  );
  return {
    rows: fitting.map(({ item, place }) => rowOf(slice, { trackId: item, rank: place, date, extra })),
    invalid,
  };
}

function androidChart(slice: Slice, entries: readonly Entry[]): Chart {
  const { scope } = slice;
  const isMismatch = ({ category, type, date }: Entry) =>
    (category != null && androidCategoryOf(category) !== part(scope, "category_code")) ||
    differs(type == null ? null : chartTypeOf(type), scope["chart"]) ||
    isOtherDay(slice, date);
  const ofChart = checkItems(entries, (entry) => (isMismatch(entry) ? mismatched : null));
  const ofStore = checkItems(ofChart.fitting, ({ trackId }) => storeProblem(scope, trackId));
  return {
    rows: ofStore.fitting.map((entry) => rowOf(slice, { ...entry, extra: extraOf(entry, known) })),
    invalid: [...ofChart.invalid, ...ofStore.invalid],
  };
}

const mismatched = "a chart or a day that was not requested";
const known = ["trackId", "category", "rank", "date", "type"];
const knownOfChart = ["countryCode", "categoryId", "targetDevice", "rankingType", "date", "trackIds"];

function storeProblem(scope: Scope, trackId: string | number): string | null {
  return storeOf(String(trackId)) === part(scope, "store") ? null : "no track id of the requested store";
}

/** True for a reported value that differs from the requested one. */
function differs(reported: string | number | null | undefined, requested: string | undefined): boolean {
  return reported != null && String(reported) !== requested;
}

function isOtherDay({ window }: Slice, date: string | number | null | undefined): boolean {
  return date != null && !holds(window, readInstant(date).day);
}

/** The name of an Android category; some answers have the service's number instead. */
function androidCategoryOf(reported: string | number): string {
  return /^\d+$/.test(String(reported))
    ? (androidCategories.get(Number(reported)) ?? String(reported))
    : String(reported);
}

type Place = {
  readonly trackId: string | number;
  readonly rank: number;
  readonly date?: string | number | null | undefined;
  readonly extra: string | null;
};

function rowOf({ scope, window }: Slice, { trackId, rank, date, extra }: Place): Row {
  return {
    app_key: appRef(part(scope, "store"), trackId),
    date_day: window.start,
    country_key: part(scope, "country"),
    device_key: part(scope, "device"),
    category_code: part(scope, "category_code"),
    chart: part(scope, "chart"),
    chart_version: scope["chart_version"] ?? "",
    rank,
    ...categoryOf(scope),
    charted_at: clockOf(date),
    extra,
  };
}

/** Number and name of the requested category: each store has its own numbers, and 0 is a valid one. */
function categoryOf(scope: Scope): { readonly category_id: number | null; readonly category_name: string | null } {
  const code = part(scope, "category_code");
  if (part(scope, "store") === "ios")
    return { category_id: Number(code), category_name: iosCategories.get(Number(code)) ?? null };
  const [id = null] = [...androidCategories].find(([, name]) => name === code) ?? [];
  return { category_id: id, category_name: code };
}
