import { createHash, randomBytes } from "node:crypto";
import { truncateSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import exportTask from "../../jobs/export.ts";
import { openBucket } from "../../src/export/bucket-place.ts";
import { parseManifest } from "../../src/export/manifest.ts";
import { bucketKey, openBucketStage, type BucketStage } from "../support/bucket-stage.ts";
import { openExportStage, type ExportStage } from "../support/export-stage.ts";
import { runCommand } from "../support/command.ts";
import { startChild } from "../support/ingest-child.ts";

const ranks = "core.fact_keyword_rank";
const folder = "exports/core/fact_keyword_rank";
let stage: ExportStage;
let bucket: BucketStage;

beforeEach(async () => {
  stage = await openExportStage();
  bucket = await openBucketStage();
  for (const month of ["2026-04-01", "2026-05-01", "2026-06-01"]) await stage.ranks(month, 3);
});
afterEach(async () => {
  await bucket[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

async function exported() {
  const into = { out: "s3://lake/exports/", reach: bucket.reach };
  const [done] = await stage.export([ranks], {}, undefined, "parquet", into);
  return { written: done?.written, unchanged: done?.unchanged, removed: done?.removed, rows: done?.rows };
}

/** What a reader gets who follows the manifest: every file whole, as the manifest says. */
async function read() {
  const objects = await bucket.objects();
  const manifest = parseManifest(String(objects.get(`${folder}/_manifest.json`)), folder);
  for (const { path: name, sha256, bytes } of manifest.files) {
    const file = objects.get(`${folder}/${name}`) ?? Buffer.alloc(0);
    expect([file.length, createHash("sha256").update(file).digest("hex")]).toEqual([bytes, sha256]);
  }
  return { rows: manifest.files.reduce((sum, { rows }) => sum + rows, 0), files: manifest.files.length };
}

const month = (name: string) =>
  expect.stringMatching(new RegExp(`^PUT ${folder}/date_month=${name}/rows-[\\da-f]{16}.parquet$`));
const manifestPut = `PUT ${folder}/_manifest.json`;

test("stores the files before the manifest, then only what changed, and removes what was replaced last", async () => {
  expect(await exported()).toEqual({ written: 3, unchanged: 0, removed: 0, rows: 9 });
  expect(bucket.changes()).toEqual([month("2026-04"), month("2026-05"), month("2026-06"), manifestPut]);
  expect(await read()).toEqual({ rows: 9, files: 3 });
  expect(await exported()).toEqual({ written: 0, unchanged: 3, removed: 0, rows: 9 });
  expect(bucket.changes()).toEqual([]);
  const [may] = [...(await bucket.objects()).keys()].filter((key) => key.includes("2026-05"));
  await stage.ranks("2026-05-02", 2);
  expect(await exported()).toEqual({ written: 1, unchanged: 2, removed: 0, rows: 11 });
  expect(bucket.changes()).toEqual([month("2026-05"), manifestPut, `DELETE ${may}`]);
  expect(await read()).toEqual({ rows: 11, files: 3 });
  expect((await bucket.objects()).size).toBe(4);
});

test("an export that is killed leaves what the manifest names; the next one sends what is missing and nothing twice", async () => {
  await exported();
  for (const day of ["2026-04-02", "2026-05-02", "2026-06-02"]) await stage.ranks(day, 2);
  bucket.changes();
  // keys come from a profile, the address of the server from the configuration
  await writeFile(
    path.join(stage.out, "credentials"),
    `[lake]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER\n`,
  );
  await using child = startChild(
    { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } },
    ["export"],
    {
      settings: { export: { to: "s3://lake/exports", tables: [ranks], s3: { endpoint: bucket.endpoint } } },
      variables: { AWS_PROFILE: "lake", AWS_SHARED_CREDENTIALS_FILE: path.join(stage.out, "credentials") },
    },
  );
  bucket.letThrough = (change) => !change.includes("2026-05") || (child.process.kill("SIGKILL"), false);
  expect([await child.ended, child.output().stderr]).toEqual(["SIGKILL", ""]);
  expect(bucket.changes()).toEqual([month("2026-04")]);
  expect(await read()).toEqual({ rows: 9, files: 3 });
  bucket.letThrough = () => true;
  expect(await exported()).toEqual({ written: 2, unchanged: 1, removed: 0, rows: 15 });
  const deleted = Array(3).fill(expect.stringMatching(/^DELETE /));
  expect(bucket.changes()).toEqual([month("2026-05"), month("2026-06"), manifestPut, ...deleted]);
  expect(await read()).toEqual({ rows: 15, files: 3 });
});

test("sends a large file in parts, and takes it up again whole", async () => {
  const text = randomBytes(6 * 2 ** 20 + 17);
  await using place = await openBucket({ bucket: "lake", prefix: "" }, bucket.reach, 5 * 2 ** 20);
  const table = await place.table("core", "large");
  const file = { bytes: text.length, sha256: createHash("sha256").update(text).digest("hex"), digest: "d1" };
  await writeFile(await table.draft("rows-0123456789abcdef.parquet"), text);
  await table.store("rows-0123456789abcdef.parquet", file);
  expect(bucket.changes().map((change) => change.split(" ")[0])).toEqual(["POST", "PUT", "PUT", "POST"]);
  expect(await bucket.leftParts()).toEqual([]);
  expect((await bucket.objects()).get("core/large/rows-0123456789abcdef.parquet")?.equals(text)).toBe(true);
  const again = await place.table("core", "large");
  expect(await again.leftOver("rows-0123456789abcdef.parquet", "d1")).toEqual({
    bytes: file.bytes,
    sha256: file.sha256,
  });
  expect(await again.leftOver("rows-0123456789abcdef.parquet", "d2")).toBeNull();
});

test.each([
  [1, -7],
  [1, 7],
  [3, -7],
  [3, 7],
])("a file of %i parts whose length has changed by %i bytes since it was written is not sent", async (parts, more) => {
  const partBytes = 5 * 2 ** 20;
  const bytes = parts * partBytes;
  await using place = await openBucket({ bucket: "lake", prefix: "" }, bucket.reach, partBytes);
  const table = await place.table("core", "changed");
  await writeFile(await table.draft("rows-0123456789abcdef.parquet"), randomBytes(bytes + more));
  await expect(
    table.store("rows-0123456789abcdef.parquet", { bytes, sha256: "unchecked", digest: "d1" }),
  ).rejects.toMatchObject({ code: "export_failed", message: expect.stringContaining("s3://lake/core/changed/") });
  expect(bucket.changes()).toEqual([]);
});

test("an upload that ends early leaves none of its parts in the bucket", async () => {
  const partBytes = 5 * 2 ** 20;
  await using place = await openBucket({ bucket: "lake", prefix: "" }, bucket.reach, partBytes);
  const table = await place.table("core", "short");
  const [bytes, draft] = [3 * partBytes, await table.draft("rows-0123456789abcdef.parquet")];
  await writeFile(draft, randomBytes(bytes));
  bucket.letThrough = () => (truncateSync(draft, bytes - 7), true);
  await expect(
    table.store("rows-0123456789abcdef.parquet", { bytes, sha256: "unchecked", digest: "d1" }),
  ).rejects.toMatchObject({ code: "export_failed", message: expect.stringContaining(`after ${bytes - 7} bytes`) });
  expect(bucket.changes().map((change) => change.split(" ")[0])).toEqual(["POST", "PUT", "PUT", "DELETE"]);
  expect(await bucket.leftParts()).toEqual([]);
  expect([...(await bucket.objects()).keys()]).toEqual([]);
});

test("one export at a time writes into a bucket: another is refused and touches nothing", async () => {
  await using place = await openBucket({ bucket: "lake", prefix: "exports/" }, bucket.reach);
  const other = await stage.pool.connect();
  await other.query(
    "begin; select pg_advisory_xact_lock(hashtext('storehouse export'), hashtext('" + place.lockName + "'))",
  );
  await expect(exported()).rejects.toMatchObject({
    code: "export_under_way",
    context: { place: "s3://lake/exports/" },
  });
  expect(bucket.changes()).toEqual([]);
  await other.query("rollback");
  other.release();
  expect(await exported()).toMatchObject({ written: 3 });
});

test("the task of the crontab exports what the configuration names, and nothing where it names no place", async () => {
  const reported: unknown[] = [];
  const log = { info: (...line: unknown[]) => reported.push(line) };
  const run = (settings: object) =>
    exportTask(
      { clock: { now: () => 0 }, log, halted: new AbortController().signal } as never,
      {
        config: {
          environment: { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" },
          settings: { export: settings },
        },
        warehouse: stage,
      } as never,
    )({}, {} as never);
  const settings = { tables: [ranks], format: "parquet", s3: { endpoint: bucket.endpoint } };
  await run(settings);
  expect([reported, bucket.changes()]).toEqual([[], []]);
  await run({ ...settings, to: "s3://lake/exports" });
  expect(reported).toEqual([[{ table: ranks, files: 3, removed: 0, rows: 9 }, "export.table"]]);
  expect(await read()).toEqual({ rows: 9, files: 3 });
});

const secret = "wrong-secret-0123456789-abcdefghij";

test("the command reports what is wrong with a place in one line, without a secret", async () => {
  for (const [out, problem] of [
    ["gs://lake/x", /^unknown_place: the place must be a folder, or a bucket as s3:.*; correct --out or export.to/],
    ["s3://lake/x", /^bucket_refused: .* was refused: SignatureDoesNotMatch, 403; check/],
  ] as const) {
    const { code, stdout, stderr } = await runCommand(
      { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } },
      ["export", "--table", "dim_device", "--out", out],
      {
        settings: { export: { s3: { endpoint: bucket.endpoint } } },
        variables: { AWS_ACCESS_KEY_ID: bucketKey.accessKeyId, AWS_SECRET_ACCESS_KEY: secret },
      },
    );
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(problem) });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).not.toMatch(/secret-\d|Signature=/);
  }
  expect(bucket.changes()).toEqual([]);
});

test("refuses a place with a password in it, a bucket that is not there, and a server that does not answer", async () => {
  for (const [out, endpoint, problem] of [
    ["s3://user:pass@lake/x", "", { code: "unknown_place" }],
    ["s3://absent/x", "", { code: "bucket_refused", context: { problem: "NoSuchBucket, 404" } }],
    ["s3://lake/x", "http://127.0.0.1:1", { code: "bucket_unavailable", context: { problem: "ECONNREFUSED" } }],
  ] as const) {
    const reach = { network: {}, bucket: { ...bucket.reach.bucket, ...(endpoint === "" ? {} : { endpoint }) } };
    const failed = stage.export(["dim_device"], {}, undefined, "parquet", { out, reach });
    const error = await failed.catch((cause: unknown) => cause);
    expect(error).toMatchObject(problem);
    expect(String(error)).not.toMatch(/pass|S3RVER/);
  }
});
