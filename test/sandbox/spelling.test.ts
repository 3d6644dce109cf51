import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encode, lumi, open } from "./open.ts";

const awkward = [
  "c++ & c#",
  "a/b",
  "50% off",
  "100%25",
  "%2F",
  "タスク",
  "..",
  ".",
  "a,b",
  "🧘",
  " x ",
  "a?b=c",
  "a;b",
  "*",
  ":p0",
  "keywordrankings",
  "x".repeat(300),
];
const range = "startDate=2026-08-10&endDate=2026-08-11";

describe.each(awkward)("the keyword %j", (keyword) => {
  test("arrives whole as a path segment", async () => {
    await using api = await open();
    const { status } = await api.ask(
      `/iosstore-keyword-ranking/${lumi.ios}/US/${encode(keyword)}/keywordrankings?${range}`,
    );
    expect({ status, log: api.sandbox.log() }).toMatchObject({
      status: 200,
      log: [{ operation: "ios.keyword-history", params: { keyword } }],
    });
  });

  test("arrives whole as a query value", async () => {
    await using api = await open();
    const { json } = await api.ask(`/iosstore-keyword-ranking/US/keyword-metadata?keyword=${encode(keyword)}`);
    expect(json).toMatchObject({ keyword });
  });
});

test("any well-formed keyword arrives whole, in a path and in a query", async () => {
  await using api = await open();
  const keywords = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((text) => text.isWellFormed() && !text.includes("\0"));
  await fc.assert(
    fc.asyncProperty(keywords, async (keyword) => {
      api.sandbox.clearLog();
      await api.ask(`/iosstore-keyword-ranking/${lumi.ios}/US/${encode(keyword)}/keywordrankings?${range}`);
      await api.ask(`/iosstore-keyword-ranking/US/keyword-metadata?keyword=${encode(keyword)}`);
      expect(api.sandbox.log().map(({ status, params }) => [status, params["keyword"]])).toEqual([
        [200, keyword],
        [200, keyword],
      ]);
    }),
  );
});

test("a plus in a query is a space, an encoded one a plus", async () => {
  await using api = await open();
  await api.ask("/iosstore-keyword-ranking/US/keyword-metadata?keyword=a+b%2Bc");
  expect(api.sandbox.log()[0]?.params).toMatchObject({ keyword: "a b+c" });
});

test("a list is decoded before it is split, so an encoded comma parts two keywords", async () => {
  await using api = await open();
  await api.ask(`/iosstore-keyword-ranking/${lumi.ios}/US/keywordrankings?keywords=to-do%2C%20list,b`);
  expect(api.sandbox.log()[0]?.params).toMatchObject({ keywords: ["to-do", " list", "b"] });
});

test("a plain dot segment is a way through the tree, not a keyword", async () => {
  await using api = await open();
  const reply = await api.ask(`/iosstore-keyword-ranking/${lumi.ios}/US/../keywordrankings?${range}`);
  expect(reply.status).toBe(404);
});

test("the store words of a deployment are in the path template only", async () => {
  await using api = await open({ storeWords: { ios: "apples", android: "robots" } });
  const path = (prefix: string) => `/${prefix}-keyword-ranking/US/keyword-metadata?keyword=iosstore`;
  expect(await api.ask(path("apples"))).toMatchObject({ status: 200, json: { keyword: "iosstore" } });
  expect(await api.ask(path("robots"))).toMatchObject({ status: 200 });
  expect(await api.ask(path("iosstore"))).toMatchObject({ status: 404 });
});

test("values that are no percent-encoded UTF-8 are refused", async () => {
  await using api = await open();
  expect((await api.ask("/iosstore-keyword-ranking/US/keyword-metadata?keyword=%ff")).status).toBe(400);
  expect((await api.ask(`/iosstore-keyword-ranking/${lumi.ios}/US/%ZZ/keywordrankings?${range}`)).status).toBe(400);
});
