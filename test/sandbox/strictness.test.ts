import { describe, expect, test } from "vitest";
import { lumi, open, today, yesterday } from "./open.ts";

const ranking = `/iosstore-keyword-ranking/${lumi.ios}/US/keywordrankings`;
const history = `/iosstore-keyword-ranking/${lumi.ios}/US/notes/keywordrankings`;
const keywords = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`).join(",");

describe.each([
  ["an unknown parameter", `${ranking}?keywords=a&page=1`, 400],
  ["a repeated parameter", `${ranking}?keywords=a&keywords=b`, 400],
  ["a repeated token", `${ranking}?keywords=a&token=sandbox-token`, 400],
  ["a path parameter in the query", `${ranking}?keywords=a&trackId=1`, 400],
  ["a missing parameter", ranking, 400],
  ["an empty keyword", `${ranking}?keywords=a,,b`, 400],
  ["more keywords than a list may hold", `${ranking}?keywords=${keywords(101)}`, 400],
  ["a day that is none", `${ranking}?keywords=a&date=2026-02-30`, 400],
  ["a day to come", `${ranking}?keywords=a&date=2026-08-21`, 400],
  ["a country in lower case", `/iosstore-keyword-ranking/${lumi.ios}/us/keywordrankings?keywords=a`, 400],
  ["a country without a store", `/iosstore-keyword-ranking/${lumi.ios}/NZ/keywordrankings?keywords=a`, 400],
  ["a device that is none", `/iosstore-keyword-ranking/${lumi.ios}/US/WATCH/organic-keywords?date=${yesterday}`, 400],
  [
    "a limit that is no number",
    `/iosstore-keyword-ranking/${lumi.ios}/US/top-keywords?date=${yesterday}&limit=1e2`,
    400,
  ],
  ["an Android id on iOS", `/iosstore-keyword-ranking/${lumi.android}/US/keywordrankings?keywords=a`, 400],
  ["an app that the market does not have", "/iosstore-keyword-ranking/404/US/keywordrankings?keywords=a", 404],
  ["a range of 31 days", `${history}?startDate=2026-07-01&endDate=2026-07-31`, 400],
  ["a range that ends before it starts", `${history}?startDate=2026-07-02&endDate=2026-07-01`, 400],
  ["a path that is no route", "/iosstore-keyword-ranking/nothing/here", 404],
  ["a path with a slash too many", `${ranking}/?keywords=a`, 404],
])("%s", (_, path, status) => {
  test(`is refused with ${status} and charged nothing`, async () => {
    await using api = await open();
    const reply = await api.ask(path);
    expect(reply).toMatchObject({ status, headers: { "content-type": "application/json" } });
    expect(reply.headers).not.toHaveProperty("x-credit-cost");
    expect(Object.keys(reply.json as object)).toEqual(["timestamp", "path", "status", "error", "message", "requestId"]);
    expect(reply.json).toMatchObject({ timestamp: "2026-08-20T06:00:00.000Z", path: path.split("?")[0], status });
    expect(api.sandbox.account().remaining).toBe(100_000);
    expect(api.sandbox.log()).toMatchObject([{ status, charged: 0, reason: expect.any(String) }]);
  });
});

test.each([
  ["100 keywords", `${ranking}?keywords=${keywords(100)}`],
  ["a range of 30 days, both ends counted", `${history}?startDate=2026-07-01&endDate=2026-07-30`],
  ["today", `${ranking}?keywords=a&date=${today}`],
  ["a limit", `/iosstore-keyword-ranking/${lumi.ios}/US/top-keywords?date=${yesterday}&limit=5`],
])("%s is let through", async (_, path) => {
  await using api = await open();
  expect((await api.ask(path)).status).toBe(200);
});

test.each([
  ["missing", null],
  ["unknown", "nobody"],
] as const)("a %s token gets an empty 401 that names the cost all the same", async (kind, token) => {
  await using api = await open();
  const reply = await api.ask(`${ranking}?keywords=a`, { token });
  expect(reply).toMatchObject({ status: 401, text: "", headers: { "x-credit-cost": "3" } });
  expect(reply.headers).not.toHaveProperty("content-type");
  expect(reply.headers).not.toHaveProperty("x-credit-remaining");
  expect(api.sandbox.log()).toMatchObject([
    { operation: "ios.keyword-ranking", status: 401, charged: 0, remaining: 0, token: kind },
  ]);
});

test("the log never holds the token, wherever it is put", async () => {
  await using api = await open({ accounts: [{ token: "s3cret token", total: 100, periodHours: 24 }] });
  const token = "s3cret%20token";
  await api.ask(`${ranking}?keywords=${token}&${token}=${token}`, { token });
  await api.ask(`/${token}`, { token });
  await api.ask(`/iosstore-keyword-ranking/US/keyword-metadata?keyword=${token}`, { token });
  expect(api.sandbox.log().map((entry) => entry.token)).toEqual(["known", "known", "known"]);
  expect(JSON.stringify(api.sandbox.log())).not.toMatch(/s3cret/);
});

test("the log of a refusal says what was requested, as it came", async () => {
  await using api = await open();
  await api.ask(`${ranking}?keywords=a,b&date=x&date=y`);
  expect(api.sandbox.log()).toMatchObject([
    {
      operation: "ios.keyword-ranking",
      method: "GET",
      path: `/iosstore-keyword-ranking/${lumi.ios}/US/keywordrankings`,
      params: { trackId: lumi.ios, countryCode: "US", keywords: "a,b", date: ["x", "y"] },
      reason: "date is given more than once",
    },
  ]);
});
