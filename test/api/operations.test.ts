import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/api/define-operation.ts";
import { operationById, operations } from "../../src/api/operations/all.ts";

/**
 * The contract, read by hand: every operation that exists here. Parameters are `place name` with a `?` where the contract says
 * optional; `range` is `days inclusive|exclusive`; `list` is the most items of a comma-separated list.
 */
const contract: Readonly<
  Record<
    string,
    {
      call: string;
      cost: number;
      params: readonly string[];
      envelope: "bare" | "data";
      store?: "ios" | "android";
      range?: string;
      list?: number;
    }
  >
> = {
  "ios.keyword-ranking": {
    call: "GET /iosstore-keyword-ranking/{trackId}/{countryCode}/keywordrankings",
    cost: 3,
    params: ["path trackId", "path countryCode", "query keywords", "query date?"],
    list: 100,
    envelope: "bare",
    store: "ios",
  },
  "android.keyword-ranking": {
    call: "GET /androidstore-keyword-ranking/{trackId}/{countryCode}/keywordrankings",
    cost: 3,
    params: ["path trackId", "path countryCode", "query keywords", "query date?"],
    list: 100,
    envelope: "bare",
    store: "android",
  },
  "ios.keyword-history": {
    call: "GET /iosstore-keyword-ranking/{trackId}/{countryCode}/{keyword}/keywordrankings",
    cost: 10,
    params: ["path trackId", "path countryCode", "path keyword", "query startDate", "query endDate"],
    range: "30 inclusive",
    envelope: "bare",
    store: "ios",
  },
  "android.keyword-history": {
    call: "GET /androidstore-keyword-ranking/{trackId}/{countryCode}/{keyword}/keywordrankings",
    cost: 10,
    params: ["path trackId", "path countryCode", "path keyword", "query startDate", "query endDate"],
    range: "30 inclusive",
    envelope: "bare",
    store: "android",
  },
  "ios.top-keywords": {
    call: "GET /iosstore-keyword-ranking/{trackId}/{countryCode}/top-keywords",
    cost: 20,
    params: ["path trackId", "path countryCode", "query date", "query device?", "query limit?"],
    envelope: "bare",
    store: "ios",
  },
  "android.top-keywords": {
    call: "GET /androidstore-keyword-ranking/{trackId}/{countryCode}/top-keywords",
    cost: 20,
    params: ["path trackId", "path countryCode", "query date", "query limit?"],
    envelope: "bare",
    store: "android",
  },
  "ios.keyword-metadata": {
    call: "GET /iosstore-keyword-ranking/{countryCode}/keyword-metadata",
    cost: 5,
    params: ["path countryCode", "query keyword"],
    envelope: "bare",
    store: "ios",
  },
  "android.keyword-metadata": {
    call: "GET /androidstore-keyword-ranking/{countryCode}/keyword-metadata",
    cost: 5,
    params: ["path countryCode", "query keyword"],
    envelope: "bare",
    store: "android",
  },
  "ios.organic-keywords": {
    call: "GET /iosstore-keyword-ranking/{trackId}/{countryCode}/{device}/organic-keywords",
    cost: 50,
    params: ["path trackId", "path countryCode", "path device", "query date"],
    envelope: "bare",
    store: "ios",
  },
  "android.organic-keywords": {
    call: "GET /androidstore-keyword-ranking/{trackId}/{countryCode}/organic-keywords",
    cost: 50,
    params: ["path trackId", "path countryCode", "query date"],
    envelope: "bare",
    store: "android",
  },
  "dashboard.apps": { call: "GET /gateway/account/app/tracked", cost: 5, params: [], envelope: "data" },
  "dashboard.daily-keyword-rankings": {
    call: "GET /gateway/account/app/{trackId}/keywords/rankings/{countryCode}",
    cost: 50,
    params: ["path trackId", "path countryCode", "query device?", "query date?"],
    envelope: "data",
  },
  "dashboard.number-of-keywords": {
    call: "GET /gateway/account/app/{trackId}/keywords/count-by-country",
    cost: 1,
    params: ["path trackId"],
    envelope: "data",
  },
  // its cost is in the field notes only
  "account.remaining-credits": { call: "GET /api-key", cost: 0, params: [], envelope: "data" },
};

function written({ method, path, cost, params, range, envelope, store }: Operation): (typeof contract)[string] {
  const entries = Object.entries(params);
  const list = entries.map(([, { maxItems }]) => maxItems).find((most) => most !== undefined);
  return {
    call: `${method} ${path}`,
    cost,
    params: entries.map(([name, param]) => `${param.in} ${name}${param.required ? "" : "?"}`).sort(),
    envelope,
    ...(store === null ? {} : { store }),
    ...(range === null ? {} : { range: `${range.days} ${range.endInclusive ? "inclusive" : "exclusive"}` }),
    ...(list === undefined ? {} : { list }),
  };
}

test("the operations are those of the contract, no more and no fewer", () => {
  expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(contract).sort());
});

describe.each(Object.entries(contract))("%s", (id, entry) => {
  test("says what the contract says", () => {
    expect(written(operationById(id))).toEqual({ ...entry, params: entry.params.toSorted() });
  });
});

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  test("has a path parameter for each placeholder and a placeholder for each path parameter", () => {
    const places = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const named = Object.entries(operation.params).filter(([, param]) => param.in === "path");
    expect(places.toSorted()).toEqual(named.map(([name]) => name).toSorted());
  });

  test("spells its range with parameters of its own", () => {
    const { range, params } = operation;
    const ends = range === null ? [] : [range.start, range.end];
    expect(ends.filter((name) => params[name]?.in !== "query")).toEqual([]);
  });

  test("cannot be changed", () => {
    expect(Object.isFrozen(operation)).toBe(true);
  });

  test("says in words what it is for, and every parameter too", () => {
    const words = [operation.name, operation.summary, ...Object.values(operation.params).map(({ doc }) => doc)];
    expect(words.filter((text) => text.trim() === "")).toEqual([]);
  });
});

test("no two operations share an id, a name or a call", () => {
  for (const of of [
    ({ id }: Operation) => id,
    ({ name }: Operation) => name,
    ({ method, path }: Operation) => `${method} ${path}`,
  ])
    expect(new Set(operations.map(of)).size).toBe(operations.length);
});

test("an id that nobody has is a mistake of ours", () => {
  expect(() => operationById("ios.keyword-rankings")).toThrow("no operation has the id ios.keyword-rankings");
});
