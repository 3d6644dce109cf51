import { z } from "zod";
import { iosFeaturing as operation } from "../api/operations/featuring.ts";
import type { Slice } from "../core/slice.ts";
import { holds } from "../core/window.ts";
import { appRef, defineTable, extraOf, jsonOf, type Row } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { describedApp } from "./shared/dim-app.ts";
import { readInstant } from "./shared/instants.ts";
import { checkItems } from "./shared/check-items.ts";
import { eachOnce } from "./shared/values.ts";

const table = defineTable({
  name: "core.fact_featuring",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    category_code: "text",
    card_number: "int",
    card_type: "text",
    label: "text",
    title: "text",
    card_name: "text",
    short_name: "text",
    link_url: "text",
    image_url: "text",
    position: "int",
    listed_count: "int",
    track_ids: "json",
    extra: "json",
  },
  key: ["app_key", "date_day", "country_key", "category_code", "card_number"],
  load: { kind: "replace", scope: ["app_key", "date_day", "category_code"] },
  partitioned: true,
});

type Answer = z.output<typeof operation.answer>;
type Showing = Answer["cards"][number];
type Card = NonNullable<NonNullable<Showing["data"]>["cards"]>[number];

/** When and how the iOS store showed the portfolio's apps on the pages of their categories. */
export const featuring = defineDataset({
  name: "featuring",
  summary: "The cards of a category's page on which each portfolio app on iOS was shown, by country and day.",
  stage: "market",
  on: false,
  why: "40 credits per app, category and week; the contract states no price",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 28, packDays: 7 },
  reportedBy: { column: "date_day", quietDays: 13 },
  tables: [table],
  operations: [operation],
  plannedFrom: [describedApp.name],
  longestWindow: 30,
  options: z.object({
    category_codes: z
      .array(z.union([z.int().min(0), z.string().regex(/^\d+$/, "a category is a number")]))
      .default([])
      .describe("Ids of the categories whose pages are requested; each app's own category if left out."),
  }),
  byApp: true,
  partitions: (portfolio, { category_codes: codes }) => {
    const own = new Map(
      (portfolio.sources?.[describedApp.name] ?? []).map((one) => [
        `${one["store"]}:${one["track_id"]}`,
        one["category_id"],
      ]),
    );
    return portfolio.apps
      .filter(({ store }) => store === "ios")
      .flatMap(({ store, trackId: app }) => {
        const chosen = codes.length > 0 ? codes.map(String) : [own.get(`${store}:${app}`) ?? ""];
        return chosen
          .filter((category) => /^\d+$/.test(category))
          .map((category) => ({ scope: { store, app, category_code: category }, items: null }));
      });
  },
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    categoryId: Number(part(scope, "category_code")),
    // the contract does not say whether the end is inclusive: the day after it is requested too, so no day is lost either way
    startDate: window.start,
    endDate: window.end,
  }),
  normalise: (slice, pages) => {
    const { scope } = slice;
    const isOwn = ({ trackId, categoryId }: Answer) =>
      String(trackId ?? part(scope, "app")) === part(scope, "app") &&
      String(categoryId ?? part(scope, "category_code")) === part(scope, "category_code");
    const answers = checkItems(
      pages as readonly Answer[],
      (answer) => (isOwn(answer) ? null : "an app or a category that was not requested"),
      ({ trackId, categoryId }) => ({ trackId, categoryId }),
    );
    const showings = checkItems(
      answers.fitting.flatMap(({ cards }) => cards),
      ({ date }) => (isNear(slice, date) ? null : "a day that was not requested"),
    );
    return {
      rows: { [table.name]: rowsOf(slice, showings.fitting) },
      invalid: [...answers.invalid, ...showings.invalid],
    };
  },
});

/** True for a day of the window, and for the day after it, which is requested too. */
function isNear({ window }: Slice, date: Showing["date"]): boolean {
  const { day } = readInstant(date);
  return day >= window.start && day <= window.end;
}

/** The cards of the requested days, numbered by day and country; the day after them belongs to another slice. */
function rowsOf(slice: Slice, showings: readonly Showing[]): readonly Row[] {
  const cards = showings
    .filter(({ date }) => holds(slice.window, readInstant(date).day))
    .flatMap((showing) =>
      // a showing without a card still says that the app was shown
      (showing.data?.cards?.length ? showing.data.cards : [{}]).map((card) => ({ showing, card })),
    );
  const groups = Map.groupBy(cards, ({ showing }) => `${readInstant(showing.date).day} ${countryOf(showing)}`);
  return [...groups.values()].flatMap((same) => {
    const shown = same.map(({ showing, card }) => ({
      date_day: readInstant(showing.date).day,
      country_key: countryOf(showing),
      ...cardColumns(part(slice.scope, "app"), card),
      extra: extraOfCard(showing, card),
    }));
    // if a day was seen several times, an unchanged card counts once
    return eachOnce(shown).map((columns, index) => ({
      app_key: appRef("ios", part(slice.scope, "app")),
      category_code: part(slice.scope, "category_code"),
      card_number: index + 1,
      ...columns,
    }));
  });
}

function countryOf({ countryCode }: Showing): string {
  return (countryCode ?? "ALL").toUpperCase();
}

function cardColumns(app: string, card: Card) {
  const listed = card.apps?.map(String) ?? null;
  const place = listed?.indexOf(app) ?? -1;
  return {
    card_type: card.type ?? null,
    label: card.label ?? null,
    title: card.title ?? null,
    card_name: card.name ?? null,
    short_name: card.shortName ?? null,
    link_url: card.link ?? null,
    image_url: card.imageUrl ?? null,
    position: place < 0 ? null : place + 1,
    listed_count: listed?.length ?? null,
    track_ids: jsonOf(listed),
  };
}

const known = ["type", "label", "title", "name", "shortName", "link", "imageUrl", "apps"];

/** Fields of a card and of its showing that have no column. */
function extraOfCard(showing: Showing, card: Card): string | null {
  const { date: _, countryCode: __, data, ...around } = showing;
  const { cards: ___, ...within } = data ?? {};
  return extraOf({ ...around, ...within, ...card }, known);
}
