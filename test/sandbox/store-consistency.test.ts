import { must } from "../support/must.ts";
import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { encode, lumi, open, yesterday, type Opened } from "./open.ts";

type Fields = Record<string, unknown>;

async function get<T = Fields>(api: Opened, path: string): Promise<T> {
  const reply = await api.ask(path);
  expect(reply).toMatchObject({ status: 200 });
  return reply.json as T;
}

const stores = [
  ["ios", lumi.ios, "US"],
  ["android", lumi.android, "EN"],
] as const;

test("the list of apps has each app where Keyword Ranking has it, and the words that an app ranks for show it", async () => {
  await using api = await open();
  const keywords = ["habit tracker", "notes", "checklist", "focus timer"];
  let seen = 0;
  for (const keyword of keywords) {
    const list = await get<{ apps: string[] }>(
      api,
      `/androidstore-keyword-ranking/US/keyword-apps?keyword=${encode(keyword)}`,
    );
    expect(new Set(list.apps).size).toBe(list.apps.length);
    for (const app of api.sandbox.market.apps.filter(({ store }) => store === "android")) {
      const cell = { store: "android", country: "US", keyword, device: "ALL", day: yesterday } as const;
      const rank = api.sandbox.market.latestRank({ ...cell, trackId: app.trackId })?.rank ?? null;
      const place = list.apps.indexOf(app.trackId) + 1;
      const tied = api.sandbox.market.apps.filter(
        (one) => api.sandbox.market.latestRank({ ...cell, trackId: one.trackId })?.rank === rank,
      );
      if (tied.length === 1 || rank === null) expect(place).toBe(rank ?? 0);
      else expect(place).toBeGreaterThanOrEqual(rank);
      seen += rank === null ? 0 : 1;
    }
  }
  expect(seen).toBeGreaterThan(5);
});

test.each(stores)(
  "%s: ratings, name and category are the same in detail, short information and dashboard",
  async (store, trackId, place) => {
    await using api = await open();
    const detail = await get(api, `/${store}store-appinfo-v2/app/detailed/${trackId}`);
    const [short] = await get<Fields[]>(api, `/${store}store-appinfo-v2/app/simple/${place}?trackIds=${trackId}`);
    const { data } = await get<{ data: Fields[] }>(api, "/gateway/account/app/tracked");
    const tracked = data.find((app) => app["trackId"] === trackId);
    const seen = { name: detail["name"], categoryId: detail["categoryId"], iconUrl: detail["iconUrl"] };
    const average = detail["userRatingAverage"] ?? detail["userRating"];
    const count = detail["userRatingCount"] ?? detail["numUserRating"];
    expect(short).toMatchObject({ ...seen, rating: average, ratingCount: count });
    expect(tracked).toMatchObject({ ...seen, rating: average, ratingCount: count });
    const stars = ["Five", "Four", "Three", "Two", "One"].map((star) => Number(detail[`numOf${star}Ratings`] ?? 0));
    if (store === "android") expect(stars.reduce((sum, one) => sum + one, 0)).toBe(count);
  },
);

test.each(stores)(
  "%s: detail shows the last version of the list, and what changed leads from one to the next",
  async (store, trackId, place) => {
    await using api = await open();
    const versions = (kind: string, from: string) =>
      get<Fields[]>(
        api,
        `/${store}store-appinfo-v2/versions/${kind}${trackId}/${place}?startDate=${from}&endDate=2026-08-20`,
      );
    const list = await versions("", "2021-01-01");
    const detail = await get(api, `/${store}store-appinfo-v2/app/detailed/${trackId}/${place}`);
    expect(list.length).toBeGreaterThan(50);
    expect(list[0]?.["versionDate"]).toMatch(/^2021-04-12T/);
    const last = must(list.at(-1));
    expect(new Date(Number(detail["lastModified"])).toISOString().slice(0, 19)).toBe(last["versionDate"]);
    if (store === "android") expect(detail["version"]).toBe(last["versionString"]);
    const changes = await versions("detailed/", "2026-07-21");
    expect(changes.map((one) => one["versionDate"])).toEqual(
      list.slice(-changes.length).map((one) => one["versionDate"]),
    );
    for (const [index, change] of changes.entries()) {
      const before = list[list.length - changes.length + index - 1];
      expect(change["oldData"]).toMatchObject({ versionString: before?.["versionString"] });
    }
  },
);

test("a detail without a country is that of the app's first one, and an unknown Android app has no content", async () => {
  await using api = await open();
  expect(await get(api, "/iosstore-appinfo-v2/app/detailed/1587204933")).toMatchObject({ countryCode: "US" });
  const reply = await api.ask("/androidstore-appinfo-v2/app/detailed/com.nobody.knows");
  expect(reply).toMatchObject({ status: 204, text: "", headers: { "x-credit-cost": "5" } });
  expect(reply.headers).not.toHaveProperty("content-type");
});

test("short information leaves out ids that are unknown", async () => {
  await using api = await open();
  const ids = async (path: string) => (await get<Fields[]>(api, path)).map((app) => app["trackId"]);
  const simple = "/iosstore-appinfo-v2/app/simple/JP?trackIds=";
  expect(await ids(`${simple}1,${lumi.ios},2`)).toEqual([Number(lumi.ios)]);
  expect(await ids(`${simple}1,2`)).toEqual([]);
});

test("the chart of a day has an app where its category ranking has it at the last observation", async () => {
  await using api = await open();
  const app = must(api.sandbox.market.app("android", "dev.snippetfox.notes"));
  type Ranks = {
    ranksByCategoryNames: { categoryName: string; rankings: { rankingType: number; ranksByDate: Fields[] }[] }[];
  };
  const ranks = await get<Ranks>(
    api,
    `/androidstore-category/${app.trackId}/US?startDate=2026-08-01&endDate=2026-08-20`,
  );
  expect(ranks.ranksByCategoryNames.map(({ categoryName }) => categoryName)).toContain("BOOKS_AND_REFERENCE");
  type Charts = {
    ranksByCategory: Record<
      string,
      Record<
        string,
        { targetDevice: string; rankingType: string; rankingsByDate: { date: string; ranking: number }[] }[]
      >
    >;
  };
  const hourly = await get<Charts>(
    api,
    `/iosstore-category-v2/rankings/v1/${lumi.ios}/US?hourly=true&startDate=2026-08-10&endDate=2026-08-20`,
  );
  let compared = 0;
  for (const [categoryId, charts] of Object.entries(must(hourly.ranksByCategory["US"])))
    for (const { targetDevice, rankingType, rankingsByDate } of charts)
      for (const { date, ranking } of rankingsByDate.filter((one) => one.date.endsWith("T18:00:00")).slice(-2)) {
        const chart = await get<{ trackIds: number[] }>(
          api,
          `/iosstore-category-v2/topcharts/v1/${categoryId}/US/${rankingType}/${targetDevice}?date=${date.slice(0, 10)}`,
        );
        expect(chart.trackIds[ranking - 1]).toBe(Number(lumi.ios));
        expect(new Set(chart.trackIds).size).toBe(chart.trackIds.length);
        compared += 1;
      }
  expect(compared).toBeGreaterThan(2);
});

test("the ranks of the last day in all countries are those of the single country", async () => {
  await using api = await open();
  type Charts = { ranksByCategory: Record<string, Record<string, Fields[]>> };
  const all = await get<Charts>(api, `/iosstore-category-v2/global-rankings-last-day/${lumi.ios}/IPHONE`);
  for (const country of ["US", "JP"]) {
    const one = await get<Charts>(
      api,
      `/iosstore-category-v2/rankings/v1/${lumi.ios}/${country}?hourly=false&startDate=${yesterday}&endDate=2026-08-20`,
    );
    const phones = Object.entries(must(one.ranksByCategory[country]))
      .map(([id, charts]) => [id, charts.filter((chart) => chart["targetDevice"] === "IPHONE")] as const)
      .filter(([, charts]) => charts.length > 0);
    expect(all.ranksByCategory[country]).toEqual(Object.fromEntries(phones));
  }
});

test("the last month is the sum of its days and of its countries", async () => {
  await using api = await open();
  type Month = { download: number; countryBreakDown: Record<string, { download: number }> };
  const month = await get<Month>(
    api,
    `/market-estimations/iosstore/estimation/download-revenue-last-month/${lumi.ios}`,
  );
  const days = async (from: string, to: string) =>
    get<{ date: string; download: number }[]>(
      api,
      `/market-estimations/iosstore/estimation/download-revenue?trackId=${lumi.ios}&country=JP&startDate=${from}&endDate=${to}`,
    );
  const july = [...(await days("2026-07-01", "2026-07-30")), ...(await days("2026-07-31", "2026-07-31"))];
  expect(july).toHaveLength(31);
  expect(july.reduce((sum, { download }) => sum + download, 0)).toBe(month.countryBreakDown["JP"]?.download);
  const parts = Object.values(month.countryBreakDown).map(({ download }) => download);
  expect(parts.reduce((sum, one) => sum + one, 0)).toBe(month.download);
});

test("an app's match in the other store has it for its own match", async () => {
  await using api = await open();
  const match = (store: string, trackId: string) =>
    get<string | null>(api, `/app-match/app/${store}?trackId=${trackId}`);
  expect([await match("ios", lumi.ios), await match("play", lumi.android)]).toEqual([lumi.android, lumi.ios]);
  expect(await match("ios", "6502217748")).toBeNull();
  api.sandbox.set({ textAnswer: "text" });
  expect(await api.ask(`/app-match/app/ios?trackId=${lumi.ios}`)).toMatchObject({
    text: lumi.android,
    headers: { "content-type": "text/plain;charset=UTF-8" },
  });
});

test("the visibility of yesterday is the last one of its history", async () => {
  await using api = await open();
  const now = await get<Record<string, number>>(
    api,
    `/graph-data/androidstore/app/visibility/JP?trackIds=${lumi.android}`,
  );
  const reply = await api.ask(
    `/androidstore-visibility-score/visibility-score-history/apps?countries=JP,US&startDate=${addDays(yesterday, -40)}&endDate=${yesterday}`,
    { method: "POST", body: JSON.stringify([lumi.android]) },
  );
  const [{ scores }] = reply.json as [{ scores: Record<string, { date: string; score: number }[]> }];
  expect(Object.keys(scores)).toEqual(["JP", "US"]);
  expect(scores["JP"]).toHaveLength(41);
  expect(scores["JP"]?.at(-1)).toEqual({ date: yesterday, score: now[lumi.android] });
});
