import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Operation, Param } from "../../src/api/define-operation.ts";
import { operationById, operations } from "../../src/api/operations/all.ts";
import { contract, type Reported } from "../support/api-contract.ts";

/** An operation in the words of the hand-typed contract. */
function written({ id, method, path, cost, params, range, envelope, paging }: Operation): Reported {
  const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{${name}${more(params[name])}}`);
  return {
    id,
    cost,
    call: `${method} ${inPath}`,
    params: Object.entries(params)
      .filter(([, param]) => param.in !== "path")
      .map(([name, param]) => {
        const text = `${name}${listOf(param)}${more(param)}`;
        return param.in === "body" ? `{${text}}` : text;
      })
      .sort(),
    range: range === null ? "" : `${lengthOf(range)} ${endOf(range.endInclusive)}`,
    envelope,
    pages: paging === null ? "" : pagesOf(paging),
  };
}

function more(param: Param | undefined): string {
  if (param === undefined || param.required) return "";
  return param.default === undefined ? "?" : `?=${param.default}`;
}

function listOf({ schema, maxItems }: Param): string {
  const bare = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  return bare instanceof z.ZodArray ? `[${maxItems ?? ""}]` : "";
}

function lengthOf({ days, months }: NonNullable<Operation["range"]>): string {
  return months === undefined ? `${days ?? "any"} days` : `${months} months`;
}

function endOf(inclusive: boolean | null): string {
  return inclusive === null ? "open" : inclusive ? "incl" : "excl";
}

function pagesOf({ first, size, total }: NonNullable<Operation["paging"]>): string {
  if (total === undefined) return `from ${first} by ${size}`;
  return "rows" in total ? `from ${first} by rows` : `from ${first} by ${size} of ${total.pages}`;
}

test("the operations are those of the contract, no more and no fewer", () => {
  expect(
    contract.map(({ id }) => id).toSorted(),
    "test/support/api-contract.ts has a line for each operation of src/api/operations: call and price, as the API describes them",
  ).toEqual(operations.map(({ id }) => id).toSorted());
});

describe.each(contract.map((reported) => [reported.id, reported] as const))("%s", (id, reported) => {
  test("says what the contract says", () => {
    expect(written(operationById(id))).toEqual(reported);
  });
});

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  test("has a path parameter for each placeholder and a placeholder for each path parameter", () => {
    const places = [...operation.path.matchAll(/\/\{(\w+)\}(?=\/|$)/g)].map(([, name]) => name);
    const named = Object.entries(operation.params).filter(([, param]) => param.in === "path");
    expect(places.toSorted()).toEqual(named.map(([name]) => name).toSorted());
    const open = named.filter(([, param]) => !param.required).map(([name]) => name);
    expect(open.filter((name) => !operation.path.endsWith(`{${name}}`))).toEqual([]);
  });

  test("spells its range and its pages with parameters of its own", () => {
    const { range, paging, params } = operation;
    const named = [range?.start, range?.end, paging?.param, paging?.sizeParam].filter((name) => name !== undefined);
    expect(named.filter((name) => params[name] === undefined)).toEqual([]);
  });

  test("belongs to the store that its id and its path name", () => {
    const [group] = operation.id.split(".");
    const stores = [...operation.path.matchAll(/(ios|android)store/g)].map(([, store]) => store);
    const excused = operation.id === "android.reviews-v2";
    expect(operation.store).toBe(group === "ios" || group === "android" ? group : null);
    expect(stores.filter((store) => store !== operation.store && !excused)).toEqual([]);
  });

  test("takes for a default only what fits", () => {
    const odd = Object.values(operation.params).filter(
      (param) => param.default !== undefined && !param.schema.safeParse(param.default).success,
    );
    expect(odd).toEqual([]);
  });

  test("says how long a limited list may be in its schema too", () => {
    for (const { schema, maxItems } of Object.values(operation.params)) {
      if (maxItems === undefined) continue;
      const { maxItems: most } = z.toJSONSchema(schema) as { maxItems?: number };
      expect(most).toBe(maxItems);
    }
  });

  test("cannot be changed", () => {
    expect(Object.isFrozen(operation)).toBe(true);
  });

  test("says in words what it is for, and every parameter too", () => {
    const words = [operation.name, operation.summary, ...Object.values(operation.params).map(({ doc }) => doc)];
    expect(words.filter((text) => text.trim() === "")).toEqual([]);
  });
});

test("no two operations share an id or a name", () => {
  for (const word of [({ id }: Operation) => id, ({ name }: Operation) => name])
    expect(new Set(operations.map(word)).size).toBe(operations.length);
});

test("two operations on one call are distinguished by the store or by the type of the report", () => {
  const calls = Map.groupBy(operations, ({ method, path, store }) => `${method} ${path} ${store}`);
  const shared = [...calls.values()].filter((group) => group.length > 1);
  expect(shared.map((group) => group.map(({ id }) => id))).toEqual([
    ["search-ads.reports", "search-ads.top-apps-report"],
  ]);
  const types = ["search-ads.reports", "search-ads.top-apps-report"].map(
    (id) => operationById(id).params["reportType"]?.schema,
  );
  for (const type of ["REPORT", "DAILY", "SUMMARY", "TOP_APPS"])
    expect(types.filter((schema) => schema?.safeParse(type).success)).toHaveLength(1);
});

test("an id that nobody has is a mistake of ours", () => {
  expect(() => operationById("ios.keyword-rankings")).toThrow("no operation has the id ios.keyword-rankings");
});
