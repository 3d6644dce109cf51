import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bucketKey, openBucketStage, type BucketStage } from "../support/bucket-stage.ts";
import { enginePath, leftOut, openEngine } from "../support/clickhouse-engine.ts";
import { openExportStage, type ExportStage } from "../support/export-stage.ts";

/** The statements of the first block of SQL under a heading of the page. */
async function statementsFor(engine: string): Promise<string> {
  const page = await readFile(path.join(import.meta.dirname, "../../docs/objects.md"), "utf8");
  const [, section = ""] = page.split(`### ${engine}\n`);
  const [, block = ""] = /```sql \w+\n(.*?)```/s.exec(section) ?? [];
  expect(block).toContain("fact_keyword_rank");
  return block;
}

const figures = "select count(*), sum(rank), min(date_day), count(distinct keyword_key) from fact_keyword_rank";

let stage: ExportStage;
let bucket: BucketStage;

beforeAll(async () => {
  stage = await openExportStage();
  bucket = await openBucketStage();
  for (const [day, count] of [
    ["2026-04-30", 3],
    ["2026-05-01", 5],
  ] as const)
    await stage.ranks(day, count);
  const tables = ["core.fact_keyword_rank"];
  await stage.export(tables, {}, undefined, "parquet", { out: "s3://bucket/storehouse", reach: bucket.reach });
  await stage.export(tables);
});
afterAll(async () => {
  await bucket[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

test("what the page says for DuckDB loads what was exported, without what lies there beside it", async () => {
  // the extension that reads s3:// cannot be installed here: the same files from a folder
  const forDuck = (await statementsFor("DuckDB")).replaceAll("s3://bucket/storehouse", "OUT");
  await stage.read(forDuck);
  expect(await stage.read(figures)).toEqual([["8", "21", "2026-04-30", "5"]]);
});

test.skipIf(enginePath === null)(`so does what it says for ClickHouse${leftOut}`, async () => {
  const forClickHouse = (await statementsFor("ClickHouse"))
    .replace("https://bucket.s3.amazonaws.com", `${bucket.endpoint}/bucket`)
    .replace("'KEY', 'SECRET'", `'${bucketKey.accessKeyId}', '${bucketKey.secretAccessKey}'`);
  const session = await openEngine();
  try {
    await session.queryAsync(forClickHouse);
    expect((await session.queryAsync(figures, { format: "CSV" })).text().trim()).toBe('8,21,"2026-04-30",5');
  } finally {
    session.close();
  }
});
