import { must } from "../support/must.ts";
import { describe, expect, test } from "vitest";
import { lumi, open, type Opened } from "./open.ts";

type Fields = Record<string, unknown>;
type Row = Record<string, number> & { original: Record<string, number> };

const july = { startDate: "2026-07-01", endDate: "2026-07-31" };
const org = 4_100_001;

async function data<T>(api: Opened, path: string, body?: unknown): Promise<T> {
  const reply = await api.ask(path, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
  expect(reply).toMatchObject({ status: 200, json: { success: true } });
  return (reply.json as { data: T }).data;
}

/** All pages of a report. */
async function report(api: Opened, more: object): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 0; ; page += 1) {
    type Page = { pagination: { totalRowCount: number; limit: number; offset: number }; tableData: Row[] };
    const requested = { reportType: "REPORT", ...july, orgIds: [org], ...more };
    const [{ pagination, tableData }] = await data<[Page]>(api, `/searchads/reports?page=${page}`, requested);
    expect(pagination.offset).toBe(rows.length);
    rows.push(...tableData);
    if (pagination.offset + pagination.limit >= pagination.totalRowCount) return rows;
  }
}

const sum = (rows: readonly Row[], name: string) =>
  Math.round(rows.reduce((total, row) => total + must(row[name]), 0) * 100) / 100;
const counted = ["impressions", "taps", "installs", "newDownloads", "redownloads", "spend"];
const sums = (rows: readonly Row[]) => counted.map((name) => sum(rows, name));

describe("reports", () => {
  test.each(["ACCOUNT", "APP", "CAMPAIGN", "AD_GROUP", "AD", "CPP", "SEARCH_TERM"])(
    "at the level %s sum up to the same as at that of keywords",
    async (reportLevel) => {
      await using api = await open();
      const [rows, keywords] = [await report(api, { reportLevel }), await report(api, { reportLevel: "KEYWORD" })];
      expect(keywords.length).toBeGreaterThan(50);
      expect(sum(rows, "spend")).toBeGreaterThan(0);
      expect(sums(rows)).toEqual(sums(keywords));
    },
  );

  test("by day add up to the one over all days, and to the one line of a summary", async () => {
    await using api = await open();
    const whole = await report(api, { reportLevel: "CAMPAIGN" });
    const daily = await report(api, { reportLevel: "CAMPAIGN", reportType: "DAILY" });
    expect(daily).toHaveLength(whole.length * 31);
    expect(sums(daily)).toEqual(sums(whole));
    const summary = await report(api, { reportLevel: "CAMPAIGN", reportType: "SUMMARY" });
    expect(summary).toHaveLength(1);
    expect(sums(summary)).toEqual(sums(whole));
  });

  test("report goals where goal and app are named; with re-attribution is without it and only it", async () => {
    await using api = await open();
    const goals = { reportLevel: "APP", goalId: 318_020, appId: Number(lumi.ios) };
    const count = async (more: object) => sum(await report(api, { ...goals, ...more }), "numberOfGoal");
    const [all, rest, only] = [
      await count({}),
      await count({ reAttrType: "WITHOUT" }),
      await count({ reAttrType: "ONLY" }),
    ];
    expect(all).toBeGreaterThan(0);
    expect(rest + only).toBe(all);
    expect(sum(await report(api, { reportLevel: "APP" }), "numberOfGoal")).toBe(0);
  });

  test("report money in the currency that is requested, and beside it in the organisation's own", async () => {
    await using api = await open();
    const [dollars, yen] = [
      await report(api, { reportLevel: "APP" }),
      await report(api, { reportLevel: "APP", currency: "JPY" }),
    ];
    expect(must(yen[0])["spend"]).toBeCloseTo(must(must(dollars[0])["spend"]) * 150, 0);
    expect(must(yen[0]).original).toEqual(must(dollars[0]).original);
    expect(must(dollars[0]).original["spend"]).toBe(must(dollars[0])["spend"]);
  });

  test("are restated while installs come in, and final after a week", async () => {
    await using api = await open({ today: "2026-08-02" as never });
    const rows = () => report(api, { reportLevel: "APP", startDate: "2026-07-20", endDate: "2026-08-01" });
    const first = await rows();
    api.sandbox.set({ today: "2026-08-09" as never });
    const second = await rows();
    api.sandbox.set({ today: "2026-08-16" as never });
    const third = await rows();
    expect(sum(second, "installs")).toBeGreaterThan(sum(first, "installs"));
    expect(sum(second, "spend")).toBe(sum(first, "spend"));
    expect(third).toEqual(second);
  });
});

test("without a connection all that search ads report is empty", async () => {
  await using api = await open({ connected: false });
  expect(await data(api, "/searchads/info/sa-integrations")).toEqual([[]]);
  for (const path of ["info/v2/mmp-integrations", "info/goals", "info/apps"])
    expect(await data(api, `/searchads/${path}`)).toEqual([]);
  expect(await data(api, `/searchads/bid-history-logs?orgId=${org}&startDate=2026-08-13&endDate=2026-08-19`)).toEqual(
    [],
  );
  expect(await report(api, { reportLevel: "CAMPAIGN" })).toEqual([]);
});

test("bids change within their days, the same change now and then twice", async () => {
  await using api = await open();
  type Log = { date: string; source: string; ruleName?: string };
  const logs = await data<Log[]>(
    api,
    `/searchads/bid-history-logs?orgId=${org}&startDate=2026-08-13&endDate=2026-08-19`,
  );
  expect(logs.every(({ date }) => date >= "2026-08-13" && date < "2026-08-20")).toBe(true);
  expect(logs.filter(({ source, ruleName }) => (source === "RULE") !== (ruleName !== undefined))).toEqual([]);
  expect(new Set(logs.map((log) => JSON.stringify(log))).size).toBeLessThan(logs.length);
});

test("who pays for a keyword is reported alike from both sides", async () => {
  await using api = await open();
  const range = "startDate=2026-08-01&endDate=2026-08-14";
  type Paid = { shares: { keyword: string; appShare: number }[] };
  const { shares } = await data<Paid>(api, `/searchads-stats/paid-keywords/${lumi.ios}/US?${range}`);
  expect(shares.length).toBeGreaterThan(3);
  for (const { keyword, appShare } of shares) {
    const path = `/searchads-stats/paying-apps/US?keyword=${encodeURIComponent(keyword)}&${range}`;
    const paying = await data<{ shares: { trackId: number; share: number }[] }>(api, path);
    expect(paying.shares.find(({ trackId }) => trackId === Number(lumi.ios))?.share).toBe(appShare);
  }
});

test("sales of all countries are the sum of the single ones", async () => {
  await using api = await open();
  type Point = { countryCode: string; date: string; units: number };
  const path = `/gateway/account/app/${lumi.ios}/data-history/DOWNLOAD?start=2026-08-01&end=2026-08-05`;
  const points = await data<Point[]>(api, path);
  const of = (all: boolean) =>
    points.filter(({ countryCode }) => (countryCode === "ALL") === all).reduce((total, { units }) => total + units, 0);
  expect(points).toHaveLength(5 * 7);
  expect(of(true)).toBe(of(false));
  const japan = await data<Point[]>(api, `${path}&countryCode=JP`);
  expect(japan).toEqual(points.filter(({ countryCode }) => countryCode === "JP"));
});

test("keywords that are added are tracked, those that are deleted are not, each once", async () => {
  await using api = await open();
  const path = `/gateway/account/app/${lumi.ios}/keywords/US`;
  const tracked = async () => {
    const list = await data<{ keyword: string }[]>(api, `/gateway/account/app/${lumi.ios}/keywords/rankings/US`);
    const counts = await data<Record<string, number>>(
      api,
      `/gateway/account/app/${lumi.ios}/keywords/count-by-country`,
    );
    expect(counts["US"]).toBe(list.length);
    return list.map(({ keyword }) => keyword);
  };
  const before = await tracked();
  const added = await data<Fields[]>(api, path, ["habit tracker", "brand new", "brand new"]);
  expect(added).toMatchObject([{ keyword: "brand new", createdAt: "2026-08-20T06:00:00.000" }]);
  expect(await tracked()).toEqual([...before, "brand new"]);
  const remove = { method: "DELETE", body: '["brand new","never tracked","habit tracker"]' } as const;
  expect((await api.ask(path, remove)).json).toMatchObject({
    data: [{ value: "brand new" }, { value: "habit tracker" }],
  });
  expect(await tracked()).toEqual(before.filter((keyword) => keyword !== "habit tracker"));
  await data(api, path, ["habit tracker"]);
  expect((await tracked()).toSorted()).toEqual(before.toSorted());
});

test("every distribution of advertisements is one of the same ones, and the pages hold them all", async () => {
  await using api = await open();
  const range = `trackId=${lumi.ios}&startDate=2026-07-21&endDate=2026-08-19`;
  type Creatives = { total: number; totalPages: number; data: { mediaId: number; countryCode: string[] }[] };
  const page = (index: number) =>
    data<Creatives>(api, `/ad-intelligence/get-creatives-by-track-id?${range}&page=${index}`);
  const first = await page(1);
  const all = [...first.data];
  for (let index = 2; index <= first.totalPages; index += 1) all.push(...(await page(index)).data);
  expect(first.data).toHaveLength(50);
  expect(new Set(all.map(({ mediaId }) => mediaId)).size).toBe(first.total);
  const countries = await data<{ code: string; percent: number }[]>(
    api,
    `/ad-intelligence/country_distribution?${range}`,
  );
  expect(countries.reduce((total, { percent }) => total + percent, 0)).toBeCloseTo(100, 0);
  for (const { code, percent } of countries)
    expect((all.filter(({ countryCode }) => countryCode.includes(code)).length / all.length) * 100).toBeCloseTo(
      percent,
      1,
    );
  expect(await data(api, `/ad-intelligence/check-badge?trackId=${lumi.ios}`)).toMatchObject({ appAdvertiser: true });
});
