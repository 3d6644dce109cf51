import { expect, test } from "vitest";
import { day, dayOf } from "../../src/core/day.ts";
import { lumi, open, type Opened } from "./open.ts";

async function get<T = Record<string, unknown>>(api: Opened, path: string): Promise<T> {
  const reply = await api.ask(path);
  expect(reply).toMatchObject({ status: 200 });
  return reply.json as T;
}

test.each([
  ["ios", lumi.ios, "countries=US,JP"],
  ["android", lumi.android, "countries=en,ja"],
])("%s: the pages of reviews are all of them once, and the plain list is the same", async (store, trackId, filter) => {
  await using api = await open();
  type Page = { content: { date: string; rating: number }[]; totalElements: number; totalPages: number };
  const days = `${trackId}/2026-05-01/2026-08-19`;
  const page = (index: number) => get<Page>(api, `/iosstore-app-reviews/v2/${days}?${filter}&size=30&page=${index}`);
  const first = await page(0);
  const pages = [first];
  for (let index = 1; index < first.totalPages; index += 1) pages.push(await page(index));
  const all = pages.flatMap(({ content }) => content);
  expect(first.totalPages).toBeGreaterThan(1);
  expect(all).toHaveLength(first.totalElements);
  expect(await page(first.totalPages)).toMatchObject({ content: [], totalElements: first.totalElements });
  const own = store === "ios" ? filter : filter.replace("countries", "languages");
  const plain = await get<{ date: string; rating: number | string }[]>(
    api,
    `/${store}store-app-reviews/${days}?${own}`,
  );
  expect(plain.map(({ date, rating }) => [date, Number(rating)])).toEqual(
    all.slice(0, 100).map(({ date, rating }) => [date, rating]),
  );
  expect(new Set(plain.map(({ rating }) => typeof rating))).toEqual(new Set(["number", "string"]));
});

test("ratings and days of a word add up to the reviews that hold it", async () => {
  await using api = await open();
  type Word = { numReviews: number; sentiment: Record<string, number>; trend: Record<string, number> };
  const words = await get<Word[]>(api, `/iosstore-app-reviews/word-analysis/${lumi.ios}/2026-07-21/2026-08-19`);
  const sum = (map: Record<string, number>) => Object.values(map).reduce((total, count) => total + count, 0);
  expect(words.length).toBeGreaterThan(10);
  expect(
    words.filter(({ numReviews, sentiment, trend }) => sum(sentiment) !== numReviews || sum(trend) !== numReviews),
  ).toEqual([]);
});

test("an app that is not crawled has no reviews, in no form", async () => {
  await using api = await open();
  expect(await get(api, "/iosstore-app-reviews/123456789/2026-08-01/2026-08-19")).toEqual([]);
  expect(await get(api, "/iosstore-app-reviews/v2/123456789/2026-08-01/2026-08-19")).toMatchObject({
    content: [],
    totalPages: 0,
  });
});

test("days of an answer are those of its range and no others, whichever way its end is read", async () => {
  await using api = await open();
  const path = `/iosstore-app-reviews/${lumi.ios}/2026-08-01/2026-08-10`;
  const days = async () => (await get<{ date: string }[]>(api, path)).map(({ date }) => dayOf(Date.parse(`${date}Z`)));
  const inclusive = await days();
  api.sandbox.set({ openEnd: "exclusive" });
  const exclusive = await days();
  expect(inclusive).toContain(day("2026-08-10"));
  expect(exclusive).toEqual(inclusive.filter((one) => one < "2026-08-10"));
});
