import { expect, test } from "vitest";
import { z } from "zod";
import { dashboardApps } from "../../src/api/operations/dashboard.ts";
import { hasNextPage, pageParams } from "../../src/api/paging.ts";
import { invent } from "../support/api-invented.ts";

const pageOf = (count: number) => ({ data: Array.from({ length: count }, (_, index) => index) });
const paged = (first: 0 | 1) =>
  invent({
    paging: { param: "page", first, size: 50 },
    items: ["data"],
    answer: z.object({ data: z.array(z.int()) }),
  });

test("pages are counted from where the operation counts", () => {
  expect([0, 1, 2].map((index) => pageParams(paged(1), index))).toEqual([{ page: 1 }, { page: 2 }, { page: 3 }]);
  expect([0, 1, 2].map((index) => pageParams(paged(0), index))).toEqual([{ page: 0 }, { page: 1 }, { page: 2 }]);
  expect(pageParams(dashboardApps, 0)).toEqual({});
});

test("a full page may have a next one, a short or empty one has none, since asking would be charged", () => {
  expect([50, 51, 49, 0].map((count) => hasNextPage(paged(1), pageOf(count), 0))).toEqual([true, true, false, false]);
});

test("a page that came full stays full when items of it do not fit", () => {
  expect(hasNextPage(paged(1), pageOf(48), 0, 2)).toBe(true);
  expect(hasNextPage(paged(1), pageOf(48), 0, 1)).toBe(false);
});

test("an operation without pages has no next one, however long its list", () => {
  expect(hasNextPage(dashboardApps, pageOf(5000).data, 0)).toBe(false);
});

test("a list that is not there is no full page", () => {
  for (const value of [null, [], {}, { data: null }, { data: { data: [] } }, "data"])
    expect(hasNextPage(paged(1), value, 0)).toBe(false);
});

test("a service that answers full pages for ever is left after a thousand", () => {
  expect(hasNextPage(paged(1), pageOf(50), 998)).toBe(true);
  expect(hasNextPage(paged(1), pageOf(50), 999)).toBe(false);
});
