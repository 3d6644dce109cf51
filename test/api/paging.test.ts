import { describe, expect, test } from "vitest";
import { z } from "zod";
import { addressOf } from "../../src/api/address.ts";
import { inBody, type Operation } from "../../src/api/define-operation.ts";
import { operationById } from "../../src/api/operations/all.ts";
import { dashboardApps } from "../../src/api/operations/dashboard.ts";
import { cursorAfter, lacksItems, pageParams, pagesReported as pagesWith } from "../../src/api/paging.ts";
import { invent } from "../support/api-invented.ts";

/** The pages worth requesting after one without invalid items. */
function pagesReported(operation: Operation, value: unknown, index: number): number {
  return pagesWith(operation, value, index, 0);
}

function hasNextPage(operation: Operation, value: unknown, index: number, invalid = 0): boolean {
  return pagesWith(operation, value, index, invalid) > index + 1;
}

const pageOf = (count: number) => ({ data: Array.from({ length: count }, (_, index) => index) });
const paged = (first: 0 | 1) =>
  invent({
    paging: { param: "page", first, size: 50 },
    items: ["data"],
    answer: z.object({ data: z.array(z.int()) }),
  });

test("pages of which none says with which row it begins are requested by their number", () => {
  expect(
    [0, 1, 2].map((count) =>
      cursorAfter(
        paged(0),
        Array.from({ length: count }, () => pageOf(50)),
      ),
    ),
  ).toEqual([0, 1, 2]);
});

test("pages are counted from where the operation counts", () => {
  expect([0, 1, 2].map((index) => pageParams(paged(1), index))).toEqual([{ page: 1 }, { page: 2 }, { page: 3 }]);
  expect([0, 1, 2].map((index) => pageParams(paged(0), index))).toEqual([{ page: 0 }, { page: 1 }, { page: 2 }]);
  expect(pageParams(dashboardApps, 0)).toEqual({});
});

test("a full page may have a next one, a short or empty one has none, since requesting it would be charged", () => {
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

describe("an answer that reports how many pages there are", () => {
  const reviews = operationById("ios.reviews-v2");
  const page = (count: number, more: object = {}) => ({ content: Array.from({ length: count }), ...more });

  test("is at its end with the last of them, however full that is", () => {
    expect(hasNextPage(reviews, page(100, { totalPages: 2, pageSize: 100 }), 0)).toBe(true);
    expect(hasNextPage(reviews, page(100, { totalPages: 2, pageSize: 100 }), 1)).toBe(false);
  });

  test("has a next one after a page that is not full", () => {
    expect(hasNextPage(reviews, page(7, { totalPages: 2, pageSize: 100 }), 0)).toBe(true);
  });

  test("is at its end with an empty page, however many pages it reports", () => {
    expect(hasNextPage(reviews, page(0, { totalPages: 9 }), 0)).toBe(false);
  });

  test("is read by the fullness of its pages where it reports no number, in the requested size", () => {
    expect(hasNextPage(reviews, page(20), 0)).toBe(true);
    expect(hasNextPage(reviews, page(20, { pageSize: 100 }), 0)).toBe(false);
    expect(hasNextPage(reviews, page(20, { totalPages: "2" }), 5)).toBe(true);
  });

  test("reports the number of all pages with its first, and a number that is too small is corrected by the page that is there", () => {
    expect(pagesReported(reviews, page(100, { totalPages: 12 }), 0)).toBe(12);
    expect(pagesReported(reviews, page(7, { totalPages: 1 }), 3)).toBe(4);
    expect(pagesReported(reviews, page(100, { totalPages: 100_000 }), 0)).toBe(100_000);
    expect([0, 1].map((index) => pagesReported(paged(0), pageOf(50), index))).toEqual([2, 3]);
  });

  test("goes on beyond that number as long as full pages hold fewer items than it reports", () => {
    const reported = { totalPages: 1, totalElements: 250, pageSize: 100 };
    expect([0, 1].map((index) => pagesReported(reviews, page(100, reported), index))).toEqual([3, 3]);
    expect(pagesReported(reviews, page(50, reported), 2)).toBe(3);
    expect(pagesReported(reviews, page(100, { ...reported, totalElements: 100 }), 0)).toBe(1);
  });

  test("is read by the fullness of its pages where its totals are smaller than what has arrived", () => {
    const none = { totalPages: 0, totalElements: 0, pageSize: 100 };
    expect([0, 1].map((index) => pagesReported(reviews, page(100, none), index))).toEqual([2, 3]);
    expect(pagesReported(reviews, page(99, none), 1)).toBe(2);
    expect(pagesReported(reviews, page(100, { ...none, totalPages: 1, totalElements: 100 }), 1)).toBe(3);
    // one of the two totals can be true
    expect(pagesReported(reviews, page(100, { ...none, totalPages: 3 }), 0)).toBe(3);
    expect(pagesReported(reviews, page(100, { ...none, totalElements: 300 }), 2)).toBe(3);
  });

  test("lacks items on an empty page that it counts, but for a first and only one", () => {
    const empty = (totalPages: number | undefined, index: number) =>
      lacksItems(reviews, page(0, { totalPages }), index);
    expect([empty(0, 0), empty(1, 0), empty(2, 0)]).toEqual([false, false, true]);
    expect([empty(1, 1), empty(2, 1), empty(2, 2), empty(3, 2)]).toEqual([false, true, false, true]);
    expect([empty(undefined, 0), empty(undefined, 1)]).toEqual([false, false]);
    expect(lacksItems(reviews, page(1, { totalPages: 2 }), 1)).toBe(false);
  });

  test("is counted from 1 where its pages are", () => {
    const creatives = operationById("ad-intelligence.creatives");
    const full = { data: Array.from({ length: 50 }), totalPages: 2 };
    expect(pageParams(creatives, 1)).toEqual({ page: 2 });
    expect([0, 1].map((index) => hasNextPage(creatives, full, index))).toEqual([true, false]);
  });
});

describe("an answer that counts its rows", () => {
  const reports = operationById("search-ads.reports");
  const part = (pagination: object, rows = 1) => ({ pagination, tableData: Array.from({ length: rows }) });

  test("goes on until offset and limit reach the total", () => {
    expect(hasNextPage(reports, [part({ totalRowCount: 5, limit: 2, offset: 0 })], 0)).toBe(true);
    expect(hasNextPage(reports, [part({ totalRowCount: 5, limit: 2, offset: 2 })], 1)).toBe(true);
    expect(hasNextPage(reports, [part({ totalRowCount: 4, limit: 2, offset: 2 })], 1)).toBe(false);
    expect(hasNextPage(reports, [part({ totalRowCount: 5, limit: 2, offset: 4 })], 2)).toBe(false);
  });

  test("reports how many pages its rows make", () => {
    expect(pagesReported(reports, [part({ totalRowCount: 5, limit: 2, offset: 0 })], 0)).toBe(3);
    expect(pagesReported(reports, [part({ totalRowCount: 4, limit: 2, offset: 0 })], 0)).toBe(2);
    expect(pagesReported(reports, [part({ totalRowCount: 5, limit: 2, offset: 2 })], 1)).toBe(3);
    expect(pagesReported(reports, [part({ totalRowCount: 3, limit: 1, offset: 0 })], 0)).toBe(3);
    // a limit of none says nothing of how many pages are left
    expect(pagesReported(reports, [part({ totalRowCount: 3, limit: 0, offset: 1 })], 1)).toBe(3);
  });

  test("goes on as long as one of its reports does", () => {
    const [over, open] = [
      { totalRowCount: 1, limit: 2, offset: 0 },
      { totalRowCount: 3, limit: 2, offset: 0 },
    ];
    expect(hasNextPage(reports, [part(over), part(open)], 0)).toBe(true);
    expect(hasNextPage(reports, [part(over), part(over)], 0)).toBe(false);
  });

  test("is not ended by reports that ended on an earlier page", () => {
    const over = Array.from({ length: 10 }, () => part({ totalRowCount: 1, limit: 20, offset: 20 }, 0));
    expect(pagesReported(reports, [part({ totalRowCount: 100, limit: 20, offset: 20 }, 20), ...over], 1)).toBe(5);
    const last = part({ totalRowCount: 2000, limit: 1000, offset: 1000 }, 1000);
    expect(pagesReported(reports, [last, part({ totalRowCount: 3, limit: 1000, offset: 1000 }, 0)], 1)).toBe(2);
  });

  test("is not continued by a report without rows, also if it names no limit", () => {
    const none = part({ totalRowCount: 0, limit: 0, offset: 0 }, 0);
    expect(hasNextPage(reports, [part({ totalRowCount: 1, limit: 2, offset: 0 }), none], 0)).toBe(false);
  });

  test("is read by the fullness of its pages where one of its counts lacks a number", () => {
    for (const lacking of [
      { totalRowCount: 5, limit: 2 },
      { totalRowCount: 5, offset: 0 },
      { limit: 2, offset: 0 },
    ]) {
      expect(hasNextPage(reports, [part(lacking, 1000)], 0)).toBe(true);
      expect(hasNextPage(reports, [part(lacking), part({ totalRowCount: 5, limit: 2, offset: 0 })], 0)).toBe(false);
    }
  });

  test("is read by the fullness of its pages where its count is smaller than what has arrived", () => {
    const none = { totalRowCount: 0, limit: 1000, offset: 0 };
    expect(hasNextPage(reports, [part(none, 1000)], 0)).toBe(true);
    expect(hasNextPage(reports, [part(none, 999)], 0)).toBe(false);
    expect(hasNextPage(reports, [part({ ...none, totalRowCount: 1500, offset: 1000 }, 1000)], 1)).toBe(true);
    expect(hasNextPage(reports, [part({ ...none, totalRowCount: 2000, offset: 1000 }, 1000)], 1)).toBe(false);
  });

  test("lacks items on an empty page after the first that its counts say are there", () => {
    const empty = (pagination: object, index: number) => lacksItems(reports, [part(pagination, 0)], index);
    expect(empty({ totalRowCount: 5, limit: 2, offset: 2 }, 1)).toBe(true);
    expect(empty({ totalRowCount: 5, limit: 2, offset: 0 }, 0)).toBe(false);
    expect(empty({ totalRowCount: 5, limit: 2 }, 1)).toBe(false);
    expect(empty({ limit: 2, offset: 0 }, 1)).toBe(false);
    expect(empty({ totalRowCount: 5, limit: 5, offset: 5 }, 1)).toBe(false);
    expect(lacksItems(reports, [part({ totalRowCount: 5, limit: 2, offset: 2 })], 1)).toBe(false);
    expect(lacksItems(dashboardApps, [], 1)).toBe(false);
  });

  test("goes on by pages where a row that came in between has a page begin with the last row of the one before", () => {
    const page = (offset: number, first: number) => [
      {
        pagination: { totalRowCount: 6, limit: 2, offset },
        tableData: [{ campaignId: first }, { campaignId: first + 1 }],
      },
    ];
    expect(cursorAfter(reports, [page(0, 1), page(2, 2)])).toBe(2);
    // the second row is not the second page
    expect(cursorAfter(reports, [page(0, 1), page(1, 2)])).toBe(3);
  });

  test("is at its end with an empty table", () => {
    expect(hasNextPage(reports, [part({ totalRowCount: 5, limit: 2, offset: 0 }, 0)], 0)).toBe(false);
  });
});

test("a page number travels where its parameter does, a body too", () => {
  const inBodies = invent({
    method: "POST",
    params: { page: inBody(z.int(), "page") },
    paging: { param: "page", first: 1, size: 2 },
  });
  const words = { ios: "iosstore", android: "androidstore" };
  expect(addressOf(inBodies, pageParams(inBodies, 2), words)).toMatchObject({ path: "/invented", body: '{"page":3}' });
});
