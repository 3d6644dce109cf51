import type { z } from "zod";
import { androidCategories, iosCategories } from "../../api/categories.ts";
import {
  androidCategoryRanking,
  type androidGlobalCategoryRankings,
  type iosCategoryRanking,
} from "../../api/operations/category.ts";
import type { InvalidItem } from "../../api/read-answer.ts";
import type { Slice } from "../../core/slice.ts";
import { holds } from "../../core/window.ts";
import { appRef, type Row } from "../../load/table.ts";
import { checkItems } from "./check-items.ts";
import { chartTypeOf } from "./values.ts";
import { part } from "./define-dataset.ts";
import { readInstant } from "./instants.ts";

type ByCountry = z.output<typeof iosCategoryRanking.answer> | z.output<typeof androidGlobalCategoryRankings.answer>;
type ByCategory = z.output<typeof androidCategoryRanking.answer>;
type Answer = ByCountry | ByCategory;

/** One observation of one chart, the same for each shape of answer. */
type Observation = {
  readonly country: string;
  readonly category: string;
  readonly device: string;
  readonly chart: string;
  readonly date: string | number;
  readonly rank: number | null;
};

/** The rows of an answer about charts; observations of an app, country, device or day that was not requested are invalid. */
export function normalisedCategoryRanks(
  slice: Slice,
  pages: readonly unknown[],
): { readonly rows: readonly Row[]; readonly invalid: readonly InvalidItem[] } {
  const answers = checkItems(
    pages as readonly Answer[],
    ({ trackId }) => (String(trackId) === part(slice.scope, "app") ? null : "an app that was not requested"),
    ({ trackId }) => ({ trackId }),
  );
  const observations = checkItems(
    answers.fitting.flatMap((answer) => observationsOf(slice, answer)),
    (observation) => mismatchOf(slice, observation),
  );
  const rows = observations.fitting.map((observation) => rowOf(slice, observation));
  return {
    rows: part(slice.scope, "resolution") === "daily" ? lastOfEachDay(rows) : rows,
    invalid: [...answers.invalid, ...observations.invalid],
  };
}

/** A chart has one rank per day, stored at midnight: the last of several counts, and a later answer replaces it at any time. */
function lastOfEachDay(rows: readonly Row[]): readonly Row[] {
  const last = new Map<string, string>();
  for (const row of rows) {
    const [chart, at] = [chartAndDay(row), String(row["ranked_at"])];
    if (at > (last.get(chart) ?? "")) last.set(chart, at);
  }
  return rows
    .filter((row) => row["ranked_at"] === last.get(chartAndDay(row)))
    .map((row) => ({ ...row, ranked_at: `${String(row["date_day"])}T00:00:00` }));
}

function chartAndDay(row: Row): string {
  return [row["country_key"], row["device_key"], row["category_code"], row["chart"], row["date_day"]].join(" ");
}

function observationsOf({ scope, operation }: Slice, answer: Answer): readonly Observation[] {
  const device = scope["device"] ?? "ALL";
  return operation === androidCategoryRanking.id
    ? observationsByCategory(answer as ByCategory, { country: part(scope, "country"), device })
    : observationsByCountry(answer as ByCountry, device);
}

function observationsByCategory(
  answer: ByCategory,
  requested: { country: string; device: string },
): readonly Observation[] {
  const where = { country: (answer.countryCode ?? requested.country).toUpperCase(), device: requested.device };
  return answer.ranksByCategoryNames.flatMap(({ categoryName: category, rankings }) =>
    rankings.flatMap(({ rankingType, ranksByDate }) =>
      ranksByDate.map(({ date, rank }) => ({
        ...where,
        category,
        chart: chartTypeOf(rankingType),
        date,
        rank: rank ?? null,
      })),
    ),
  );
}

function observationsByCountry(answer: ByCountry, device: string): readonly Observation[] {
  return Object.entries(answer.ranksByCategory).flatMap(([country, categories]) =>
    Object.entries(categories).flatMap(([category, reported]) =>
      reported.flatMap(
        (one: { rankingType: string | number; targetDevice?: unknown; rankingsByDate: readonly Ranked[] }) =>
          one.rankingsByDate.map(({ date, ranking }) => ({
            country: country.toUpperCase(),
            category,
            device: typeof one.targetDevice === "string" ? one.targetDevice : device,
            chart: chartTypeOf(one.rankingType),
            date,
            rank: ranking ?? null,
          })),
      ),
    ),
  );
}

type Ranked = { readonly date: string | number; readonly ranking?: number | null | undefined };

function mismatchOf({ scope, window, asOf }: Slice, observation: Observation): string | null {
  if (!/^[A-Z]{2}$/.test(observation.country)) return "a country is two letters";
  const { country, device } = scope;
  if (country !== undefined && observation.country !== country) return "a country that was not requested";
  if (device !== undefined && observation.device !== device) return "a device that was not requested";
  const isWhole = part(scope, "store") === "ios" || Number.isInteger(observation.rank ?? 1);
  if ((observation.rank ?? 1) < 1 || !isWhole) return "a rank is a number from 1";
  const { day } = readInstant(observation.date);
  // the service decides what the last day is, but it is never in the future
  if (scope["resolution"] === "last_day") return day <= asOf ? null : "a future day";
  return holds(window, day) ? null : "a day that was not requested";
}

function rowOf({ scope }: Slice, { country, category, device, chart, date, rank }: Observation): Row {
  const { day, at } = readInstant(date);
  const store = part(scope, "store");
  return {
    app_key: appRef(store, part(scope, "app")),
    date_day: day,
    country_key: country,
    device_key: device,
    category_code: category,
    chart,
    resolution: part(scope, "resolution"),
    chart_version: scope["chart_version"] ?? "",
    ranked_at: at,
    category_name: categoryNameOf(store, category),
    rank,
  };
}

/** The name of a category: iOS answers have its id, Android answers its name. */
export function categoryNameOf(store: string, category: string): string | null {
  if (store === "ios") return iosCategories.get(Number(category)) ?? null;
  return /^\d+$/.test(category) ? (androidCategories.get(Number(category)) ?? null) : category;
}
