import { sql, type Queryable } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { credits, instant } from "./sql-values.ts";

/** What an operation costs: by the contract, and as the service last charged it. */
export type LearnedCost = {
  readonly operation: string;
  readonly documented: number;
  readonly learned: number;
  readonly sampleCount: number;
};

/** What the header of a successful call said. */
export type Charge = { readonly operation: { readonly id: string; readonly cost: number }; readonly charged: number };

/** Notes what successful calls were charged, in the order in which they were answered: the last one counts. One statement. */
export async function learnCosts(db: Queryable, charges: readonly Charge[], clock: Clock): Promise<void> {
  const seen = [...Map.groupBy(charges, ({ operation }) => operation.id).values()].map((same) => ({
    count: same.length,
    last: same[same.length - 1] as Charge,
  }));
  const values = seen.map(
    ({ count, last: { operation, charged } }) =>
      sql`(${operation.id}, ${credits(operation.cost)}, ${credits(charged)}, ${count}::integer, ${instant(clock.now())})`,
  );
  await sql`
    insert into ops.credit_cost as c (operation, documented, learned, sample_count, last_seen_at)
    select * from (values ${sql.join(values)}) as seen (operation, documented, learned, sample_count, last_seen_at)
    order  by operation
    on conflict (operation) do update
    set documented = excluded.documented, learned = excluded.learned, sample_count = c.sample_count + excluded.sample_count,
        last_seen_at = excluded.last_seen_at`.execute(db);
}

/** Every cost that was learned, by operation. */
export async function learnedCosts(db: Queryable): Promise<readonly LearnedCost[]> {
  const { rows } = await sql<{ operation: string; documented: number; learned: number; sample_count: string }>`
    select operation, documented, learned, sample_count from ops.credit_cost order by operation`.execute(db);
  return rows.map((row) => ({
    operation: row.operation,
    documented: row.documented,
    learned: row.learned,
    sampleCount: Number(row.sample_count),
  }));
}
