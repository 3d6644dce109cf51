import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { creatives as operation } from "../api/operations/ad-intelligence.ts";
import { rangeParams } from "../api/range.ts";
import type { Slice } from "../core/slice.ts";
import { appRef, defineTable, extraOf, jsonOf } from "../load/table.ts";
import { appAreas, areas, forEach, narrowed, networks, thirtyDays } from "./shared/ad-scope.ts";
import { amountOf, idOf, periodKey } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { readInstant } from "./shared/instants.ts";

const requested = ["app_key", "period_start", "period_end", "country_key", "network", "media_type"] as const;

const table = defineTable({
  name: "core.ad_creative",
  columns: {
    app_key: "app",
    period_start: "day",
    period_end: "day",
    country_key: "country",
    network: "text",
    media_type: "text",
    creative_key: "text",
    media_id: "text",
    hashed_media_id: "text",
    media_kind: "number",
    media_url: "text",
    media_original_url: "text",
    preview_url: "text",
    resource_media: "number",
    resource_media_url: "text",
    size_text: "text",
    width: "number",
    height: "number",
    duration: "number",
    title: "text",
    subtitle: "text",
    action_text: "text",
    tag_types: "text",
    country_codes: "json",
    networks: "json",
    media_formats: "json",
    impression_count: "number",
    first_seen_at: "timestamptz",
    last_seen_at: "timestamptz",
    first_seen_code: "text",
    last_seen_code: "text",
    platform_id: "number",
    service_app_id: "text",
    app_name: "text",
    icon_url: "text",
    category_id: "text",
    category_name: "text",
    extra: "json",
  },
  key: [...requested, "creative_key"],
  load: { kind: "replace", scope: requested },
  partitioned: false,
});

const known = (
  "countryCode network mediaUrl mediaOriginalUrl previewUrl resourceMedia resourceMediaUrl mediaType mediaId tagType firstSeen lastSeen " +
  "platformId appId title subtitle action iconUrl fullName trackId category categoryId impression mediaFormat duration " +
  "lastSeenDate firstSeenDate hashedMediaId"
).split(" ");

type Page = z.output<typeof operation.answer>;
type Creative = NonNullable<Page["data"]>[number];

const MediaType = z.union([z.int().min(0), z.string().regex(/^\d+$/, "the id of a kind of media is a number")]);

/** The advertisements for the portfolio's apps over periods of 30 days. */
export const adCreative = defineDataset({
  name: "ad_creative",
  summary:
    "The advertisements for each app of the portfolio over 30 days: media, texts, networks, countries, first and last seen.",
  stage: "market",
  on: false,
  why: "200 credits a page of 50 advertisements; one page an app and 30 days unless most_pages says more",
  timing: thirtyDays,
  tables: [table],
  operations: [operation],
  operationsFor: () => [operation],
  mostPages: 1,
  options: z.object({
    areas: areas
      .default(["all"])
      .describe("all: one call for all countries together; each: one for each country of the app in the portfolio."),
    networks,
    media_types: z
      .array(MediaType)
      .default([])
      .describe("Ids of kinds of media that are requested one by one; all together in one call when left out."),
  }),
  partitions: (portfolio, options) =>
    appAreas(portfolio, options.areas)
      .flatMap((scope) => forEach(scope, "network", options.networks))
      .flatMap((scope) => forEach(scope, "media_type", options.media_types))
      .map((scope) => ({ scope, items: null })),
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    ...rangeParams(operation, window),
    ...narrowed(scope),
    ...(scope["media_type"] === undefined ? {} : { mediaType: Number(scope["media_type"]) }),
  }),
  normalise: (slice, pages) => {
    const reported = (pages as readonly Page[]).flatMap(({ data }) => data ?? []);
    const own = reported.filter(({ trackId }) => trackId == null || String(trackId) === part(slice.scope, "app"));
    const others = reported.filter((creative) => !own.includes(creative));
    return {
      rows: { [table.name]: eachOnce(own).map((creative) => rowOf(slice, creative)) },
      invalid: others.map((item) => ({ reason: "an advertisement for an app that was not requested", item })),
    };
  },
});

/** What moved from one page to the next while they were read comes twice. */
function eachOnce(creatives: readonly Creative[]): readonly Creative[] {
  const first = new Map<string, Creative>();
  return creatives.filter((creative) => {
    const before = first.get(keyOf(creative));
    if (before === undefined) first.set(keyOf(creative), creative);
    return before === undefined || !isDeepStrictEqual(before, creative);
  });
}

/** The same media may be shown under several texts: each is an advertisement. What changes from one observation to the next is not part of the key. */
function keyOf({ mediaId, hashedMediaId, mediaOriginalUrl, mediaUrl, title, subtitle, action }: Creative): string {
  const media = idOf(mediaId) ?? idOf(hashedMediaId) ?? mediaOriginalUrl ?? mediaUrl ?? "";
  const identity = JSON.stringify([media, title ?? "", subtitle ?? "", action ?? ""]);
  return createHash("sha256").update(identity).digest("hex").slice(0, 32);
}

function rowOf(slice: Slice, creative: Creative) {
  const { scope } = slice;
  return {
    app_key: appRef(part(scope, "store"), part(scope, "app")),
    ...periodKey(slice),
    country_key: scope["country"] ?? "ALL",
    network: scope["network"] ?? "",
    media_type: scope["media_type"] ?? "",
    creative_key: keyOf(creative),
    ...mediaOf(creative),
    title: creative.title ?? null,
    subtitle: creative.subtitle ?? null,
    action_text: creative.action ?? null,
    tag_types: creative.tagType ?? null,
    country_codes: jsonOf(creative.countryCode),
    networks: jsonOf(creative.network),
    media_formats: jsonOf(creative.mediaFormat),
    impression_count: amountOf(creative.impression),
    first_seen_at: instantOf(creative.firstSeenDate),
    last_seen_at: instantOf(creative.lastSeenDate),
    first_seen_code: idOf(creative.firstSeen),
    last_seen_code: idOf(creative.lastSeen),
    platform_id: creative.platformId ?? null,
    service_app_id: idOf(creative.appId),
    app_name: creative.fullName ?? null,
    icon_url: creative.iconUrl ?? null,
    category_id: idOf(creative.categoryId),
    category_name: creative.category ?? null,
    extra: extraOf({ ...creative, properties: otherProperties(creative) }, known),
  };
}

function mediaOf(creative: Creative) {
  const { properties } = creative;
  return {
    media_id: idOf(creative.mediaId),
    hashed_media_id: creative.hashedMediaId ?? null,
    media_kind: creative.mediaType ?? null,
    media_url: creative.mediaUrl ?? null,
    media_original_url: creative.mediaOriginalUrl ?? null,
    preview_url: creative.previewUrl ?? null,
    resource_media: creative.resourceMedia ?? null,
    resource_media_url: creative.resourceMediaUrl ?? null,
    size_text: properties?.size ?? null,
    width: properties?.width ?? null,
    height: properties?.height ?? null,
    duration: creative.duration ?? null,
  };
}

/** What the properties of the media say beside their size; null where that is nothing. */
function otherProperties({ properties }: Creative): Readonly<Record<string, unknown>> | null {
  const { size: _size, width: _width, height: _height, ...left } = properties ?? {};
  return Object.keys(left).length === 0 ? null : left;
}

/** The service names no zone or UTC. */
function instantOf(value: number | string | null | undefined): string | null {
  return value === null || value === undefined ? null : `${readInstant(value).at}Z`;
}
