import { z } from "zod";
import {
  androidTrackIdPattern,
  iosTrackIdPattern,
  dotSegmentRefused,
  isCleanText,
  isDotSegment,
  uncleanKeywordRefused,
} from "../core/text.ts";

/** The countries of ISO 3166-1, and Kosovo, where stores sell as well; core.dim_country initially has the same. */
export const countryCodes: readonly string[] = (
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY " +
  "BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK " +
  "FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR " +
  "IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK " +
  "ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM " +
  "PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF " +
  "TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW"
).split(" ");

/** Why two letters are not a country that the service can know, and what to write instead. */
export function noCountry(code: string): string {
  const { region } = new Intl.Locale(`und-${code}`);
  const isOther = region !== undefined && region !== code && countryCodes.includes(region);
  return `${code} is not an ISO 3166-1 country code, ${isOther ? `did you mean ${region}?` : "write two letters, for instance GB"}`;
}

/** A country as the API writes it. */
export const Country = z
  .string()
  .regex(/^[A-Z]{2}$/, { error: "a country is two upper-case letters", abort: true })
  .refine((code) => countryCodes.includes(code), { error: ({ input }) => noCountry(String(input)) });
const trackId = new RegExp(`${iosTrackIdPattern.source}|${androidTrackIdPattern.source}`);
const trackIds = "a track id is a number of at most 19 digits (iOS) or a package name (Android)";
/** A keyword of the portfolio. */
export const KeywordText = z
  .string()
  .min(1)
  .refine(isCleanText, uncleanKeywordRefused)
  .refine((text) => !isDotSegment(text), dotSegmentRefused);

/** A track id of either store; a number may be written as one. */
export const TrackId = z.union([z.string().regex(trackId, trackIds), z.int().min(1, trackIds).transform(String)], {
  error: trackIds,
});

const ConfiguredApp = z
  .strictObject({
    id: TrackId.describe("Track id: a number on iOS, a package name on Android."),
    countries: z.array(Country).min(1).describe("Countries to fetch the app's data for."),
    keywords: z.array(KeywordText).default([]).describe("Keywords of the app in each of these countries."),
  })
  .describe("An app to fetch, in addition to or instead of the apps that the account tracks.");

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
      .record(GroupName, z.array(KeywordText).min(1).describe("Keywords of a group; a keyword may be in several."))
      .default({})
      .meta({ examples: [{ brand: ["habit garden"] }] })
      .describe("Groups of keywords."),
  })
  .prefault({})
  .describe(
    "Groups for marts (mart.app_group, mart.keyword_group), alerts and budgets; they add nothing to what is fetched.",
  );

/** Where the apps of the portfolio come from. */
export const portfolioSources = ["account", "config", "both"] as const;

const appSettings = {
  source: z
    .enum(portfolioSources)
    .default("account")
    .describe("Where its apps come from: the account, the list below, or both."),
  apps: z.array(ConfiguredApp).default([]),
};

/** What to fetch: where apps come from, the listed ones, and groups of apps and keywords for marts. */
export const PortfolioSettings = z
  .strictObject({ ...appSettings, groups: Groups })
  .prefault({})
  .describe("What to fetch.");

/** What to fetch for one of several accounts; groups are shared by the warehouse. */
export const AccountPortfolio = z
  .strictObject(appSettings)
  .prefault({})
  .describe("What to fetch with this account (default: the apps that it tracks).");
