import { must } from "../support/must.ts";
import { expect, test } from "vitest";
import { addDays, day, dayOf, type Day } from "../../src/core/day.ts";
import { storeOf } from "../../src/core/store.ts";
import { daysOf } from "../../src/core/window.ts";
import { encode, lumi, open, today, yesterday, type Opened } from "./open.ts";

type Entry = { keyword: string; date: number | string; rank: number | null; appKind?: "IPHONE" | "IPAD" };
type Tracked = {
  keyword: string;
  rank?: number | null;
  change?: number;
  searchVolume: number;
  rankingHistory: { rank: number | null; date: string }[];
};

const stores = [
  ["ios", lumi.ios, "iosstore", "IPAD"],
  ["android", lumi.android, "androidstore", "ALL"],
] as const;

async function list<T>(api: Opened, path: string): Promise<T> {
  const reply = await api.ask(path);
  expect(reply.status).toBe(200);
  return reply.json as T;
}

/** The keywords of an app that may stand in a list. */
function listed(api: Opened, store: "ios" | "android", trackId: string): string[] {
  return api.sandbox.market
    .trackedKeywords(must(api.sandbox.market.app(store, trackId)), "JP")
    .filter((keyword) => !keyword.includes(","));
}

function ranking(api: Opened, word: string, trackId: string, keywords: readonly string[], on?: Day): Promise<Entry[]> {
  return list(
    api,
    `/${word}-keyword-ranking/${trackId}/JP/keywordrankings?keywords=${keywords.map(encode).join(",")}${on ? `&date=${on}` : ""}`,
  );
}

test.each(stores)(
  "%s: keyword ranking reports the crawls of the market, of yesterday when no day is named",
  async (store, trackId, word, device) => {
    await using api = await open();
    const keywords = listed(api, store, trackId);
    const reported = await ranking(api, word, trackId, keywords);
    expect(reported).toEqual(await ranking(api, word, trackId, keywords, yesterday));
    for (const keyword of keywords) {
      const mine = reported.filter((entry) => entry.keyword === keyword && (entry.appKind ?? "ALL") === device);
      expect(mine.map(({ date, rank }) => ({ at: date, rank }))).toEqual(
        api.sandbox.market.crawls({ store, trackId, keyword, country: "JP", device, day: yesterday }),
      );
    }
    expect(new Set(reported.map((entry) => entry.appKind))).toEqual(
      new Set(store === "ios" ? ["IPHONE", "IPAD"] : [undefined]),
    );
  },
);

test.each(stores)(
  "%s: keyword history reports the same as keyword ranking, day by day",
  async (store, trackId, word) => {
    await using api = await open();
    const days = daysOf({ start: addDays(today, -30), end: today });
    const [keyword = ""] = listed(api, store, trackId);
    const reported = await list<Entry[]>(
      api,
      `/${word}-keyword-ranking/${trackId}/JP/${encode(keyword)}/keywordrankings?startDate=${days[0]}&endDate=${yesterday}`,
    );
    const daily = [];
    for (const on of days) daily.push(...(await ranking(api, word, trackId, [keyword], on)));
    expect(reported.length).toBeGreaterThan(20);
    expect(reported).toEqual(daily);
  },
);

test("today is not published yet: every answer leaves it out, and has it tomorrow", async () => {
  await using api = await open();
  const { market } = api.sandbox;
  const keyword =
    listed(api, "ios", lumi.ios).find(
      (word) =>
        typeof market.latestRank({
          store: "ios",
          trackId: lumi.ios,
          keyword: word,
          country: "JP",
          device: "IPHONE",
          day: today,
        })?.rank === "number",
    ) ?? "";
  const reported = async () => [
    (await ranking(api, "iosstore", lumi.ios, [keyword], today)).length,
    (
      await list<Entry[]>(
        api,
        `/iosstore-keyword-ranking/${lumi.ios}/JP/${encode(keyword)}/keywordrankings?startDate=${today}&endDate=${today}`,
      )
    ).length,
    (await list<Entry[]>(api, `/iosstore-keyword-ranking/${lumi.ios}/JP/top-keywords?date=${today}`)).length,
    (
      await list<{ rankings: [] }>(
        api,
        `/iosstore-keyword-ranking/${lumi.ios}/JP/IPHONE/organic-keywords?date=${today}`,
      )
    ).rankings.length,
    (
      await list<{ data: Tracked[] }>(api, `/gateway/account/app/${lumi.ios}/keywords/rankings/JP?date=${today}`)
    ).data.filter((entry) => typeof entry.rank === "number").length,
  ];
  expect(await reported()).toEqual([0, 0, 0, 0, 0]);
  api.clock.move(86_400_000);
  expect((await reported()).every((count) => count > 0)).toBe(true);
});

test("an app that is not sold in a country has nothing to report there", async () => {
  await using api = await open();
  const picky = must(api.sandbox.market.apps.find((app) => app.store === "ios" && !app.countries.includes("BR")));
  expect(await list(api, `/iosstore-keyword-ranking/${picky.trackId}/BR/keywordrankings?keywords=a,b,c`)).toEqual([]);
});

test("dates are epoch-ms, or the same clock reading without a zone", async () => {
  await using api = await open();
  const keywords = listed(api, "ios", lumi.ios);
  const epoch = await ranking(api, "iosstore", lumi.ios, keywords);
  api.sandbox.set({ dateForm: "local" });
  const local = await ranking(api, "iosstore", lumi.ios, keywords);
  expect(local.length).toBeGreaterThan(keywords.length);
  expect(local.map((entry) => entry.date)).toEqual(
    epoch.map((entry) => new Date(Number(entry.date)).toISOString().slice(0, 19)),
  );
  expect(epoch.every((entry) => dayOf(Number(entry.date)) === yesterday)).toBe(true);
});

test.each(stores)(
  "%s: organic keywords are the ranked ones, and top keywords the best of them",
  async (store, trackId, word, device) => {
    await using api = await open();
    const where = `/${word}-keyword-ranking/${trackId}/JP`;
    const organic = await list<{ trackId: number | string; rankings: { keyword: string; rank: number }[] }>(
      api,
      `${where}${store === "ios" ? "/IPAD" : ""}/organic-keywords?date=${yesterday}`,
    );
    expect(organic.trackId).toBe(store === "ios" ? Number(trackId) : trackId);
    expect(organic.rankings.length).toBeGreaterThan(40);
    for (const { keyword, rank } of organic.rankings)
      expect(
        api.sandbox.market.latestRank({ store, trackId, keyword, country: "JP", device, day: yesterday })?.rank,
      ).toBe(rank);

    const top = await list<{ keyword: string; rank: number }[]>(
      api,
      `${where}/top-keywords?date=${yesterday}&limit=10${store === "ios" ? "&device=IPAD" : ""}`,
    );
    expect(top).toHaveLength(10);
    expect(organic.rankings).toEqual(expect.arrayContaining(top.map(({ keyword, rank }) => ({ keyword, rank }))));
  },
);

test("top keywords are a hundred when no limit is named", async () => {
  await using api = await open({ market: { organicKeywords: 1_000 } });
  expect(await list(api, `/iosstore-keyword-ranking/${lumi.ios}/JP/top-keywords?date=${yesterday}`)).toHaveLength(100);
});

test("tracked apps have ids as text and competitors from the same store, of which the account does not track all", async () => {
  await using api = await open();
  type Reported = { trackId: string; name: string; iconUrl: string; rating: number };
  const { data } = await list<{ data: (Reported & { availableCountries: string[]; competitors: Reported[] })[] }>(
    api,
    "/gateway/account/app/tracked",
  );
  expect(data.map((app) => app.trackId)).toEqual(api.sandbox.market.apps.map((app) => app.trackId));
  expect(data.map((app) => app.availableCountries)).toEqual(api.sandbox.market.apps.map((app) => app.countries));
  const tracked = new Map(data.map((app) => [app.trackId, app]));
  for (const { trackId, competitors } of data) {
    expect(competitors.map((competitor) => tracked.has(competitor.trackId))).toEqual([true, false, false]);
    for (const competitor of competitors)
      expect(api.sandbox.market.app(storeOf(trackId), competitor.trackId)?.name).toBe(competitor.name);
  }
  const [first] = data;
  const [neighbour] = first?.competitors ?? [];
  expect(tracked.get(neighbour?.trackId ?? "")).toMatchObject(neighbour ?? {});
  const [stranger] = first?.competitors.filter((competitor) => !tracked.has(competitor.trackId)) ?? [];
  const scores = await list<Record<string, number>>(
    api,
    `/graph-data/iosstore/app/visibility/US?trackIds=${stranger?.trackId}`,
  );
  expect(Object.keys(scores)).toEqual([stranger?.trackId]);
});

test.each([
  ["", "IPHONE"],
  ["&device=ipad", "IPAD"],
] as const)("tracked keywords have the ranks of the ranking operation (device %j)", async (query, device) => {
  await using api = await open();
  const { data } = await list<{ data: Tracked[] }>(
    api,
    `/gateway/account/app/${lumi.ios}/keywords/rankings/JP?date=${yesterday}${query}`,
  );
  const truth = (keyword: string, on: Day) =>
    api.sandbox.market.latestRank({ store: "ios", trackId: lumi.ios, keyword, country: "JP", device, day: on })?.rank;
  expect(data.map((entry) => entry.keyword)).toEqual(
    api.sandbox.market.trackedKeywords(must(api.sandbox.market.app("ios", lumi.ios)), "JP"),
  );
  for (const { keyword, rank, rankingHistory } of data) {
    expect(rank).toBe(truth(keyword, yesterday));
    for (const past of rankingHistory) expect(past.rank).toBe(truth(keyword, day(past.date)));
  }
  expect(data.some((entry) => entry.change !== undefined && entry.change !== 0)).toBe(true);
});

test.each(stores)("%s: keywords are counted as they are listed, country by country", async (_, trackId) => {
  await using api = await open({ market: { keywordsPerApp: 31 } });
  const { data: counts } = await list<{ data: Record<string, number> }>(
    api,
    `/gateway/account/app/${trackId}/keywords/count-by-country`,
  );
  expect(Object.keys(counts)).toEqual(["US", "GB", "DE", "JP", "BR", "TR"]);
  for (const [country, count] of Object.entries(counts)) {
    const { data } = await list<{ data: Tracked[] }>(
      api,
      `/gateway/account/app/${trackId}/keywords/rankings/${country}`,
    );
    expect(data).toHaveLength(count);
    expect(count).toBe(31);
  }
});

test("keyword metadata agrees with the dashboard, and lacks a popularity now and then", async () => {
  await using api = await open();
  const { data } = await list<{ data: Tracked[] }>(
    api,
    `/gateway/account/app/${lumi.ios}/keywords/rankings/JP?date=${yesterday}`,
  );
  const facts = [];
  for (const { keyword, searchVolume } of data) {
    const reported = await list<{ searchVolume: number; popularity?: number }>(
      api,
      `/iosstore-keyword-ranking/JP/keyword-metadata?keyword=${encode(keyword)}`,
    );
    expect(reported.searchVolume).toBe(searchVolume);
    facts.push(reported);
  }
  expect(new Set(facts.map((reported) => "popularity" in reported))).toEqual(new Set([true, false]));
});
