import { describe, expect, test } from "vitest";
import { operations } from "../../src/api/operations/all.ts";
import { addressOf, lumi, open, sampleParams, yesterday } from "./open.ts";
import { forTests } from "../support/for-tests.ts";

const report = { reportType: "REPORT", reportLevel: "APP", startDate: "2026-08-01", endDate: "2026-08-19" };
const post = (body: unknown) => ({ method: "POST", body: JSON.stringify(body) }) as const;

/** For requests of which none changes what the next answers. */
const plain = forTests(open);

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  const { path, ...body } = addressOf(operation, sampleParams(operation, yesterday));

  test("refuses a parameter of another name", async () => {
    plain.clock.move(1000);
    plain.sandbox.clearLog();
    const odd = `${path}${path.includes("?") ? "&" : "?"}oddly=named`;
    expect((await plain.ask(odd, { method: operation.method, ...body })).status).toBe(400);
    expect(plain.sandbox.log()).toMatchObject([{ charged: 0, reason: expect.stringContaining("oddly") as string }]);
  });
});

const needing = operations.map((operation) => {
  const params = Object.entries(operation.params).filter(([, param]) => param.required && param.in !== "path");
  return [operation.id, operation, params.map(([name]) => name)] as const;
});

test.each(needing.filter(([, , names]) => names.length > 0))(
  "%s refuses to go without what it needs",
  async (_, operation, names) => {
    for (const name of names) {
      plain.clock.move(1000);
      const { [name]: _left, ...rest } = sampleParams(operation, yesterday);
      const { path, ...body } = addressOf(operation, rest);
      const reply = await plain.ask(path, { method: operation.method, ...body });
      expect({ name, status: reply.status }).toEqual({ name, status: 400 });
    }
  },
);

test.each([
  ["a field that reports do not have", "/searchads/reports", post({ ...report, country: "US" })],
  ["a page in the body", "/searchads/reports", post({ ...report, page: 0 })],
  [
    "a report of two organisations at a level of one",
    "/searchads/reports",
    post({ ...report, reportLevel: "KEYWORD", orgIds: [1, 2] }),
  ],
  ["a report of no organisation at a level of one", "/searchads/reports", post({ ...report, reportLevel: "AD" })],
  [
    "a report of more than a month",
    "/searchads/reports",
    post({ ...report, startDate: "2026-02-01", endDate: "2026-03-01" }),
  ],
  ["a chart of v2 in a category", `/iosstore-category-v2/topcharts/v2/6007/US/FREE/IPHONE?date=${yesterday}`, {}],
  ["a category that Android does not have", `/androidstore-category/topcharts/NOTHING/US/FREE?date=${yesterday}`, {}],
  ["a language in lower case", `/androidstore-appinfo-v2/app/detailed/${lumi.android}/en`, {}],
  [
    "eleven apps in short information",
    `/iosstore-appinfo-v2/app/simple/US?trackIds=${Array.from({ length: 11 }, (_, index) => index + 1).join(",")}`,
    {},
  ],
  ["six stars", `/iosstore-app-reviews/${lumi.ios}/2026-08-01/2026-08-19?rating=5,6`, {}],
  ["a page of 101 reviews", `/iosstore-app-reviews/v2/${lumi.ios}/2026-08-01/2026-08-19?size=101`, {}],
  ["words of 31 days", `/iosstore-app-reviews/word-analysis/${lumi.ios}/2026-07-01/2026-07-31`, {}],
  ["bids of eight days", "/searchads/bid-history-logs?orgId=1&startDate=2026-08-01&endDate=2026-08-08", {}],
  [
    "fifteen days of paid keywords",
    `/searchads-stats/paid-keywords/${lumi.ios}/US?startDate=2026-08-01&endDate=2026-08-15`,
    {},
  ],
  ["a first page that is 0 where pages count from 1", "/ad-intelligence/top-advertisers?page=0", {}],
  ["a keyword of 255 characters", `/gateway/account/app/${lumi.ios}/keywords/US`, post(["x".repeat(255)])],
  ["a body where there is none", `/iosstore-appinfo-v2/app/discover/${lumi.ios}`, post({})],
  ["a hidden field of an Android app", `/gateway/account/app/${lumi.android}/keyword-spots/US`, {}],
])("%s is refused and charged nothing", async (_, path, options) => {
  await using api = await open();
  expect((await api.ask(path, options)).status).toBe(400);
  expect(api.sandbox.account().remaining).toBe(100_000);
});

test.each([
  [
    "a month, its last day counted in",
    "/searchads/reports",
    post({ ...report, startDate: "2026-02-01", endDate: "2026-02-28" }),
  ],
  ["organisations that are null", "/searchads/reports", post({ ...report, orgIds: null })],
  ["seven days of bids", "/searchads/bid-history-logs?orgId=1&startDate=2026-08-01&endDate=2026-08-07", {}],
  ["one star for a list", `/iosstore-app-reviews/${lumi.ios}/2026-08-01/2026-08-19?rating=5`, {}],
  [
    "an exclusive end that is tomorrow",
    `/iosstore-appinfo-v2/versions/${lumi.ios}/US?startDate=2026-08-01&endDate=2026-08-21`,
    {},
  ],
])("%s is let through", async (_, path, options) => {
  await using api = await open();
  expect((await api.ask(path, options)).status).toBe(200);
});

test("the type of a report distinguishes its two operations", async () => {
  await using api = await open();
  const keyword = { keyword: "notes", keywordId: 1, appId: 1, orgId: 1, country: "US" };
  const top = { ...report, reportType: "TOP_APPS", reportLevel: "KEYWORD", keywordList: [keyword] };
  await api.ask("/searchads/reports?page=0", post(report));
  await api.ask("/searchads/reports", post(top));
  await api.ask("/searchads/reports?page=0", post(top));
  expect(api.sandbox.log().map(({ operation, status }) => [operation, status])).toEqual([
    ["search-ads.reports", 200],
    ["search-ads.top-apps-report", 200],
    ["search-ads.reports", 400],
  ]);
});

test("the id of the app distinguishes whose reviews are requested", async () => {
  await using api = await open();
  for (const trackId of [lumi.ios, lumi.android])
    await api.ask(`/iosstore-app-reviews/v2/${trackId}/2026-08-01/2026-08-19`);
  expect(api.sandbox.log().map(({ operation }) => operation)).toEqual(["ios.reviews-v2", "android.reviews-v2"]);
});

test("a store in a path is named in the deployment's own word, and only in that", async () => {
  await using api = await open({ storeWords: { ios: "apples", android: "robots" } });
  const status = async (store: string) =>
    (await api.ask(`/graph-data/${store}/app/visibility/US?trackIds=${lumi.ios}`)).status;
  expect([await status("apples"), await status("robots"), await status("iosstore"), await status("ios")]).toEqual([
    200, 200, 400, 400,
  ]);
  expect(api.sandbox.log()[0]?.params).toMatchObject({ store: "ios" });
});

test("a list without items is a 404 where the sandbox is set so, and a list with items is not", async () => {
  await using api = await open({ noData: "404" });
  const reviews = (trackId: string) => api.ask(`/iosstore-app-reviews/${trackId}/2026-08-01/2026-08-19`);
  expect([(await reviews("123456789")).status, (await reviews(lumi.ios)).status]).toEqual([404, 200]);
  expect(api.sandbox.log().map(({ charged }) => charged)).toEqual([0, 5]);
});

test("a range too long is cut in silence where the sandbox is set so", async () => {
  await using api = await open({ longRange: "cut" });
  const path = `/market-estimations/iosstore/estimation/download-revenue?trackId=${lumi.ios}&country=US`;
  const { json } = await api.ask(`${path}&startDate=2026-06-01&endDate=2026-07-31`);
  const dates = (json as { date: string }[]).map(({ date }) => date);
  expect([dates.length, dates[0], dates.at(-1)]).toEqual([30, "2026-06-01", "2026-06-30"]);
});
