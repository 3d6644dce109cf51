import { sql } from "kysely";
import type { CreditClass } from "../core/slice.ts";
import type { Database } from "../warehouse/database.ts";

/** Work of one dataset and class: slices, and the requests and credits that they are expected to take. */
export type Work = {
  readonly dataset: string;
  readonly class: CreditClass;
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
};

/** Slices that were planned earlier and wait or run: the next sync takes them over where no living process has them. */
export async function openWork(db: Database, datasets: readonly string[]): Promise<readonly Work[]> {
  const { rows } = await sql<Work>`
    select dataset, class, count(*)::int as slices, sum(planned_requests)::int as requests, sum(planned_credits)::int as credits
    from   ops.slice
    where  state in ('pending', 'running', 'deferred') and dataset = any (${[...datasets]}::text[])
    group  by dataset, class
    order  by dataset, class`.execute(db);
  return rows;
}

/** How many slices failed and wait for `storehouse retry`. */
export async function failedCount(db: Database, datasets: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ops.slice where state = 'failed' and dataset = any (${[...datasets]}::text[])`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
