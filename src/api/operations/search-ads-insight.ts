import { z } from "zod";
import { defineOperation, inPath, inQuery } from "../define-operation.ts";
import {
  AnyTrackId,
  CountryCode,
  DayText,
  IosTrackId,
  Keyword,
  MaybeAmount,
  MaybeInstant,
  MaybeNumber,
} from "../values.ts";

const country = inPath(CountryCode, "country of the store");
const days = { startDate: inQuery(DayText, "first day"), endDate: inQuery(DayText, "last day") };
const insight = {
  store: null,
  method: "GET",
  cost: 50,
  // the contract does not say whether the last day is inclusive
  range: { start: "startDate", end: "endDate", endInclusive: null, days: 14 },
  paging: null,
  // wrapped according to the general rule for search ads, bare in the description of the operation itself
  envelope: "either",
  items: ["shares"],
} as const;
const slotShares = z.record(z.string(), MaybeAmount).nullish();

export const paidKeywords = defineOperation({
  ...insight,
  id: "search-ads-insight.paid-keywords",
  name: "Paid Keywords",
  path: "/searchads-stats/paid-keywords/{trackId}/{countryCode}",
  params: { trackId: inPath(IosTrackId, "track id of the app"), countryCode: country, ...days },
  answer: z.looseObject({
    trackId: AnyTrackId.nullish(),
    shares: z.array(z.looseObject({ keyword: z.string(), appShare: MaybeAmount, slotShares })).nullable(),
  }),
  summary: "The keywords that one app pays for, with its share of their impressions, over up to 14 days.",
});

export const payingApps = defineOperation({
  ...insight,
  id: "search-ads-insight.paying-apps",
  name: "Paying Apps",
  path: "/searchads-stats/paying-apps/{countryCode}",
  params: { countryCode: country, keyword: inQuery(Keyword, "the keyword"), ...days },
  answer: z.looseObject({
    keyword: z.string().nullish(),
    startDate: MaybeInstant,
    endDate: MaybeInstant,
    shares: z
      .array(
        z.looseObject({
          trackId: AnyTrackId,
          share: MaybeAmount,
          slotShares,
          defaultProductPageCount: MaybeNumber,
          customProductPageCount: MaybeNumber,
        }),
      )
      .nullable(),
  }),
  summary: "The apps that pay for one keyword, with their shares of its impressions, over up to 14 days.",
});
