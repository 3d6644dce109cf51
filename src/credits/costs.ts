import { sql, type QueryExecutorProvider } from "kysely";
import type { Clock } from "../core/clock.ts";
import { credits, instant } from "./ledger-values.ts";

/** What an operation costs: by the contract, and as the service last charged it. */
export type LearnedCost = {
  readonly operation: string;
  readonly documented: number;
  readonly learned: number;
  readonly sampleCount: number;
};

/** Notes what the header of a successful call said. */
export async function learnCost(
  db: QueryExecutorProvider,
  operation: { id: string; cost: number },
  charged: number,
  clock: Clock,
): Promise<void> {
  await sql`
    insert into ops.credit_cost as c (operation, documented, learned, sample_count, last_seen_at)
    values (${operation.id}, ${credits(operation.cost)}, ${credits(charged)}, 1, ${instant(clock.now())})
    on conflict (operation) do update
    set documented = excluded.documented, learned = excluded.learned, sample_count = c.sample_count + 1, last_seen_at = excluded.last_seen_at`.execute(
    db,
  );
}

/** Every cost that was learned, by operation. */
export async function learnedCosts(db: QueryExecutorProvider): Promise<readonly LearnedCost[]> {
  const { rows } = await sql<{ operation: string; documented: number; learned: number; sample_count: string }>`
    select operation, documented, learned, sample_count from ops.credit_cost order by operation`.execute(db);
  return rows.map((row) => ({
    operation: row.operation,
    documented: row.documented,
    learned: row.learned,
    sampleCount: Number(row.sample_count),
  }));
}
