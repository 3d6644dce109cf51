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
import { chartTypeOf } from "./values.ts";
import { part } from "./define-dataset.ts";
import { readInstant } from "./instants.ts";

type ByCountry = z.output<typeof iosCategoryRanking.answer> | z.output<typeof androidGlobalCategoryRankings.answer>;
type ByCategory = z.output<typeof androidCategoryRanking.answer>;
type Answer = ByCountry | ByCategory;

/** One look at one chart, whatever the shape of the answer that told it. */
type Look = {
  readonly country: string;
  readonly category: string;
  readonly device: string;
  readonly chart: string;
  readonly date: string | number;
  readonly rank: number | null;
};

/** The rows of an answer about charts; looks at another app, country, device or day than was asked for are invalid. */
export function normalisedCategoryRanks(
  slice: Slice,
  pages: readonly unknown[],
): { readonly rows: readonly Row[]; readonly invalid: readonly InvalidItem[] } {
  const answers = pages as readonly Answer[];
  const own = answers.filter(({ trackId }) => String(trackId) === part(slice.scope, "app"));
  const invalid: InvalidItem[] = answers
    .filter((answer) => !own.includes(answer))
    .map(({ trackId }) => ({ reason: "an app that was not asked for", item: { trackId } }));
  const rows: Row[] = [];
  for (const look of own.flatMap((answer) => looksOf(slice, answer))) {
    const reason = strangeness(slice, look);
    if (reason === null) rows.push(rowOf(slice, look));
    else invalid.push({ reason, item: look });
  }
  return { rows, invalid };
}

function looksOf({ scope, operation }: Slice, answer: Answer): readonly Look[] {
  const device = scope["device"] ?? "ALL";
  return operation === androidCategoryRanking.id
    ? looksByCategory(answer as ByCategory, { country: part(scope, "country"), device })
    : looksByCountry(answer as ByCountry, device);
}

function looksByCategory(answer: ByCategory, asked: { country: string; device: string }): readonly Look[] {
  const where = { country: answer.countryCode ?? asked.country, device: asked.device };
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

function looksByCountry(answer: ByCountry, device: string): readonly Look[] {
  return Object.entries(answer.ranksByCategory).flatMap(([country, categories]) =>
    Object.entries(categories).flatMap(([category, told]) =>
      told.flatMap((one: { rankingType: string | number; targetDevice?: unknown; rankingsByDate: readonly Ranked[] }) =>
        one.rankingsByDate.map(({ date, ranking }) => ({
          country,
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

function strangeness({ scope, window, asOf }: Slice, look: Look): string | null {
  if (!/^[A-Z]{2}$/.test(look.country)) return "a country is two letters, upper case";
  const { country, device } = scope;
  if (country !== undefined && look.country !== country) return "a country that was not asked for";
  if (device !== undefined && look.device !== device) return "a device that was not asked for";
  const { day } = readInstant(look.date);
  // the last day is whichever the service has, and never one to come
  if (scope["resolution"] === "last_day") return day <= asOf ? null : "a day to come";
  return holds(window, day) ? null : "a day that was not asked for";
}

function rowOf({ scope }: Slice, { country, category, device, chart, date, rank }: Look): Row {
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

/** The name of a category: iOS answers tell its id, Android answers its name. */
export function categoryNameOf(store: string, category: string): string | null {
  if (store === "ios") return iosCategories.get(Number(category)) ?? null;
  return /^\d+$/.test(category) ? (androidCategories.get(Number(category)) ?? null) : category;
}
