import { z } from "zod";
import { dotSegmentRefused, isDotSegment } from "../../core/text.ts";
import { defineOperation, inBody, inPath } from "../define-operation.ts";
import {
  MaybeId,
  CountryCode,
  IosTrackId,
  Keyword,
  MaybeFlag,
  MaybeInstant,
  MaybeList,
  MaybeNumber,
  MaybeText,
  StoreTrackId,
} from "../values.ts";

/** The most keywords that one call may add, and the length that each must stay below. */
const addedPerCall = 200;
const tooLong = 255;

const shared = { store: null, range: null, paging: null, envelope: "data", items: [] } as const;
const where = {
  trackId: inPath(StoreTrackId, "track id or package name of the app"),
  countryCode: inPath(CountryCode, "country of the store"),
};
const path = "/gateway/account/app/{trackId}/keywords/{countryCode}";

export const addKeywords = defineOperation({
  ...shared,
  id: "dashboard.add-keywords",
  name: "Add Keywords",
  method: "POST",
  path,
  params: {
    ...where,
    body: inBody(
      z
        .array(
          Keyword.refine(({ length }) => length < tooLong, `a keyword is shorter than ${tooLong} characters`).refine(
            (text) => !isDotSegment(text.trim()),
            dotSegmentRefused,
          ),
        )
        .min(1)
        .max(addedPerCall),
      "keywords to track; the answer leaves out those that are tracked already",
      { maxItems: addedPerCall },
    ),
  },
  cost: 1,
  answer: z.array(
    z.looseObject({
      keyword: z.string(),
      searchVolume: MaybeNumber,
      rank: z.int().nullish(),
      change: z.int().nullish(),
      countryCode: MaybeText,
      chance: MaybeNumber,
      numberOfApps: MaybeNumber,
      rankingHistory: MaybeList,
      brandApp: MaybeId,
      createdAt: MaybeInstant,
    }),
  ),
  changes: true,
  summary: "Tracks keywords for an app and country, and the app itself if the account does not track it yet.",
});

export const deleteKeywords = defineOperation({
  ...shared,
  id: "dashboard.delete-keywords",
  name: "Delete Keywords",
  method: "DELETE",
  path,
  params: { ...where, body: inBody(z.array(Keyword).min(1), "keywords to stop tracking") },
  cost: 1,
  answer: z.array(
    z.looseObject({ value: z.string(), countryCode: MaybeText, pinned: MaybeFlag, createdAt: MaybeInstant }),
  ),
  changes: true,
  summary: "Removes tracked keywords of an app and country from the account.",
});

export const keywordSpots = defineOperation({
  ...shared,
  id: "dashboard.keyword-spot",
  name: "Keyword Spot",
  method: "GET",
  path: "/gateway/account/app/{trackId}/keyword-spots/{countryCode}",
  params: { trackId: inPath(IosTrackId, "track id of an iOS app"), countryCode: where.countryCode },
  cost: 3,
  answer: z.array(z.looseObject({ locale: z.string(), keywords: MaybeText, updateDate: MaybeInstant })),
  summary: "The keywords in the hidden field of an iOS app, by locale.",
});
