import { z } from "zod";
import { defineOperation, inPath, maybeInQuery } from "../define-operation.ts";
import { AnyTrackId, CountryCode, DayText, Instant, IosTrackId, MaybeId, MaybeText } from "../values.ts";

const card = z.looseObject({
  type: MaybeText,
  label: MaybeText,
  title: MaybeText,
  name: MaybeText,
  shortName: MaybeText,
  link: MaybeText,
  imageUrl: MaybeText,
  // in the order in which the store shows them
  apps: z.array(AnyTrackId).nullish(),
});

export const iosFeaturing = defineOperation({
  id: "ios.featuring",
  name: "iOS App Featuring in Category",
  store: "ios",
  method: "GET",
  path: "/iosstore-category-v2/featured-app/{trackId}/{categoryId}",
  params: {
    trackId: inPath(IosTrackId, "track id of the app"),
    categoryId: inPath(z.int().min(0), "id of the category"),
    startDate: maybeInQuery(DayText, "first day; the day before the end when left out", {
      defaultDay: { days: 1, before: "endDate" },
    }),
    endDate: maybeInQuery(DayText, "last day; today when left out", { defaultDay: { days: 0, before: "today" } }),
    countryCode: maybeInQuery(CountryCode, "country of the store; all when left out"),
  },
  // the contract names no price; its users do
  cost: 40,
  range: { start: "startDate", end: "endDate", endInclusive: null, days: null },
  paging: null,
  envelope: "data",
  items: ["cards"],
  answer: z.looseObject({
    trackId: AnyTrackId.nullish(),
    categoryId: MaybeId,
    cards: z.array(
      z.looseObject({
        date: Instant,
        countryCode: MaybeText,
        data: z.looseObject({ cards: z.array(card).nullish() }).nullish(),
      }),
    ),
  }),
  summary: "The cards of a category's page on which the store showed one app.",
});
