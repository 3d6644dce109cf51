import { sql } from "kysely";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { cleanJson } from "../core/text.ts";
import type { Database } from "./database.ts";

/** A request and what came of it. Times in epoch-ms. `body` is null when there is nothing to keep; that of a request without a slice is not kept. */
export type Landing = {
  readonly accountId: string;
  readonly sliceId: string | null;
  readonly attempt: number;
  readonly page: number;
  readonly dataset: string | null;
  readonly class: string;
  readonly operation: string;
  /** Parameters by name, without lists and without the token. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly cost: number;
  readonly remaining: number | null;
  readonly durationMs: number;
  readonly byteCount: number;
  readonly workerId: string | null;
  readonly receivedAt: number;
  readonly body: Buffer | null;
};

const compress = promisify(zstdCompress);
// level 3 takes an answer of ranks to an eighth at about a microsecond a row; higher levels gain little
const level = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** Commits a request and, with it, its answer: one statement, before anything looks into the body. */
export async function land(db: Database, landing: Landing): Promise<void> {
  const at = sql`${new Date(landing.receivedAt).toISOString()}::timestamptz`;
  const request = sql`
    insert into ops.request (account_id, slice_id, attempt, page, dataset, class, operation, params, status, error_code, cost, remaining,
                             duration_ms, byte_count, worker_id, received_at)
    values (${landing.accountId}, ${landing.sliceId}, ${landing.attempt}, ${landing.page}, ${landing.dataset}, ${landing.class}, ${landing.operation},
            ${JSON.stringify(cleanJson(landing.params))}::jsonb, ${landing.status}, ${landing.errorCode}, ${landing.cost}, ${landing.remaining},
            ${Math.round(landing.durationMs)}, ${landing.byteCount}, ${landing.workerId}, ${at})`;
  if (landing.body === null || landing.sliceId === null) {
    await request.execute(db);
    return;
  }
  const body = await compress(landing.body, level);
  await sql`
    with request as (${request} returning request_id)
    insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
    select request_id, ${landing.sliceId}, ${landing.attempt}, ${landing.page}, ${landing.operation}, ${body}, ${landing.byteCount}, ${at}
    from   request`.execute(db);
}
