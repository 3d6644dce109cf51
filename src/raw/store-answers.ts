import { sql, type SqlFragment } from "../postgres/sql.ts";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync } from "node:zlib";
import { cleanJson } from "../core/text.ts";
import type { Database } from "../postgres/database.ts";

/**
 * A request and its outcome. Times in epoch-ms. `body` is null if there is nothing to store; the body of a request for neither a slice nor
 * a caller is not stored.
 */
export type Landing = {
  readonly accountId: string;
  readonly sliceId: string | null;
  /** The run that the request counts for; null if it is not for a slice. */
  readonly runId: string | null;
  readonly attempt: number;
  readonly page: number;
  readonly dataset: string | null;
  readonly class: string;
  readonly operation: string;
  /**
   * The scope of the slice, or the store and app of a caller's call; store, app and country identify the subject of the request. Null for
   * neither.
   */
  readonly scope: Readonly<Record<string, string>> | null;
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
  /** The hash of the call (see `callHashOf`); null or left out if there is no answer. */
  readonly callHash?: string | null;
  /** The caller of the gateway that it was sent for; null or left out if there is none. */
  readonly caller?: string | null;
  /** True if an earlier try may have been committed without this process knowing it. */
  readonly isRepeat?: boolean;
};

const compressAside = promisify(zstdCompress);
/** Packing an answer of ranks takes 30 microseconds here, and twenty times that in another thread, which only pays for larger ones. */
const largestAtOnce = 256 * 1024;
// level 3 compresses an answer of ranks to an eighth at about a microsecond per row; higher levels gain little. Without a checksum, which
// takes 4 bytes, almost half of all changed bits would unpack to another body
const packing = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } };

/** Commits a request and, with it, its answer, before anything reads the body. */
export async function land(db: Database, landing: Landing): Promise<void> {
  await landAll(db, [landing]);
}

/** Commits requests and their answers in one statement: all or none. */
export async function landAll(db: Database, landings: readonly Landing[]): Promise<void> {
  const { first, isDone } = await storing(landings);
  await sql`with ${first} select ${isDone}`.execute(db);
}

/**
 * The CTEs of a statement that store requests and their answers, and a condition that runs them and is true if they wrote any. For a repeat
 * nothing is written if the first try was committed.
 */
export async function storing(landings: readonly Landing[]): Promise<{ first: SqlFragment; isDone: SqlFragment }> {
  const bodies = await Promise.all(landings.map(packed));
  let end = 0;
  const rows = landings.map((landing, index) => {
    const length = bodies[index]?.length ?? 0;
    const start = end + 1;
    end += length;
    return { ...rowOf(landing), ...(length === 0 ? {} : { start, length }) };
  });
  // almost nothing is a repeat, and planning the search in every partition of requests takes a third of the statement's time
  const isNew = landings.some(({ isRepeat }) => isRepeat === true)
    ? sql`l.is_repeat is not true or not ${isStored}`
    : sql`true`;
  // the bodies are sent as one value and cut at the start of each: as text they would be twice as long
  const first = sql`
    landed as materialized (
      select nextval(pg_get_serial_sequence('ops.request', 'request_id')) as request_id, l.*
      from   jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as l
             (account_id text, slice_id bigint, run_id bigint, attempt integer, page integer, dataset text, class text, operation text, store text,
              track_id text, country_code text, params jsonb, call_hash text, caller text,
              status integer, error_code text, cost integer, remaining integer, duration_ms integer, byte_count integer, worker_id bigint,
              received_at timestamptz, start integer, length integer, is_repeat boolean)
      where  ${isNew}
    ), request as (
      insert into ops.request (request_id, account_id, slice_id, run_id, attempt, page, dataset, class, operation, store, track_id, country_code,
                               params, status, error_code, cost, remaining, duration_ms, byte_count, worker_id, received_at, caller)
      overriding system value
      select request_id, account_id, slice_id, run_id, attempt, page, dataset, class, operation, store, track_id, country_code,
             params, status, error_code, cost, remaining, duration_ms, byte_count, worker_id, received_at, caller
      from   landed
      returning 1
    ), answer as (
      insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at, call_hash)
      select request_id, slice_id, attempt, page, operation, substr(${Buffer.concat(bodies)}::bytea, start, length), byte_count, received_at,
             decode(call_hash, 'hex')
      from   landed
      where  length is not null
      returning 1
    )`;
  // the count of the answers is read to make sure that they are written by then
  return { first, isDone: sql`((select count(*) from request) > 0 and (select count(*) from answer) >= 0)` };
}

/** SQL: whether the first try of landing `l` was committed. */
const isStored = sql`exists (
  select from ops.request as q
  where  q.received_at = l.received_at and q.worker_id is not distinct from l.worker_id and q.operation = l.operation
  and    q.slice_id is not distinct from l.slice_id and q.attempt = l.attempt and q.page = l.page and q.params = l.params
)`;

const nothing = Buffer.alloc(0);

/** The compressed body to store; empty if there is nothing to store. Even an empty body takes some bytes when compressed. */
async function packed({ body, sliceId, caller }: Landing): Promise<Buffer> {
  if (body === null || (sliceId === null && caller == null)) return nothing;
  if (body.length <= largestAtOnce) return zstdCompressSync(body, packing);
  return compressAside(body, packing);
}

function rowOf(landing: Landing) {
  return {
    account_id: landing.accountId,
    slice_id: landing.sliceId,
    run_id: landing.runId,
    attempt: landing.attempt,
    page: landing.page,
    dataset: landing.dataset,
    class: landing.class,
    operation: landing.operation,
    store: landing.scope?.["store"],
    track_id: landing.scope?.["app"],
    country_code: landing.scope?.["country"],
    params: cleanJson(landing.params),
    call_hash: landing.callHash ?? null,
    caller: landing.caller ?? null,
    status: landing.status,
    error_code: landing.errorCode,
    cost: landing.cost,
    remaining: landing.remaining,
    duration_ms: Math.round(landing.durationMs),
    byte_count: landing.byteCount,
    worker_id: landing.workerId,
    received_at: new Date(landing.receivedAt).toISOString(),
    ...(landing.isRepeat === true ? { is_repeat: true } : {}),
  };
}
