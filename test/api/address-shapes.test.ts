import { describe, expect, test } from "vitest";
import { addressOf } from "../../src/api/address.ts";
import { operationById, operations } from "../../src/api/operations/all.ts";
import { json, openClient, queryOf, segmentsOf, serve, token } from "../support/api-server.ts";

const words = { ios: "iosstore", android: "androidstore" };
const own = { ios: "apples", android: "robots" };
const lumi = { ios: "6446318020", android: "app.lumi.habit" };
const call = (id: string, params: Record<string, unknown>, of = words) => addressOf(operationById(id), params, of);
const refused = (context: object) =>
  expect.objectContaining({ code: "bad_request", context: expect.objectContaining(context) as object });

describe("a last path parameter that may be left out", () => {
  test("takes its slash with it", () => {
    expect(call("ios.app-detail", { trackId: lumi.ios }).path).toBe(`/iosstore-appinfo-v2/app/detailed/${lumi.ios}`);
    expect(call("android.app-detail", { trackId: lumi.android, langCode: "PT_BR" }).path).toBe(
      `/androidstore-appinfo-v2/app/detailed/${lumi.android}/PT_BR`,
    );
  });

  test("is checked where it is given", () => {
    expect(() => call("android.app-detail", { trackId: lumi.android, langCode: "en" })).toThrow(
      refused({ parameter: "langCode" }),
    );
  });
});

describe("a store that is a value", () => {
  const scores = (store: string, of = words) =>
    segmentsOf(call("market.visibility-score", { store, country: "US", trackIds: [lumi.ios] }, of).path)[1];

  test("travels in the deployment's word", () => {
    expect([scores("ios"), scores("android")]).toEqual(["iosstore", "androidstore"]);
    expect([scores("ios", own), scores("android", own)]).toEqual(["apples", "robots"]);
  });

  test("is none of the neutral words, which only paths have", () => {
    expect(() => scores("iosstore")).toThrow(refused({ parameter: "store" }));
  });

  test("is distinguished from a value that only resembles one", () => {
    const path = call("market.app-match", { store: "ios", trackId: lumi.ios }, own).path;
    expect(segmentsOf(path)).toEqual(["app-match", "app", "ios"]);
  });
});

test("Android reviews in pages are requested under the word for iOS, with names that iOS has", () => {
  const params = { trackId: lumi.android, startDate: "2026-08-01", endDate: "2026-08-02", countries: ["en", "pt_BR"] };
  const { path } = call("android.reviews-v2", { ...params, repliedReview: false, page: 0, size: 100 }, own);
  expect(segmentsOf(path)).toEqual(["apples-app-reviews", "v2", lumi.android, "2026-08-01", "2026-08-02"]);
  expect(queryOf(path)).toEqual({ countries: ["en,pt_BR"], repliedReview: ["false"], page: ["0"], size: ["100"] });
});

describe("a body", () => {
  const report = {
    reportType: "REPORT",
    reportLevel: "CAMPAIGN",
    startDate: "2026-08-01",
    endDate: "2026-08-31",
    orgIds: [7],
  };
  const reports = (params: object) => call("search-ads.reports", { ...report, ...params });

  test("holds its fields only, the page stays in the query", () => {
    const { path, body } = reports({ page: 2, reAttrType: "ONLY" });
    expect(queryOf(path)).toEqual({ page: ["2"] });
    expect(JSON.parse(body ?? "")).toEqual({ ...report, reAttrType: "ONLY" });
  });

  test("may hold null where the contract says so", () => {
    expect(JSON.parse(reports({ reportLevel: "APP", orgIds: null }).body ?? "")).toMatchObject({ orgIds: null });
  });

  test("is a list of texts beside a query, commas and all", () => {
    const { method, path, body } = call("ios.visibility-history", { countries: ["US", "DE"], body: [lumi.ios] });
    expect({ method, query: queryOf(path), body }).toEqual({
      method: "POST",
      query: { countries: ["US,DE"] },
      body: `["${lumi.ios}"]`,
    });
    const add = { trackId: lumi.ios, countryCode: "US", body: ["a,b", "タスク"] };
    expect(call("dashboard.add-keywords", add).body).toBe('["a,b","タスク"]');
  });

  test.each([
    ["one organisation, where two are required", { orgIds: [7, 8] }],
    ["an organisation, where none is named", { orgIds: null }],
    ["a level that knows campaigns", { reportLevel: "CPP", campaignIds: [1] }],
    ["a level below campaigns", { adGroupIds: [1] }],
  ])("needs %s", (_, params) => {
    expect(() => reports(params)).toThrow(refused({ operation: "search-ads.reports" }));
  });

  test("may name several organisations at the levels above", () => {
    expect(() => reports({ reportLevel: "ACCOUNT", orgIds: [7, 8] })).not.toThrow();
  });

  test.each([
    ["201 keywords", Array.from({ length: 201 }, (_, index) => `keyword ${index}`)],
    ["a keyword of 255 characters", ["x".repeat(255)]],
    ["no keyword", []],
  ])("of keywords to add is refused with %s", (_, body) => {
    expect(() => call("dashboard.add-keywords", { trackId: lumi.ios, countryCode: "US", body })).toThrow(
      refused({ parameter: "body" }),
    );
  });

  test("of keywords to add takes 200, and 254 characters", () => {
    const body = Array.from({ length: 200 }, (_, index) => `${index}`.padEnd(254, "x"));
    expect(() => call("dashboard.add-keywords", { trackId: lumi.ios, countryCode: "US", body })).not.toThrow();
  });
});

test("charts of version v2 are those of the overall category", () => {
  const chart = { countryCode: "US", rankingType: "FREE", targetDevice: "IPHONE", date: "2026-08-01" };
  expect(call("ios.top-charts", { ...chart, version: "v2", categoryId: 36 }).path).toContain("/topcharts/v2/36/US/");
  expect(() => call("ios.top-charts", { ...chart, version: "v2", categoryId: 6007 })).toThrow(refused({}));
  expect(() => call("ios.top-charts", { ...chart, version: "v1", categoryId: 6007 })).not.toThrow();
});

test("ten apps go into one call of App Simple, one more does not", () => {
  const trackIds = Array.from({ length: 11 }, (_, index) => String(1000 + index));
  expect(() => call("ios.app-simple", { countryCode: "US", trackIds: trackIds.slice(1) })).not.toThrow();
  expect(() => call("ios.app-simple", { countryCode: "US", trackIds })).toThrow(refused({ parameter: "trackIds" }));
});

test("a DELETE and a POST carry their bodies and their token, a POST without a body carries none", async () => {
  const bodies: string[] = [];
  await using server = await serve((response, request) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      bodies.push(`${request.method} ${request.headers["content-type"] ?? "no type"} ${text}`);
      json(response);
    });
  });
  await using client = openClient(server.origin);
  const keywords = { trackId: lumi.ios, countryCode: "US", body: ["yoga"] };
  await client.send(operationById("dashboard.delete-keywords"), keywords);
  await client.send(operationById("dashboard.add-keywords"), keywords);
  await client.send(operationById("ios.app-discovery"), { trackId: lumi.ios });
  expect(bodies).toEqual(['DELETE application/json ["yoga"]', 'POST application/json ["yoga"]', "POST no type "]);
  expect(server.received.map(({ url }) => queryOf(url)["token"])).toEqual([[token], [token], [token]]);
});

test("no operation has a parameter for the token: the client adds it to every query", () => {
  expect(operations.filter(({ params }) => Object.hasOwn(params, "token"))).toEqual([]);
});
