import { expect, test } from "vitest";
import { z } from "zod";
import { searchAdsReports } from "../../src/api/operations/search-ads-report.ts";
import { pageLimit } from "../../src/ingest/page-limit.ts";
import { readPages } from "../../src/ingest/read-pages.ts";
import { invent } from "../support/api-invented.ts";

const size = 3;
const Page = z.looseObject({ content: z.array(z.looseObject({ id: z.number() })), totalPages: z.number() });
const paged = { param: "page", first: 0, size } as const;
const bare = invent({ paging: paged, items: ["content"], answer: Page });
const reported = invent({
  paging: { ...paged, total: { pages: "totalPages", items: "totalElements" } },
  items: ["content"],
  answer: Page,
});

/** A list that is cut into pages the moment each is requested, so that a change in between moves items from page to page. */
async function read(operation: typeof bare, lists: (index: number) => readonly number[]) {
  let calls = 0;
  const fetched = await readPages(operation, async (index) => {
    calls += 1;
    const list = lists(index);
    const page = {
      content: list.slice(index * size, (index + 1) * size).map((id) => ({ id })),
      totalElements: list.length,
      totalPages: Math.ceil(list.length / size),
    };
    return { body: Buffer.from(JSON.stringify(page)), fetchedAt: index };
  });
  const ids = fetched.pages.flatMap((page) => Page.parse(page).content.map(({ id }) => id));
  return { calls, ids, reasons: fetched.invalid.map(({ reason }) => reason) };
}

const seven = [1, 2, 3, 4, 5, 6, 7];

test.each([bare, reported])(
  "reads every page once and reports no suspicion when the list does not change",
  async (operation) => {
    expect(await read(operation, () => seven)).toEqual({ calls: 3, ids: seven, reasons: [] });
  },
);

test("requests no page past the end where the answer reports the end", async () => {
  expect(await read(reported, () => seven.slice(0, 6))).toMatchObject({
    calls: 2,
    ids: seven.slice(0, 6),
    reasons: [],
  });
});

test.each([0, 1, 2])(
  "reads all items that are reported, in full pages of which the answer names %i",
  async (totalPages) => {
    let calls = 0;
    const { pages, invalid } = await readPages(reported, async (index) => {
      calls += 1;
      const content = seven.slice(index * size, (index + 1) * size).map((id) => ({ id }));
      return { body: Buffer.from(JSON.stringify({ content, totalElements: 7, totalPages })), fetchedAt: index };
    });
    expect([calls, pages.flatMap((page) => Page.parse(page).content).length, invalid]).toEqual([3, 7, []]);
  },
);

test("requests no page beyond those that are named where pages hold more than the usual number of items", async () => {
  let calls = 0;
  const { invalid } = await readPages(reported, async (index) => {
    calls += 1;
    const content = seven.map((id) => ({ id }));
    return { body: Buffer.from(JSON.stringify({ content, totalElements: 7, totalPages: 1 })), fetchedAt: index };
  });
  expect([calls, invalid]).toEqual([1, []]);
});

test("says so where the pages have fewer items than the answer reports", async () => {
  const { pages, invalid } = await readPages(reported, async (index) => {
    const content = seven.slice(index * 2, index * 2 + 2).map((id) => ({ id }));
    return { body: Buffer.from(JSON.stringify({ content, totalElements: 7, totalPages: 3 })), fetchedAt: index };
  });
  expect(pages).toHaveLength(3);
  expect(invalid).toEqual([{ reason: "the answer reports 7 items, but its pages have 6", item: null }]);
});

test.each([
  [bare, []],
  [reported, [{ reason: "page 2 has no content", item: null }]],
])(
  "takes a further page without content for the end, and for missing where the answer reports it",
  async (operation, invalid) => {
    const body = Buffer.from(JSON.stringify({ content: [{ id: 1 }, { id: 2 }, { id: 3 }], totalPages: 2 }));
    const bodies = [body, Buffer.alloc(0)];
    const fetched = await readPages(operation, async (index) => ({ body: bodies[index] ?? body, fetchedAt: index }));
    expect(fetched).toMatchObject({ pages: [{ content: [{ id: 1 }, { id: 2 }, { id: 3 }] }], invalid, fetchedAt: 1 });
  },
);

test.each([
  ["in the midst of others", 1, 4, 1],
  ["that is the last one", 3, 4, 1],
  ["that is the first of several", 0, 4, 1],
  ["that is the only one", 0, 1, 0],
  ["behind the last one", 3, 3, 0],
])(
  "takes a page without items %s for the end, and for missing where the answer reports it",
  async (_, at, totalPages, rejects) => {
    const { pages, invalid } = await readPages(reported, async (index) => {
      const content = index === at ? [] : [{ id: index }];
      return { body: Buffer.from(JSON.stringify({ content, totalPages })), fetchedAt: 0 };
    });
    expect(pages).toHaveLength(Math.min(at + 1, totalPages));
    const reason = `page ${at + 1} has no items, but the answer reports some there`;
    expect(invalid).toEqual(rejects === 0 ? [] : [{ reason, item: null }]);
  },
);

test("says so of a further page of an answer that counts its rows", async () => {
  const pages = async (totalRowCount: number, offset: number) => {
    const page = (rows: readonly object[], at: number) =>
      Buffer.from(JSON.stringify([{ pagination: { totalRowCount, limit: 1, offset: at }, tableData: rows }]));
    const bodies = [page([{ campaignId: 1 }], 0), page([], offset)];
    const { invalid } = await readPages(searchAdsReports, async (index) => ({
      body: bodies[index] ?? page([], index),
      fetchedAt: 0,
    }));
    return invalid.map(({ reason }) => reason);
  };
  expect(await pages(3, 1)).toEqual(["page 2 has no items, but the answer reports some there"]);
  expect(await pages(3, 3)).toEqual([]);
});

/** A report of a service in pages of ten rows, which takes what the client requests for what `offsetOf` makes of it. */
function reportOf(count: number, offsetOf: (cursor: number) => number) {
  const cursors: number[] = [];
  const rows = Array.from({ length: count }, (_, id) => ({ campaignId: id }));
  const page = async (_: number, cursor: number) => {
    cursors.push(cursor);
    const pagination = { totalRowCount: count, limit: 10, offset: offsetOf(cursor) };
    const tableData = rows.slice(pagination.offset, pagination.offset + 10);
    return { body: Buffer.from(JSON.stringify([{ pagination, tableData }])), fetchedAt: 0 };
  };
  return { cursors, rows, page };
}

test.each([
  ["pages", [0, 1, 2, 3], (cursor: number) => cursor * 10],
  ["rows", [0, 1, 11, 21, 31], (cursor: number) => cursor],
])("reads a report in as few pages where the service counts %s", async (_, requested, offsetOf) => {
  const { cursors, rows, page } = reportOf(33, offsetOf);
  const { pages, invalid, isCut } = await readPages(searchAdsReports, page);
  const found = searchAdsReports.answer.parse(pages.flat()).flatMap(({ tableData }) => tableData);
  expect(new Set(found.map(({ campaignId }) => campaignId))).toEqual(new Set(rows.map(({ campaignId }) => campaignId)));
  expect({ cursors, invalid, isCut }).toEqual({ cursors: requested, invalid: [], isCut: false });
});

test("says that items may have been lost when the list shrinks in between and one slips over the edge of a page", async () => {
  const { ids, reasons } = await read(reported, (index) => (index === 0 ? seven : seven.slice(1)));
  expect(ids).not.toContain(4);
  expect(reasons).toEqual([
    expect.stringMatching(/changed while its pages were read.*totalElements 7.*totalElements 6/),
  ]);
});

test("says so as well when the list grows, and passes on what came twice", async () => {
  const { ids, reasons } = await read(reported, (index) => (index === 0 ? seven : [0, ...seven]));
  expect(ids.filter((id) => id === 3)).toHaveLength(2);
  expect(new Set(ids)).toEqual(new Set(seven));
  expect(reasons).toEqual([expect.stringMatching(/changed while its pages were read/)]);
});

test.each([bare, reported])(
  "stops at the second page of a service that gives the same one for ever, and says why",
  async (operation) => {
    let calls = 0;
    const body = Buffer.from(JSON.stringify({ content: [{ id: 1 }, { id: 2 }, { id: 3 }], totalPages: 90 }));
    const { invalid } = await readPages(operation, async () => ((calls += 1), { body, fetchedAt: 0 }));
    expect(calls).toBe(2);
    expect(invalid).toEqual([{ reason: "page 2 is the same as page 1: the answer ends there", item: null }]);
  },
);

test.each([1, 2, 3])("stops where %i pages come round again, although each prints its own number", async (length) => {
  const page = async (index: number) => {
    const content = Array.from({ length: size }, (_, place) => ({ id: (index % length) * size + place }));
    return { body: Buffer.from(JSON.stringify({ content, pageNumber: index, totalPages: 90 })), fetchedAt: 0 };
  };
  const { pages, invalid } = await readPages(reported, page);
  expect(pages).toHaveLength(length);
  expect(invalid).toEqual([{ reason: `page ${length + 1} is the same as page 1: the answer ends there`, item: null }]);
});

test.each([bare, reported])("pays for no page past the limit, and says that there are more", async (operation) => {
  let calls = 0;
  const page = async (index: number) => {
    calls += 1;
    const content = Array.from({ length: size }, (_, place) => ({ id: index * size + place }));
    return { body: Buffer.from(JSON.stringify({ content, totalPages: 1_000 })), fetchedAt: 0 };
  };
  const wanted: number[] = [];
  const { pages, invalid, isCut } = await readPages(operation, page, {
    // a price that rises leaves fewer of them
    pageLimit: () => (calls < 3 ? 9 : 5),
    onPages: async (count) => void wanted.push(count),
  });
  expect({ calls, pages: pages.length, isCut, last: wanted.at(-1) }).toEqual({
    calls: 5,
    pages: 5,
    isCut: true,
    last: 5,
  });
  expect(invalid).toEqual([{ reason: expect.stringMatching(/continues after 5 pages.*most_pages/), item: null }]);
});

test.each([bare, reported])("is left after a thousand pages, and says that there are more", async (operation) => {
  let calls = 0;
  const page = async (index: number) => {
    calls += 1;
    const content = Array.from({ length: size }, (_, place) => ({ id: index * size + place }));
    return { body: Buffer.from(JSON.stringify({ content, totalPages: 1_500 })), fetchedAt: 0 };
  };
  // ten times what the last answer had
  const { invalid, isCut } = await readPages(operation, page, { pageLimit: () => 1_200 });
  expect([calls, isCut]).toEqual([1_000, true]);
  expect(invalid).toEqual([{ reason: expect.stringMatching(/continues after 1000 pages/), item: null }]);
});

test.each([
  ["a scope without an answer", undefined, 30, 100],
  ["a short last answer", { count: 3, days: 30 }, 30, 100],
  ["a long last answer", { count: 40, days: 30 }, 30, 400],
  ["a longer window than that of the last answer", { count: 40, days: 1 }, 30, 12_000],
  ["a shorter one", { count: 40, days: 300 }, 30, 400],
])("the most pages after %s", (_, last, days, most) => {
  expect(pageLimit(last, days)).toBe(most);
});

test("ends where the list ends although it promised more", async () => {
  const { calls, reasons } = await read(reported, (index) => (index < 2 ? seven : []));
  expect(calls).toBe(3);
  expect(reasons).toEqual([expect.stringMatching(/changed while its pages were read/)]);
});

test("requests no page past the limit, and reports no suspicion for that", async () => {
  let calls = 0;
  const page = async (index: number) => {
    calls += 1;
    const content = seven.slice(index * size, (index + 1) * size).map((id) => ({ id }));
    return { body: Buffer.from(JSON.stringify({ content, totalPages: 3 })), fetchedAt: 0 };
  };
  const fetched = await readPages(reported, page, { mostPages: 2 });
  expect([calls, fetched.pages.length, fetched.invalid]).toEqual([2, 2, []]);
});

test("reports before each further page how many there will be, never more than are wanted", async () => {
  const numbers = async (operation: typeof bare, mostPages?: number) => {
    const seen: number[] = [];
    let calls = 0;
    const page = async (index: number) => {
      // the last report came before this page was requested
      expect(seen).toHaveLength(calls);
      calls += 1;
      const content = seven.slice(index * size, (index + 1) * size).map((id) => ({ id }));
      return { body: Buffer.from(JSON.stringify({ content, totalPages: 3 })), fetchedAt: 0 };
    };
    const { isCut } = await readPages(operation, page, {
      ...(mostPages === undefined ? {} : { mostPages }),
      onPages: async (pages) => void seen.push(pages),
    });
    return { seen, isCut };
  };
  expect(await numbers(reported)).toEqual({ seen: [3, 3, 3], isCut: false });
  expect(await numbers(reported, 2)).toEqual({ seen: [2, 2], isCut: true });
  expect(await numbers(bare)).toEqual({ seen: [2, 3, 3], isCut: false });
});
