import { sql } from "../postgres/sql.ts";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import type { Database } from "../postgres/database.ts";

/** A page that was landed: its body as it came and the epoch-ms at which it was in. */
export type LandedPage = { readonly body: Buffer; readonly fetchedAt: number };

type LandedRow = { page: number; body: Buffer; fetched_at: Date };

const unpack = promisify(zstdDecompress);

/** The pages that were landed for a slice, by number; of a page that was requested again the latest. `from` leaves out those of attempts before it. */
export async function landedPages(db: Database, sliceId: string, from = 0): Promise<ReadonlyMap<number, LandedPage>> {
  const { rows } = await sql<LandedRow>`
    select distinct on (page) page, body, fetched_at
    from   raw.answer
    where  slice_id = ${sliceId} and attempt >= ${from}
    order  by page, attempt desc, answer_id desc`.execute(db);
  const pages = rows.map(
    async ({ page, body, fetched_at }) =>
      [page, { body: await unpack(body), fetchedAt: fetched_at.getTime() }] as const,
  );
  return new Map(await Promise.all(pages));
}

/** How many pages an attempt at a slice landed. */
export async function pagesLandedBy(db: Database, slice: { sliceId: string; attempt: number }): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select count(distinct page)::integer as pages
    from   raw.answer
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt}`.execute(db);
  return rows[0]?.pages ?? 0;
}
