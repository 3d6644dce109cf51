import { expect, test } from "vitest";
import { operations } from "../../src/api/operations/all.ts";
import { open } from "./open.ts";

type Call = {
  operationId: string;
  "x-credits": number;
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
};

async function described(storeWords = { ios: "apples", android: "robots" }) {
  await using api = await open({ storeWords });
  const reply = await api.ask("/openapi.json", { token: null });
  expect(reply.status).toBe(200);
  expect(api.sandbox.log()).toEqual([]);
  return (reply.json as { paths: Record<string, Record<string, Call>> }).paths;
}

test("the sandbox describes every operation, in the words of the deployment, for nothing and without a token", async () => {
  const paths = await described();
  const calls = Object.values(paths).flatMap((methods) => Object.values(methods));
  const reported = new Set(calls.flatMap(({ operationId }) => operationId.replace(/\.short$/, "").split("|")));
  expect(reported).toEqual(new Set(operations.map(({ id }) => id)));
  expect(Object.keys(paths).filter((path) => path.includes("iosstore") || path.includes("androidstore"))).toEqual([]);
});

test("each call has the parameters and the price of its operation", async () => {
  const paths = await described();
  const ranking = paths["/apples-keyword-ranking/{trackId}/{countryCode}/keywordrankings"]?.["get"];
  expect(ranking?.["x-credits"]).toBe(3);
  expect(ranking?.parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
    ["trackId", "path", true],
    ["countryCode", "path", true],
    ["keywords", "query", true],
    ["date", "query", false],
  ]);
  expect(ranking?.parameters[2]?.schema).toMatchObject({ type: "array", minItems: 1, maxItems: 100 });
});

test("a store in a path is one of the deployment's words, a day is a date", async () => {
  const paths = await described();
  const visibility = paths["/graph-data/{store}/app/visibility/{country}"]?.["get"];
  expect(visibility?.parameters[0]?.schema).toEqual({ type: "string", enum: ["apples", "robots"] });
  const top = paths["/robots-keyword-ranking/{trackId}/{countryCode}/top-keywords"]?.["get"];
  expect(top?.parameters.slice(2).map(({ name, schema }) => [name, schema])).toEqual([
    ["date", { type: "string", format: "date" }],
    ["limit", expect.objectContaining({ type: "integer", minimum: 1, default: 100 })],
  ]);
});

test("a parameter that may be left out of a path makes a path of its own", async () => {
  const paths = await described();
  const names = (path: string) => paths[path]?.["get"]?.parameters.map(({ name }) => name);
  expect(names("/robots-appinfo-v2/app/detailed/{trackId}/{langCode}")).toEqual(["trackId", "langCode"]);
  expect(names("/robots-appinfo-v2/app/detailed/{trackId}")).toEqual(["trackId"]);
});

test("operations on one call are alternatives of it", async () => {
  const reports = (await described())["/searchads/reports"]?.["post"];
  expect(reports?.operationId).toBe("search-ads.reports|search-ads.top-apps-report");
  expect(reports?.parameters).toMatchObject([{ name: "page", in: "query", required: false }]);
  const body = reports?.requestBody?.content["application/json"]?.schema as { anyOf: { required: string[] }[] };
  expect(body.anyOf.map(({ required }) => required.includes("keywordList"))).toEqual([false, true]);
});
