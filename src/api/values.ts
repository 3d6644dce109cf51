import { z } from "zod";
import { isDay } from "../core/day.ts";

/** iOS track id: an integer above 32 bits in most answers, a string in others. */
export const AnyTrackId = z.union([z.int(), z.string().min(1)]);
export const IosTrackId = z.string().regex(/^[0-9]{1,19}$/, "an iOS track id is a number");
export const AndroidTrackId = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+$/, "an Android track id is a package name");
export const CountryCode = z.string().regex(/^[A-Z]{2}$/, "a country is two letters, upper case");
export const Device = z.enum(["IPHONE", "IPAD"]);
export const DayText = z.string().refine(isDay, "a date is YYYY-MM-DD");

/** A keyword that travels alone, as a path segment or a single value. */
export const Keyword = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "a keyword holds neither U+0000 nor half a character");

/** A keyword inside a comma-separated list: a comma in it would be read as two keywords. */
export const ListedKeyword = Keyword.refine(
  (text) => !text.includes(","),
  "a keyword with a comma cannot go into a list",
);

/** The most keywords that one call may list, for ranking and for estimations. */
export const keywordsPerCall = 100;

const localTime = /^\d{4}-\d{2}-\d{2}([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?Z?)?$/;
/** Far enough ahead for any date of an answer, near enough to be a date. */
const year2100 = Date.UTC(2100, 0);

/** An instant in an answer: epoch-milliseconds, a zoneless local date-time, or a bare date. All three occur. */
export const Instant = z.union([
  z.int().min(0).max(year2100),
  z
    .string()
    .refine(
      (text) => localTime.test(text) && isDay(text.slice(0, 10)),
      "a date is epoch-milliseconds or YYYY-MM-DD[THH:MM:SS]",
    ),
]);

/** A position in a list of apps; null or absent where the app is not in it. */
export const Rank = z.int().min(1).nullish();
export const MaybeNumber = z.number().nullish();
export const MaybeText = z.string().nullish();
