import { sql } from "kysely";
import type { CreditClass } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { likelyCredits, requestsLeft } from "./pages-left.ts";

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
    ${workColumns}
    where  s.state in ('pending', 'running', 'deferred') and s.dataset = any (${[...datasets]}::text[])
    group  by s.dataset, s.class
    order  by s.dataset, s.class`.execute(db);
  return rows;
}

/** What is left of a plan, whichever run has it. */
export async function openWorkOfPlan(db: Database, planId: string): Promise<readonly Work[]> {
  const { rows } = await sql<Work>`
    ${workColumns}
    where  s.state in ('pending', 'running', 'deferred') and s.plan_id = ${planId}::bigint
    group  by s.dataset, s.class
    order  by s.dataset, s.class`.execute(db);
  return rows;
}

/** SQL: slices added up, each at the price of its plan, or at the one that was learned since where that is higher; pages that landed are paid for. */
const workColumns = sql`
    select s.dataset, s.class, count(*)::int as slices, sum(${requestsLeft})::int as requests,
           sum(${likelyCredits})::int as credits
    from   ops.slice as s
    left   join ops.credit_cost as c on c.operation = s.operation`;

/** How many slices failed, were not made good since, and wait for `storehouse retry`. */
export async function failedCount(db: Database, datasets: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ops.failed_slice where dataset = any (${[...datasets]}::text[])`.execute(db);
  return rows[0]?.count ?? 0;
}
