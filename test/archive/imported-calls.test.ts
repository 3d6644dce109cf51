import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { openProxy, type Passing } from "../support/ingest-proxy.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { exportFrom, importInto } from "../support/raw-stage.ts";
import { countsRows } from "../support/search-ads.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 };

type PageCall = { readonly page: number; readonly hash: string | null; readonly params: unknown };

/** The calls of the pages of an operation, as they are stored. */
const callsOf = (stage: Stage, operation: string) =>
  stage.query<PageCall>(
    `select a.page, encode(a.call_hash, 'hex') as hash, q.params from raw.answer as a join ops.request as q using (request_id)
     where  a.operation = $1 order by q.params::text, a.call_hash`,
    [operation],
  );

/** Syncs a dataset behind `alter`, exports it and imports it elsewhere; returns the calls of its pages there, which must be the same. */
async function importedCalls(
  operation: string,
  { datasets, alter }: { readonly datasets: Datasets; readonly alter: (passing: Passing) => void },
): Promise<readonly PageCall[]> {
  await using source = await openWithPortfolio({ market });
  await using api = await openProxy(source.sandbox, alter);
  const environment = { API_BASE_URL: api.url };
  const names = Object.keys(datasets);
  await source.sync({ settings: { datasets }, request: { datasets: names }, environment });
  using folder = temporaryFolder();
  await exportFrom(source, folder.path, { datasets: names });
  await using target = await openStage();
  expect(await importInto(target, [folder.path])).toMatchObject({ refused: 0 });
  const imported = await callsOf(target, operation);
  expect(imported).toEqual(await callsOf(source, operation));
  return imported;
}

type Datasets = NonNullable<NonNullable<RunOptions["settings"]>["datasets"]>;

test.each([404, 200])("a page past the end of a list (%i, empty) is an answer to no other call", async (status) => {
  const calls = await importedCalls("ad-intelligence.creatives", {
    datasets: { ad_creative: { most_pages: 9 } },
    alter: (passing) => {
      if (!passing.target.includes("page=2")) return;
      Object.assign(passing, { status, body: "" });
    },
  });
  expect(calls).toMatchObject([
    { page: 0, hash: expect.any(String) },
    { page: 1, hash: null },
  ]);
});

test("pages of a service that counts rows are those of the calls that fetched them", async () => {
  const options = { levels: ["CAMPAIGN"] };
  const calls = await importedCalls("search-ads.reports", {
    datasets: {
      search_ads_integration: {},
      search_ads_goal: {},
      search_ads_report: { history_days: 14, lookback_days: 0, options },
    },
    alter: countsRows(addDays(today, -1)),
  });
  expect(calls.filter(({ page }) => page === 2)).toEqual(
    Array(2).fill(expect.objectContaining({ params: expect.objectContaining({ page: 11 }) })),
  );
});
