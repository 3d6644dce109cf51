import { fail, StorehouseError } from "../core/errors.ts";
import type { ParsedText } from "../core/text.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { createZstdDecompress, zstdDecompress, zstdDecompressSync } from "node:zlib";
import type { Database } from "../postgres/database.ts";

/** A landed page: its body as received, and when it was received (epoch-ms); `parsed` if its JSON was parsed already. */
export type LandedPage = {
  readonly body: Buffer;
  readonly fetchedAt: number;
  readonly parsed?: ParsedText | undefined;
};

type LandedRow = { slice_id: string; page: number; body: Buffer; fetched_at: Date };

const unpackAside = promisify(zstdDecompress);
/** Unpacking an answer of ranks takes 10 microseconds here, and ten times that in another thread. */
const largestAtOnce = 64 * 1024;

/** Called with `answer_damaged` for a page that is left out. */
type OnDamaged = (error: StorehouseError) => void;

/** The landed pages of a slice, by number; the latest one if a page was requested again. Throws `answer_damaged`. */
export async function landedPages(db: Database, sliceId: string): Promise<ReadonlyMap<number, LandedPage>> {
  return (await landedPagesOf(db, [sliceId])).get(sliceId) ?? new Map<number, LandedPage>();
}

/** The landed pages that the next attempt at the slice reads; the others, and damaged ones, are requested again. */
export async function readablePages(
  db: Database,
  sliceId: string,
  onDamaged: OnDamaged = () => undefined,
): Promise<ReadonlyMap<number, LandedPage>> {
  const isRead = sql`attempt >= (select s.read_from_attempt from ops.slice as s where s.slice_id = a.slice_id)`;
  return (
    (await landedPagesOf(db, [sliceId], { isWanted: isRead, onDamaged })).get(sliceId) ?? new Map<number, LandedPage>()
  );
}

/**
 * The pages of several slices at once, by slice; slices without a page are left out. Throws `answer_damaged` for a damaged page, unless
 * there is an `onDamaged`.
 */
export async function landedPagesOf(
  db: Database,
  sliceIds: readonly string[],
  { isWanted = sql`true`, onDamaged }: { readonly isWanted?: SqlFragment; readonly onDamaged?: OnDamaged } = {},
): Promise<ReadonlyMap<string, ReadonlyMap<number, LandedPage>>> {
  const { rows } = await sql<LandedRow>`
    select distinct on (slice_id, page) slice_id, page, body, fetched_at
    from   raw.answer as a
    where  slice_id = any (${[...sliceIds]}::bigint[]) and ${isWanted}
    order  by slice_id, page, attempt desc, answer_id desc`.execute(db);
  const found = new Map<string, Map<number, LandedPage>>();
  for (const { slice_id: sliceId, page, body, fetched_at: fetchedAt } of rows) {
    const pages = found.get(sliceId) ?? new Map<number, LandedPage>();
    found.set(sliceId, pages);
    try {
      const whole = await orDamaged(unpackedBody(body), sliceId, page);
      pages.set(page, { body: whole, fetchedAt: fetchedAt.getTime() });
    } catch (error) {
      if (onDamaged === undefined || !(error instanceof StorehouseError)) throw error;
      onDamaged(error);
    }
    // unpacking a hundred pages takes milliseconds, in which other connections would wait
    await nextTurn();
  }
  return found;
}

/** The body of an answer as it came; null if it is damaged. */
export async function bodyUnlessDamaged(body: Buffer): Promise<Buffer | null> {
  return unpackedBody(body).catch(() => null);
}

/** What was unpacked of a page; any error means that its stored bytes are damaged. */
function orDamaged(unpacking: Promise<Buffer>, slice: string, page: number): Promise<Buffer> {
  return unpacking.catch((error: unknown) => {
    throw fail("answer_damaged", { slice, page }, error);
  });
}

async function unpackedBody(body: Buffer): Promise<Buffer> {
  return body.length <= largestAtOnce ? zstdDecompressSync(body) : unpackAside(body);
}

/** The start of a landed page. `byteCount`: bytes of the whole body. */
type LandedStart = LandedPage & { readonly isWhole: boolean; readonly byteCount: number };

/** Zstandard unpacks whole blocks: this much more is read than needed, so that no block is cut. */
const largestBlock = 256 * 1024;

/**
 * The first bytes of the body of a landed page (the latest version); null if there is none. No other page, and little more of this one, is
 * read. Throws `answer_damaged`.
 */
export async function landedStart(
  db: Database,
  { sliceId, page, most }: { readonly sliceId: string; readonly page: number; readonly most: number },
): Promise<LandedStart | null> {
  const { rows } = await sql<{ body: Buffer; byte_count: number; fetched_at: Date }>`
    select substring(body from 1 for ${Math.min(most + largestBlock, 2 ** 30)}::integer) as body, byte_count, fetched_at
    from   raw.answer
    where  slice_id = ${sliceId} and page = ${page}
    order  by attempt desc, answer_id desc
    limit  1`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const isWhole = row.byte_count <= most;
  const unpacking = isWhole ? unpackedBody(row.body) : unpackedStart(row.body, most);
  const body = await orDamaged(unpacking, sliceId, page);
  return { body, isWhole, byteCount: row.byte_count, fetchedAt: row.fetched_at.getTime() };
}

async function unpackedStart(packed: Buffer, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of createZstdDecompress().end(packed) as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    // the packed body is cut off somewhere after this
    if (size >= most) break;
  }
  return Buffer.concat(parts).subarray(0, most);
}

/** The number of pages that an attempt at a slice landed. */
export async function pagesLandedBy(db: Database, slice: { sliceId: string; attempt: number }): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select count(distinct page)::integer as pages
    from   raw.answer
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt}`.execute(db);
  return rows[0]?.pages ?? 0;
}
