import { z } from "zod";
import { LangCode, RankingType } from "../../api/values.ts";
import type { Day } from "../../core/day.ts";
import type { Scope, Slice } from "../../core/slice.ts";
import { foldKeyword } from "../../core/text.ts";
import { lastDay } from "../../core/window.ts";

/** A measure that is reported as a number or as digits, as a number; null if there is none. */
export function amountOf(value: number | string | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** An id that is reported as a number or as text, as text; null if there is none, which the service also reports as empty text. */
export function idOf(value: number | string | null | undefined): string | null {
  return value === null || value === undefined || value === "" ? null : String(value);
}

/** A value that is reported as text or as a number, as text; null if there is none. Empty text stays. */
export function textOf(value: string | number | null | undefined): string | null {
  return value == null ? null : String(value);
}

/** The country that a key of a map names, in any letter case; null if it is not a country. */
export function countryOfKey(key: string): string | null {
  return /^[A-Z]{2}$/i.test(key) ? key.toUpperCase() : null;
}

type Ranked = { readonly keyword: string; readonly rank?: number | null | undefined };

/** One entry per keyword, sorted by keyword: if an answer names one twice, the better rank counts. */
export function bestFirst<E extends Ranked>(entries: readonly E[]): readonly E[] {
  const best = new Map<string, E>();
  for (const entry of entries) {
    const held = best.get(entry.keyword);
    if (held === undefined || worth(entry) < worth(held)) best.set(entry.keyword, entry);
  }
  return [...best.values()].sort((a, b) => (a.keyword < b.keyword ? -1 : 1));
}

function worth(entry: Ranked): number {
  return entry.rank ?? Number.POSITIVE_INFINITY;
}

/** Items without those that equal an earlier one, field by field. */
export function eachOnce<T>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** The kinds of chart, in the order in which answers number them from 0. */
export const chartTypes = RankingType.options;

/** One name for a chart type, which is a word in some answers and a number in others. */
export function chartTypeOf(reported: string | number): string {
  return typeof reported === "number" ? (chartTypes[reported] ?? String(reported)) : reported;
}

/** The key columns of an aggregate over the window of a slice: its first and its last day, both inclusive. */
export function periodKey({ window }: Pick<Slice, "window">): { readonly period_start: Day; readonly period_end: Day } {
  return { period_start: window.start, period_end: lastDay(window) };
}

/** What an answer about one keyword echoes of its request. */
type Echo = {
  readonly keyword?: string | null | undefined;
  readonly countryCode?: string | null | undefined;
  readonly device?: string | null | undefined;
};

/** True for an answer that names another keyword, country or device than its slice's scope; what it leaves out counts as echoed. */
export function isOther(scope: Scope, { keyword, countryCode, device }: Echo): boolean {
  const differs = (reported: string | null | undefined, requested: string | undefined) =>
    reported != null && requested !== undefined && foldKeyword(reported) !== foldKeyword(requested);
  return (
    differs(keyword, scope["keyword"]) || differs(countryCode, scope["country"]) || differs(device, scope["device"])
  );
}

/** For datasets that request as many days as an expensive call takes: days that were published late are requested again later, once. */
export const fullPack = { packDays: 30, packIsFull: true, emptyHoldsDays: 3, emptyUntilDays: 6 } as const;

/** A language of Android reviews as the warehouse spells it, in lower case; a region may follow. */
export const ReviewLanguage = z
  .string()
  .regex(/^[a-z]{2}(_[a-z]{2})?$/, "a language is two letters, lower case, a region may follow: en, pt_br");

/** A reported language in that spelling: answers differ in case and in the separator before the region. */
export function languageCodeOf(reported: string): string {
  return reported.toLowerCase().replaceAll("-", "_");
}

/**
 * True for a reported language that differs from the requested one. Codes differ in form (`zh-Hans` is `zh`, `iw` is `he`, `nb` is `no`),
 * and a region is optional: `pt` may be either of the two that requests know, while `en` is a separate language from `en_gb`.
 */
export function isOtherLanguage(reported: string, requested: string): boolean {
  const code = languageCodeOf(reported);
  if (code === "" || fullFormOf(code) === fullFormOf(requested)) return false;
  const isBare = code === requested.split("_", 1)[0];
  return !isBare || LangCode.safeParse(code.toUpperCase()).success;
}

/**
 * A code with its script and region, so that codes of one language are equal. Plain Norwegian is Bokmål: Unicode keeps the two codes apart.
 * Nynorsk, `nn`, is another language.
 */
function fullFormOf(code: string): string {
  try {
    return new Intl.Locale(code.replace(/^nb(?=_|$)/, "no").replaceAll("_", "-")).maximize().toString();
  } catch {
    return code;
  }
}
