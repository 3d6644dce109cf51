import { dayMs } from "../src/core/day.ts";

/** One rank as the service reports it for Android; `date` in epoch-ms. */
export type RankEntry = {
  readonly trackId: string;
  readonly keyword: string;
  readonly countryCode: string;
  readonly date: number;
  readonly rank: number;
};

/** What an answer is about. */
export type RankQuestion = {
  readonly trackId: string;
  readonly country: string;
  /** YYYY-MM-DD */
  readonly date: string;
  readonly keywords: readonly string[];
};
const deepest = 250;
/** One in this many ranks moves between the first and the changed market. */
const movers = 10;

/** The ranks for a request: always the same, but one in ten is a place lower in the `changed` market. */
export function ranksFor({ trackId, country, date, keywords }: RankQuestion, changed: boolean): RankEntry[] {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const seed = hash(`${trackId} ${country} ${date}`);
  return keywords.map((keyword) => {
    const number = mix(seed ^ hash(keyword));
    const moved = changed && number % movers === 0 ? 1 : 0;
    return {
      trackId,
      keyword,
      countryCode: country,
      date: midnight + ((number % dayMs) - (number % 1000)),
      rank: 1 + (Math.trunc(number / movers) % deepest) + moved,
    };
  });
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value;
}

/** The final mix of murmur3: similar inputs give unrelated outputs; not negative. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
