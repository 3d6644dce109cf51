import type { z } from "zod";
import type { dailyKeywordRankings } from "../../api/operations/dashboard.ts";
import type { InvalidItem } from "../../api/read-answer.ts";
import type { Slice } from "../../core/slice.ts";
import { devicesOf, type Store } from "../../core/store.ts";
import { foldKeyword } from "../../core/text.ts";
import { part } from "./define-dataset.ts";

type Entry = z.output<typeof dailyKeywordRankings.answer>[number];

/** A keyword's rank on one device; null if the app is not ranked. */
type ListedRank = { readonly keyword: string; readonly device: string; readonly rank: number | null };

/** What an account's whole lists say about the items of a slice; `unanswered` are those that at least one list does not name. */
type WholeList = {
  readonly ranks: readonly ListedRank[];
  readonly invalid: readonly InvalidItem[];
  readonly unanswered: readonly string[];
};

/**
 * Reads the lists of all keywords that an account tracks, one page per device. A list names each of them, ranked or not, without day and
 * device: both come from the request. A keyword that it does not name is no longer tracked, and no row says anything about it; one that was
 * not requested is ignored. `left` holds items that do not fit the contract; no row says anything about the keywords that they name either.
 */
export function wholeListRanks(slice: Slice, pages: readonly unknown[], left: readonly InvalidItem[]): WholeList {
  const devices = devicesOf[part(slice.scope, "store") as Store];
  const items = slice.items ?? [];
  const requested = Map.groupBy(items, foldKeyword);
  const uncertain = new Set(left.flatMap(({ item }) => keywordsIn(item, requested)));
  const invalid: InvalidItem[] = [];
  const unanswered = new Set<string>();
  const ranks = devices.flatMap((device, index) => {
    const list = readList(slice, (pages[index] ?? []) as readonly Entry[], requested);
    invalid.push(...list.invalid);
    for (const item of items) if (!list.named.has(item) && !uncertain.has(item)) unanswered.add(item);
    return [...list.ranks].map(([keyword, rank]) => ({ keyword, device, rank }));
  });
  return {
    // a keyword that only some lists name is requested by name: the slice no longer covers it
    ranks: ranks.filter(({ keyword }) => !uncertain.has(keyword) && !unanswered.has(keyword)),
    invalid,
    unanswered: items.filter((item) => unanswered.has(item)),
  };
}

type Requested = ReadonlyMap<string, readonly string[]>;
type List = {
  readonly ranks: Map<string, number | null>;
  readonly named: Set<string>;
  readonly invalid: InvalidItem[];
};

function readList({ scope }: Slice, entries: readonly Entry[], requested: Requested): List {
  const list: List = { ranks: new Map(), named: new Set(), invalid: [] };
  const echoed = new Set(entries.map(({ keyword }) => keyword));
  const contradicted = new Set<string>();
  for (const entry of entries) {
    // an entry answers for the keyword that it names exactly; in another spelling only for keywords that no entry names exactly
    const alike = requested.get(foldKeyword(entry.keyword)) ?? [];
    const keywords = alike.includes(entry.keyword) ? [entry.keyword] : alike.filter((keyword) => !echoed.has(keyword));
    const reason = mismatchOf(entry, part(scope, "country"));
    for (const keyword of keywords) {
      list.named.add(keyword);
      if (reason !== null) contradicted.add(keyword);
      else list.ranks.set(keyword, better(list.ranks.get(keyword), rankOf(entry.rank)));
    }
    if (reason !== null && keywords.length > 0) list.invalid.push({ reason, item: entry });
  }
  for (const keyword of contradicted) list.ranks.delete(keyword);
  return list;
}

/** Why an entry cannot be used, null when it can. */
function mismatchOf({ countryCode, rank }: Entry, country: string): string | null {
  if (countryCode != null && countryCode.toUpperCase() !== country) return "a country that was not requested";
  return rank == null || Number.isSafeInteger(rank) ? null : "rank: is not a whole number";
}

/** Absent, null, zero and negative all mean not ranked. */
function rankOf(rank: unknown): number | null {
  return typeof rank === "number" && rank > 0 ? rank : null;
}

/** The better rank of two entries for one keyword, so that their order does not matter. */
function better(held: number | null | undefined, rank: number | null): number | null {
  return held == null || rank === null ? (held ?? rank) : Math.min(held, rank);
}

function keywordsIn(item: unknown, requested: Requested): readonly string[] {
  const name = typeof item === "object" && item !== null && "keyword" in item ? item.keyword : null;
  return typeof name === "string" ? (requested.get(foldKeyword(name)) ?? []) : [];
}
