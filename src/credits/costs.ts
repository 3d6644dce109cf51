import { sql, type Queryable } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { credits, instant } from "./sql-values.ts";

/** What an operation costs: by the contract, and as the service last charged it. */
export type LearnedCost = {
  readonly operation: string;
  readonly documented: number;
  readonly learned: number;
};

/** What the header of a successful call said. */
export type Charge = { readonly operation: { readonly id: string; readonly cost: number }; readonly charged: number };

/** Records what successful calls were charged, in the order in which they were answered: the last one counts. One statement. */
export async function learnCosts(db: Queryable, charges: readonly Charge[], clock: Clock): Promise<void> {
  const last = [...new Map(charges.map((charge) => [charge.operation.id, charge])).values()];
  const values = last.map(
    ({ operation, charged }) =>
      sql`(${operation.id}, ${credits(operation.cost)}, ${credits(charged)}, ${instant(clock.now())})`,
  );
  await sql`
    insert into ops.credit_cost as c (operation, documented, learned, last_seen_at)
    select * from (values ${sql.join(values)}) as seen (operation, documented, learned, last_seen_at)
    order  by operation
    on conflict (operation) do update
    set documented = excluded.documented, learned = excluded.learned, last_seen_at = excluded.last_seen_at`.execute(db);
}

/** Every cost that was learned, by operation. */
export async function learnedCosts(db: Queryable): Promise<readonly LearnedCost[]> {
  const { rows } = await sql<LearnedCost>`
    select operation, documented, learned from ops.credit_cost order by operation`.execute(db);
  return rows;
}
