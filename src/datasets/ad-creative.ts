import { createHash } from "node:crypto";
import { z } from "zod";
import { creatives as operation } from "../api/operations/ad-intelligence.ts";
import { rangeParams } from "../api/range.ts";
import type { Slice } from "../core/slice.ts";
import { appRef, defineTable } from "../load/table.ts";
import { appAreas, areas, forEach, narrowed, networks, thirtyDays } from "./shared/ad-scope.ts";
import { checkItems } from "./shared/check-items.ts";
import { idOf, periodKey } from "./shared/values.ts";
import { answerFields } from "./shared/answer-fields.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";

const requested = ["app_key", "period_start", "period_end", "country_key", "network", "media_type"] as const;

type Page = z.output<typeof operation.answer>;
type Creative = NonNullable<Page["data"]>[number];

const media = answerFields<Creative>()({
  media_id: ["mediaId", "id"],
  hashed_media_id: ["hashedMediaId", "text"],
  media_kind: ["mediaType", "number"],
  media_url: ["mediaUrl", "text"],
  media_original_url: ["mediaOriginalUrl", "text"],
  preview_url: ["previewUrl", "text"],
  resource_media: ["resourceMedia", "number"],
  resource_media_url: ["resourceMediaUrl", "text"],
});

const shown = answerFields<Creative>()({
  duration: ["duration", "number"],
  title: ["title", "text"],
  subtitle: ["subtitle", "text"],
  action_text: ["action", "text"],
  tag_types: ["tagType", "text"],
  country_codes: ["countryCode", "json"],
  networks: ["network", "json"],
  media_formats: ["mediaFormat", "json"],
  impression_count: ["impression", "number"],
  first_seen_at: ["firstSeenDate", "utc"],
  last_seen_at: ["lastSeenDate", "utc"],
  first_seen_code: ["firstSeen", "id"],
  last_seen_code: ["lastSeen", "id"],
  platform_id: ["platformId", "number"],
  service_app_id: ["appId", "id"],
  app_name: ["fullName", "text"],
  icon_url: ["iconUrl", "text"],
  category_id: ["categoryId", "id"],
  category_name: ["category", "text"],
});

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
    ...media.columns,
    size_text: "text",
    width: "number",
    height: "number",
    ...shown.columns,
    extra: "json",
  },
  key: [...requested, "creative_key"],
  load: { kind: "replace", scope: requested },
  partitioned: false,
});

const MediaType = z.union([z.int().min(0), z.string().regex(/^\d+$/, "the id of a kind of media is a number")]);

/** The advertisements for the portfolio's apps over periods of 30 days. */
export const adCreative = defineDataset({
  name: "ad_creative",
  summary:
    "The advertisements for each portfolio app, over periods of 30 days: media, texts, networks, countries, first and last seen.",
  stage: "market",
  on: false,
  why: "200 credits per page of 50 advertisements; one page per app and 30 days unless most_pages allows more",
  timing: thirtyDays,
  tables: [table],
  operations: [operation],
  mostPages: 1,
  options: z.object({
    areas: areas
      .default(["all"])
      .describe(
        "all: one call for all countries together; each: one call for each country of the app in the portfolio.",
      ),
    networks,
    media_types: z
      .array(MediaType)
      .default([])
      .describe("Ids of kinds of media to request one by one; all kinds together in one call if left out."),
  }),
  byApp: true,
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
    const { fitting, invalid } = checkItems(reported, (creative) => problemOf(slice, creative));
    return { rows: { [table.name]: fitting.map((creative) => rowOf(slice, creative)) }, invalid };
  },
});

/** Why an advertisement is not in the list of the app; null if it is. Without media and texts it is the same as any other. */
function problemOf({ scope }: Slice, creative: Creative): string | null {
  const { trackId } = creative;
  if (trackId != null && String(trackId) !== part(scope, "app"))
    return "an advertisement for an app that was not requested";
  return identityOf(creative).every((one) => one === "") ? "an advertisement without media or text" : null;
}

/**
 * The same media may be shown under several texts: each is an advertisement. The key leaves out what changes from one observation to the
 * next.
 */
function keyOf(creative: Creative): string {
  return createHash("sha256")
    .update(JSON.stringify(identityOf(creative)))
    .digest("hex")
    .slice(0, 32);
}

function identityOf({ mediaId, hashedMediaId, mediaOriginalUrl, mediaUrl, title, subtitle, action }: Creative) {
  const identified = idOf(mediaId) ?? idOf(hashedMediaId) ?? mediaOriginalUrl ?? mediaUrl ?? "";
  return [identified, title ?? "", subtitle ?? "", action ?? ""];
}

function rowOf(slice: Slice, creative: Creative) {
  const { scope } = slice;
  const { properties } = creative;
  return {
    app_key: appRef(part(scope, "store"), part(scope, "app")),
    ...periodKey(slice),
    country_key: scope["country"] ?? "ALL",
    network: scope["network"] ?? "",
    media_type: scope["media_type"] ?? "",
    creative_key: keyOf(creative),
    ...media.read(creative),
    size_text: properties?.size ?? null,
    width: properties?.width ?? null,
    height: properties?.height ?? null,
    ...shown.read(creative),
    extra: shown.extra({ ...creative, properties: otherProperties(creative) }, [...media.names, "trackId"]),
  };
}

/** The properties of the media except their size; null if there are none. */
function otherProperties({ properties }: Creative): Readonly<Record<string, unknown>> | null {
  const { size: _size, width: _width, height: _height, ...left } = properties ?? {};
  return Object.keys(left).length === 0 ? null : left;
}
