import type { KeywordRankEntry } from "../../api/operations/keyword.ts";
import type { Slice } from "../../core/slice.ts";
import { devicesOf, type Store } from "../../core/store.ts";
import { daysOf, windowLength } from "../../core/window.ts";
import { appRef } from "../../load/table.ts";
import { part } from "./define-dataset.ts";
import type { CrawlTime } from "./instants.ts";

/** The rank of an app for a keyword, on a day and a device. */
type RankRow = {
  readonly app_key: string;
  readonly date_day: string;
  readonly country_key: string;
  readonly keyword_key: string;
  readonly device_key: string;
  readonly rank: number | null;
  readonly observed_at: string | null;
};

/** The cell of a slice's app and country for a keyword, device and day. */
export function cellOf(
  { scope }: Slice,
  keyword: string,
  device: string,
  day: string,
): Omit<RankRow, "rank" | "observed_at"> {
  return {
    app_key: appRef(part(scope, "store"), part(scope, "app")),
    date_day: day,
    country_key: part(scope, "country"),
    keyword_key: keyword,
    device_key: device,
  };
}

/** The rows of an answer by day, device and keyword. */
export type RankCells = {
  /**
   * Of several crawls on one day the last one counts; of two at the same instant the better rank, so that their order does not matter.
   * False for a keyword that was not requested.
   */
  readonly keepLatest: (keyword: string, entry: KeywordRankEntry, crawl: CrawlTime) => boolean;
  readonly areAbout: (keyword: string) => boolean;
  /** A keyword that was requested and is not in the answer has a row with a null rank, unless an invalid item may be about it. */
  readonly rows: (uncertain: ReadonlySet<string>) => readonly RankRow[];
};

/** Makes the cells of a slice, all of them empty. */
export function createRankCells(slice: Slice): RankCells {
  const { scope, window, items } = slice;
  const [app, country] = [appRef(part(scope, "store"), part(scope, "app")), part(scope, "country")];
  const places = placesIn(items ?? []);
  // indexed by the keyword's place: a map for each answer would cost more than its rows
  const parts = new Map<string, (RankRow | undefined)[]>();
  let last: { readonly day: string; readonly device: string; readonly rows: (RankRow | undefined)[] } | null = null;
  let count = 0;

  function partOf(day: string, device: string): (RankRow | undefined)[] {
    if (last?.day === day && last.device === device) return last.rows;
    const name = `${day} ${device}`;
    const rows = parts.get(name) ?? [];
    parts.set(name, rows);
    last = { day, device, rows };
    return rows;
  }

  return {
    keepLatest: (keyword, entry, { day, at }) => {
      const place = places.get(keyword);
      if (place === undefined) return false;
      const device = "appKind" in entry ? entry.appKind : "ALL";
      const [rows, rank] = [partOf(day, device), entry.rank ?? null];
      const held = rows[place];
      if (held === undefined) count += 1;
      else if (!precedes(held, { rank, observed_at: at })) return true;
      rows[place] = {
        app_key: app,
        date_day: day,
        country_key: country,
        keyword_key: keyword,
        device_key: device,
        rank,
        observed_at: at,
      };
      return true;
    },
    areAbout: (keyword) => places.has(keyword),
    rows: (uncertain) => {
      const found: RankRow[] = [];
      for (const rows of parts.values()) for (const row of rows) if (row !== undefined) found.push(row);
      const devices = devicesOf[part(scope, "store") as Store];
      if (count === windowLength(window) * devices.length * places.size) return found;
      for (const day of daysOf(window))
        for (const device of devices) {
          const rows = partOf(day, device);
          for (const [keyword, place] of places)
            if (rows[place] === undefined && !uncertain.has(keyword))
              found.push({ ...cellOf(slice, keyword, device, day), rank: null, observed_at: null });
        }
      return found;
    },
  };
}

const known = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

/** The place of each keyword; slices of many days share one list. */
function placesIn(keywords: readonly string[]): ReadonlyMap<string, number> {
  const places = known.get(keywords) ?? new Map([...new Set(keywords)].map((keyword, place) => [keyword, place]));
  // a list that may still change is not cached
  if (Object.isFrozen(keywords)) known.set(keywords, places);
  return places;
}

function precedes(held: RankRow, row: Pick<RankRow, "rank" | "observed_at">): boolean {
  const [a, b] = [held.observed_at ?? "", row.observed_at ?? ""];
  return a !== b ? a < b : (row.rank ?? Number.POSITIVE_INFINITY) < (held.rank ?? Number.POSITIVE_INFINITY);
}
