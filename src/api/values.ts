import { z } from "zod";
import { isDay } from "../core/day.ts";
import { androidTrackIdPattern, iosTrackIdPattern, isCleanText, uncleanKeywordRefused } from "../core/text.ts";

/** iOS track id: an integer above 32 bits in most answers, a string in others. */
export const AnyTrackId = z.union([z.int(), z.string().min(1)]);
export const IosTrackId = z.string().regex(iosTrackIdPattern, "an iOS track id is a number");
export const AndroidTrackId = z.string().regex(androidTrackIdPattern, "an Android track id is a package name");
/** The track id of an app in either store. */
export const StoreTrackId = z.union([IosTrackId, AndroidTrackId]);
export const CountryCode = z.string().regex(/^[A-Z]{2}$/, "a country is two upper-case letters");
/** The service's Android languages as requests spell them; answers have them in lower case. */
export const LangCode = z.enum(
  (
    "EN EN_AU EN_GB EN_CA ZH ZH_TW TR ES ES_MX DE IT JA NL RU KO AR FR PT_PT PT_BR " +
    "ID VI TH CS DA FI EL HE HU MS NO PL RO SK SV"
  ).split(" "),
);
export const Device = z.enum(["IPHONE", "IPAD"]);
export const DayText = z.string().refine(isDay, "a date is YYYY-MM-DD").meta({ format: "date" });

/** A keyword that is sent alone, as a path segment or a single value. */
export const Keyword = z.string().min(1).refine(isCleanText, uncleanKeywordRefused);

/** A keyword inside a comma-separated list: a comma in it would be read as two keywords. */
export const ListedKeyword = Keyword.refine(
  (text) => !text.includes(","),
  "a keyword with a comma cannot go into a list",
);

/** The most keywords that one call may list, for ranking and for estimations. */
export const keywordsPerCall = 100;

const localTime =
  /^\d{4}-\d{2}-\d{2}([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?)?$/;
/** Far enough ahead for any date of an answer, near enough to be a date. */
const year2100 = Date.UTC(2100, 0);

/**
 * An instant in an answer: epoch-milliseconds, a zoneless local date-time, or a bare date. All three occur; one with a zone is accepted
 * too.
 */
export const Instant = z.union([
  z.int().min(0).max(year2100),
  z
    .string()
    .refine(
      (text) => localTime.test(text) && isDay(text.slice(0, 10)),
      "a date is epoch-milliseconds or YYYY-MM-DD[THH:MM:SS]",
    ),
]);

/** A position in a list of apps; null or absent if the app is not in it. */
export const Rank = z.int().min(1).nullish();
export const MaybeNumber = z.number().nullish();
export const MaybeText = z.string().nullish();
export const MaybeFlag = z.boolean().nullish();
export const MaybeInstant = Instant.nullish();

/** An id that is an integer in some answers and text in others: of a developer, a category, a review ... */
export const AnyId = z.union([z.int(), z.string()]);
export const MaybeId = AnyId.nullish();

/** Money or another measure, as a number or a string of digits. */
export const Amount = z.union([
  z.number(),
  z.string().regex(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/, "an amount is a number or its digits"),
]);
export const MaybeAmount = Amount.nullish();

/** A price as the stores show it: `"0.00"`, `"Free"`, `"$4.99"`, or a number. */
export const MaybePrice = z.union([z.string(), z.number()]).nullish();

export const MaybeTexts = z.array(z.string()).nullish();
/** A list whose items the contract does not describe. */
export const MaybeList = z.array(z.unknown()).nullish();

export const RankingType = z.enum(["FREE", "PAID", "GROSSING"]);
/** The same in answers: a word in some, the number 0, 1 or 2 in others. */
export const AnyRankingType = z.union([RankingType, z.int().min(0).max(2)]);
