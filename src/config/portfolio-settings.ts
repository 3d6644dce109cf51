import { z } from "zod";
import { dotSegmentRefused, isDotSegment } from "../core/text.ts";

/** A country as the API writes it. */
export const Country = z.string().regex(/^[A-Z]{2}$/, "a country is two letters, upper case");
const trackId = /^(\d+|[A-Za-z]\w*(\.\w+)+)$/;
const trackIds = "a track id is a number (iOS) or a package name (Android)";
/** A keyword to follow. */
export const FollowedKeyword = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "a keyword holds neither U+0000 nor half a character")
  .refine((text) => !isDotSegment(text), dotSegmentRefused);

/** A track id of either store; a number may be written as one. */
export const TrackId = z.union([z.string().regex(trackId, trackIds), z.int().min(1, trackIds).transform(String)], {
  error: trackIds,
});

const ConfiguredApp = z
  .strictObject({
    id: TrackId.describe("Track id: a number on iOS, a package name on Android."),
    countries: z.array(Country).min(1).describe("Countries to follow the app in."),
    keywords: z.array(FollowedKeyword).default([]).describe("Keywords to follow in each of these countries."),
  })
  .describe("An app to follow, beside or instead of those that the account tracks.");

const GroupName = z.string().trim().min(1, "a group has a name");
const Groups = z
  .strictObject({
    apps: z
      .record(
        GroupName,
        z.array(TrackId).min(1).describe("Track ids of the apps of a group; an app may be in several."),
      )
      .default({})
      .meta({ examples: [{ casual: ["123456789"] }] })
      .describe("Groups of apps."),
    keywords: z
      .record(GroupName, z.array(FollowedKeyword).min(1).describe("Keywords of a group; a keyword may be in several."))
      .default({})
      .meta({ examples: [{ brand: ["habit garden"] }] })
      .describe("Groups of keywords."),
  })
  .prefault({})
  .describe("Groups for marts (mart.app_group, mart.keyword_group), alerts and budgets; they fetch nothing more.");

const followed = {
  source: z
    .enum(["account", "config", "both"])
    .default("account")
    .describe("Where its apps come from: the account, the list below, or both."),
  apps: z.array(ConfiguredApp).default([]),
};

/** What to fetch: where apps come from, the listed ones, and groups of apps and keywords for marts. */
export const PortfolioSettings = z
  .strictObject({ ...followed, groups: Groups })
  .prefault({})
  .describe("What to fetch.");

/** What to fetch for one of several accounts; groups are those of the warehouse. */
export const AccountPortfolio = z
  .strictObject(followed)
  .prefault({})
  .describe("What to fetch with this account; the apps that it tracks when left out.");
