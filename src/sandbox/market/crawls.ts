import { dayMs, type Day } from "../../core/day.ts";
import { hashOf, mix, unit, pick } from "./noise.ts";
import { dayNumber, lastRank, type RankDevice } from "./ranks.ts";

/** One crawl of the store by the service: the instant as epoch-ms and the rank that it saw, null for none. */
export type Crawl = { readonly at: number; readonly rank: number | null };

// the first crawl of a day is after 00:30 UTC and the last one before 23:00
const earliest = 1_800;
const latest = 82_800;
const noon = 43_200;

/**
 * The crawls of one day in the order in which the service lists them, which is not always the order of time. A third of the days have two
 * crawls; the latest one saw `rank`. An unranked day is reported as a crawl without a rank, or not at all.
 */
export function crawlsOn(options: {
  rankHash: number;
  device: RankDevice;
  day: Day;
  rank: number | null;
}): readonly Crawl[] {
  const { day, rank } = options;
  const hash = mix(hashOf(options.rankHash, options.device), dayNumber(day));
  if (rank === null && unit(mix(hash, 1)) < 0.5) return [];
  if (unit(mix(hash, 2)) >= 1 / 3) return [{ at: instant(hash, day, earliest, latest), rank }];
  const first = { at: instant(mix(hash, 3), day, earliest, noon), rank: earlier(mix(hash, 4), rank) };
  const last = { at: instant(mix(hash, 5), day, noon, latest), rank };
  return unit(mix(hash, 6)) < 0.5 ? [first, last] : [last, first];
}

/** The crawl that counts: the latest one. */
export function latestCrawl(crawls: readonly Crawl[]): Crawl | null {
  return crawls.reduce<Crawl | null>((best, crawl) => (best === null || crawl.at > best.at ? crawl : best), null);
}

function instant(hash: number, day: Day, from: number, to: number): number {
  const second = from + Math.floor(unit(mix(hash, 7)) * (to - from));
  return dayNumber(day) * dayMs + second * 1_000;
}

/** What the morning crawl saw: a position within two of the latest one, sometimes none. */
function earlier(hash: number, rank: number | null): number | null {
  if (rank === null || unit(hash) < 0.06) return null;
  return Math.min(lastRank, Math.max(1, rank + pick(mix(hash, 1), [-2, -1, 1, 2])));
}
