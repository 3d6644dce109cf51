import { sql } from "../../src/postgres/sql.ts";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { describe, expect, test } from "vitest";
import { land, landAll, type Landing } from "../../src/raw/store-answers.ts";
import { landedStart } from "../../src/raw/read-answers.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const unpack = promisify(zstdDecompress);

const landing: Landing = {
  accountId: "account",
  sliceId: "7",
  runId: "5",
  attempt: 2,
  page: 3,
  dataset: "keyword_rank",
  class: "daily",
  operation: "ios_keyword_ranking",
  scope: { store: "ios", app: "1", country: "US" },
  params: { trackId: "1", countryCode: "US", date: "2026-08-01" },
  status: 200,
  errorCode: null,
  cost: 3,
  remaining: 997,
  durationMs: 12.4,
  byteCount: 2,
  workerId: "5",
  receivedAt: Date.UTC(2026, 7, 1, 6, 30),
  body: Buffer.from("[]"),
};

describe("landing an answer", () => {
  const stage = forTests(openWarehouseStage);

  async function landed(given: Partial<Landing>) {
    await sql`truncate ops.request, raw.answer`.execute(stage.db);
    await land(stage.db, { ...landing, ...given });
    const requests = await sql<Record<string, unknown>>`select * from ops.request`.execute(stage.db);
    const answers = await sql<{ request_id: string; body: Buffer }>`select * from raw.answer`.execute(stage.db);
    return { request: requests.rows[0], requests: requests.rows.length, answer: answers.rows[0] };
  }

  test.each([
    ["an empty body", Buffer.from("")],
    ["JSON in many scripts", Buffer.from(JSON.stringify({ keyword: "タスク \u{1F600} \0" }))],
    ["bytes that are no text", Buffer.from([0, 255, 128, 10, 13, 0])],
    ["a large body", Buffer.from("rank ".repeat(400_000))],
  ])("keeps %s byte for byte", async (_, body) => {
    const { answer } = await landed({ body, byteCount: body.length });
    expect((await unpack(answer!.body)).equals(body)).toBe(true);
    expect(answer).toMatchObject({ byte_count: body.length });
  });

  test("is read as far as it is wanted: neither its other pages nor the rest of a long one", async () => {
    await sql`truncate ops.request, raw.answer`.execute(stage.db);
    const body = Buffer.from(
      JSON.stringify(Array.from({ length: 200_000 }, (_, index) => ({ rank: index, key: randomUUID() }))),
    );
    await land(stage.db, { ...landing, body, byteCount: body.length });
    await land(stage.db, { ...landing, page: 4, body: Buffer.from("[4]"), byteCount: 3 });
    // whoever reads them fails
    await sql`update raw.answer set body = 'spoilt' where page = 4`.execute(stage.db);
    await sql`update raw.answer set body = substring(body from 1 for 2000000) where page = 3`.execute(stage.db);
    const start = await landedStart(stage.db, { sliceId: "7", page: 3, most: 50_000 });
    expect(start).toMatchObject({ isWhole: false, byteCount: body.length, fetchedAt: landing.receivedAt });
    expect(start?.body.equals(body.subarray(0, 50_000))).toBe(true);
    await expect(landedStart(stage.db, { sliceId: "7", page: 3, most: body.length })).rejects.toThrow();
    expect(await landedStart(stage.db, { sliceId: "7", page: 5, most: 9 })).toBeNull();
  });

  test("keeps what was requested, for which slice, and what it cost, beside the body", async () => {
    const { request, answer } = await landed({});
    expect(request).toMatchObject({
      slice_id: "7",
      attempt: 2,
      page: 3,
      dataset: "keyword_rank",
      class: "daily",
      params: { trackId: "1", countryCode: "US", date: "2026-08-01" },
      status: 200,
      error_code: null,
      cost: 3,
      remaining: 997,
      duration_ms: 12,
      worker_id: "5",
      received_at: new Date("2026-08-01T06:30:00Z"),
    });
    expect(answer).toMatchObject({
      request_id: request?.["request_id"],
      slice_id: "7",
      attempt: 2,
      page: 3,
      operation: "ios_keyword_ranking",
      fetched_at: new Date("2026-08-01T06:30:00Z"),
    });
  });

  test("keeps a refusal and a call without an answer as a request alone", async () => {
    const refused = await landed({ status: 401, errorCode: "unauthorised", cost: 0, body: null });
    expect(refused).toMatchObject({ requests: 1, answer: undefined });
    const lost = await landed({ status: null, errorCode: "timeout", remaining: null, body: null });
    expect(lost.request).toMatchObject({ status: null, remaining: null });
  });

  test("keeps a question about the account, which belongs to no slice, as a request alone", async () => {
    const found = await landed({ sliceId: null, dataset: null, workerId: null });
    expect(found).toMatchObject({ requests: 1, answer: undefined });
    expect(found.request).toMatchObject({ slice_id: null, dataset: null });
  });

  test("loses no answer over a parameter that Postgres cannot hold", async () => {
    const { request, answer } = await landed({ params: { keyword: "a\0b \uD83D" } });
    expect(request?.["params"]).toEqual({ keyword: "ab \uFFFD" });
    expect(answer).toMatchObject({ page: expect.any(Number) });
  });

  test("writes nothing of a repeat whose first try was committed, and all of one whose was not", async () => {
    await sql`truncate ops.request, raw.answer`.execute(stage.db);
    await land(stage.db, landing);
    const other = { ...landing, page: 4 };
    await landAll(stage.db, [
      { ...landing, isRepeat: true },
      { ...other, isRepeat: true },
    ]);
    const { rows } = await sql<{ page: number }>`
      select q.page from ops.request as q join raw.answer as a using (request_id) order by q.page`.execute(stage.db);
    expect(rows).toEqual([{ page: 3 }, { page: 4 }]);
  });

  test("lands many answers at once, each with its own body, request and slice", async () => {
    await sql`truncate ops.request, raw.answer`.execute(stage.db);
    const bodies = [
      Buffer.from("one"),
      null,
      Buffer.from(""),
      Buffer.from("rank ".repeat(100_000)),
      Buffer.from("five"),
    ];
    await landAll(
      stage.db,
      bodies.map((body, index) => ({ ...landing, sliceId: String(index + 1), page: index, cost: index, body })),
    );
    const { rows } = await sql<{ page: number; cost: number; slice_id: string; body: Buffer | null }>`
      select r.page, r.cost, r.slice_id, a.body
      from   ops.request as r
      left   join raw.answer as a on a.request_id = r.request_id and a.slice_id = r.slice_id and a.page = r.page
      order  by r.page`.execute(stage.db);
    const found = await Promise.all(
      rows.map(async (row) => ({ ...row, body: row.body === null ? null : (await unpack(row.body)).toString() })),
    );
    expect(found).toEqual(
      bodies.map((body, index) => ({
        page: index,
        cost: index,
        slice_id: String(index + 1),
        body: body?.toString() ?? null,
      })),
    );
  });
});
