import { z } from "zod";
import { defineOperation, inQuery, maybeInQuery } from "../define-operation.ts";
import {
  AnyTrackId,
  CountryCode,
  DayText,
  MaybeAmount,
  MaybeFlag,
  MaybeId,
  MaybeInstant,
  MaybeList,
  MaybeNumber,
  MaybeText,
  MaybeTexts,
  StoreTrackId,
} from "../values.ts";

const get = { store: null, method: "GET", paging: null } as const;
const trackId = inQuery(StoreTrackId, "track id or package name of the app");
const page = maybeInQuery(z.int().min(1), "number of the page, from 1", { default: 1 });
const days = {
  startDate: maybeInQuery(DayText, "first day"),
  endDate: maybeInQuery(DayText, "last day"),
};
const countryCode = maybeInQuery(CountryCode, "country; all when left out");
const network = maybeInQuery(z.string().min(1), "name of the network; all when left out");
// the contract does not say whether the last day is inclusive
const range = { start: "startDate", end: "endDate", endInclusive: null, days: 30 } as const;

/** A page of 50 items says how many there are: `data` belongs to it, and the flags of an envelope may be next to it. */
const pageOf = <S extends z.ZodType>(item: S) =>
  z.looseObject({
    currentPage: MaybeNumber,
    perPage: MaybeNumber,
    total: MaybeNumber,
    totalPages: MaybeNumber,
    data: z.array(item).nullable(),
    success: MaybeFlag,
    status: MaybeId,
  });
const paging = { param: "page", first: 1, size: 50, total: { pages: "totalPages", items: "total" } } as const;

const creative = z.looseObject({
  countryCode: MaybeTexts,
  network: z.array(z.looseObject({ title: MaybeText, id: MaybeId, class: MaybeText })).nullish(),
  mediaUrl: MaybeText,
  mediaOriginalUrl: MaybeText,
  previewUrl: MaybeText,
  resourceMedia: MaybeNumber,
  resourceMediaUrl: MaybeText,
  mediaType: MaybeNumber,
  mediaId: MaybeId,
  tagType: MaybeText,
  // codes without a documented meaning; the dates of the same name are dates
  firstSeen: MaybeId,
  lastSeen: MaybeId,
  properties: z.looseObject({ size: MaybeText, width: MaybeNumber, height: MaybeNumber }).nullish(),
  platformId: MaybeNumber,
  appId: MaybeId,
  title: MaybeText,
  subtitle: MaybeText,
  action: MaybeText,
  iconUrl: MaybeText,
  fullName: MaybeText,
  trackId: AnyTrackId.nullish(),
  category: MaybeText,
  categoryId: MaybeId,
  impression: MaybeAmount,
  mediaFormat: MaybeList,
  duration: MaybeNumber,
  firstSeenDate: MaybeInstant,
  lastSeenDate: MaybeInstant,
  hashedMediaId: MaybeText,
});

export const creatives = defineOperation({
  ...get,
  id: "ad-intelligence.creatives",
  name: "Get Creatives",
  path: "/ad-intelligence/get-creatives-by-track-id",
  params: {
    trackId,
    page,
    ...days,
    countryCode,
    network,
    mediaType: maybeInQuery(z.int().min(0), "id of the kind of media; all when left out"),
  },
  cost: 200,
  range,
  paging,
  envelope: "either",
  items: ["data"],
  answer: pageOf(creative),
  summary: "The advertisements for one app, 50 per page: media, networks, countries, first and last seen.",
});

export const checkBadge = defineOperation({
  ...get,
  id: "ad-intelligence.check-badge",
  name: "Check Badge",
  path: "/ad-intelligence/check-badge",
  params: { trackId },
  cost: 5,
  range: null,
  envelope: "data",
  items: null,
  answer: z.looseObject({ appAdvertiser: z.boolean(), appPublisher: z.boolean() }),
  summary: "Whether one app advertises, and whether it shows advertisements.",
});

const advertiser = z.looseObject({
  isAdvertiser: MaybeFlag,
  isPublisher: MaybeFlag,
  adCount: MaybeNumber,
  creativeCount: MaybeNumber,
  networks: z.array(z.looseObject({ title: MaybeText, class: MaybeText })).nullish(),
  countries: z.array(z.looseObject({ title: MaybeText, countryCode: MaybeText })).nullish(),
  platform: MaybeNumber,
  appId: MaybeId,
  iconUrl: MaybeText,
  fullName: MaybeText,
  trackId: AnyTrackId,
  developerName: MaybeText,
  developerId: MaybeId,
  category: MaybeText,
  categoryId: MaybeId,
  networkCount: MaybeNumber,
});

export const topAdvertisers = defineOperation({
  ...get,
  id: "ad-intelligence.top-advertisers",
  name: "Top Advertisers",
  path: "/ad-intelligence/top-advertisers",
  params: {
    page,
    ...days,
    countryCode,
    platformId: maybeInQuery(z.int().min(1).max(2), "1: the Android store, 2: the iOS store; both when left out"),
    category: maybeInQuery(z.string().min(1), "category; all when left out"),
    network,
    firstSeen: maybeInQuery(DayText, "day on which apps were first found to advertise"),
  },
  cost: 150,
  range,
  paging,
  envelope: "either",
  items: ["data"],
  answer: pageOf(advertiser),
  summary: "The apps that advertise most, 50 per page, the top one first.",
});
