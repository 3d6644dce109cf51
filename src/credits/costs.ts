import { instant, sql, type Queryable } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { credits } from "./sql-values.ts";

/** What an operation costs: according to the contract, and as charged. */
export type LearnedCost = {
  readonly operation: string;
  readonly documented: number;
  readonly learned: number;
};

/**
 * An accepted price, named by the reply to a successful call; `isShown` if the balance fell by exactly that. `isAvoidable`: plans can use
 * another operation for the same data.
 */
export type Charge = {
  readonly operation: { readonly id: string; readonly cost: number };
  readonly charged: number;
  readonly isShown: boolean;
  readonly isAvoidable?: boolean;
};

/**
 * Records what successful calls were charged, in the order in which they were answered. A price is learned from two answers in a row, or
 * from one if the balance shows it or the contract has it. Returns the learned prices of these operations. One statement.
 */
export async function learnCosts(
  db: Queryable,
  charges: readonly Charge[],
  clock: Clock,
): Promise<ReadonlyMap<string, number>> {
  const groups = Map.groupBy(charges, ({ operation }) => operation.id);
  const values = [...groups.values()].flatMap((same) => {
    const [before, last] = [same.at(-2), same.at(-1)];
    if (last === undefined) return [];
    const { operation, charged } = last;
    const isSure = last.isShown || before?.charged === charged;
    return [
      sql`(${operation.id}, ${credits(operation.cost)}, ${credits(charged)}, ${isSure}::boolean, ${instant(clock.now())},
           ${same.some(({ isAvoidable }) => isAvoidable)}::boolean)`,
    ];
  });
  const { rows } = await sql<{ operation: string; learned: number }>`
    insert into ops.credit_cost as c (operation, documented, learned, last_charged, last_seen_at, is_avoidable)
    select operation, documented, case when is_sure then charged else documented end, charged, last_seen_at, is_avoidable
    from   (values ${sql.join(values)}) as seen (operation, documented, charged, is_sure, last_seen_at, is_avoidable)
    order  by operation
    on conflict (operation) do update
    set    documented = excluded.documented, last_charged = excluded.last_charged, last_seen_at = excluded.last_seen_at,
           is_avoidable = c.is_avoidable or excluded.is_avoidable,
           learned = case when excluded.last_charged in (excluded.learned, c.last_charged) then excluded.last_charged
                          when c.is_avoidable and c.last_seen_at < excluded.last_seen_at - interval '7 days' then excluded.documented
                          else c.learned end
    returning operation, learned`.execute(db);
  return new Map(rows.map(({ operation, learned }) => [operation, learned]));
}

/** A price header that is not accepted. `drop`: how much the balance fell, null if that is unknown. */
export type WrongPrice = { readonly operation: string; readonly header: number; readonly drop: number | null };

/** Prices of an operation that are not accepted are one problem for this long. */
const sameProblemFor = sql`interval '1 day'`;

/**
 * Records a price header that is not accepted, and deletes prices that were learned from equal headers. Only the last one of an operation
 * is kept. True if there was none in the day before.
 */
export async function recordWrongPrice(
  db: Queryable,
  { operation, header, drop }: WrongPrice,
  { documented, now }: { readonly documented: number; readonly now: number },
): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    with before as (select wrong_at from ops.credit_cost where operation = ${operation}),
    written as (
      insert into ops.credit_cost as c (operation, documented, learned, last_seen_at, last_charged, wrong_price, wrong_drop, wrong_at)
      values (${operation}, ${credits(documented)}, ${credits(documented)}, ${instant(now)}, ${credits(documented)}, ${credits(header)},
              ${credits(drop)}, ${instant(now)})
      on conflict (operation) do update
      set    learned = case when c.learned = excluded.wrong_price then excluded.documented else c.learned end, last_charged = excluded.documented,
             wrong_price = excluded.wrong_price, wrong_drop = excluded.wrong_drop, wrong_at = excluded.wrong_at
    )
    select coalesce((select wrong_at < ${instant(now)} - ${sameProblemFor} from before), true) as "isNew"`.execute(db);
  return rows[0]?.isNew ?? true;
}

/** The price headers since an instant (epoch-ms) that are not accepted, with the documented prices. */
export async function wrongPrices(
  db: Queryable,
  since: number,
): Promise<readonly (WrongPrice & { readonly documented: number })[]> {
  const { rows } = await sql<WrongPrice & { documented: number }>`
    select operation, documented, wrong_price as header, wrong_drop as drop
    from   ops.credit_cost where wrong_at >= ${instant(since)} order by operation`.execute(db);
  return rows;
}

/** Every cost that was learned, by operation; after a week without a charge the documented one, if plans can avoid the operation. */
export async function learnedCosts(db: Queryable): Promise<readonly LearnedCost[]> {
  const { rows } = await sql<LearnedCost>`
    select operation, documented, learned from ops.credit_price order by operation`.execute(db);
  return rows;
}

/** The learned prices by operation. */
export async function learnedPrices(db: Queryable): Promise<Map<string, number>> {
  return new Map((await learnedCosts(db)).map(({ operation, learned }) => [operation, learned]));
}

/** Takes prices that no longer count (see `ops.credit_price`) out of learned prices that a process keeps. */
export async function dropOldPrices(db: Queryable, learned: Map<string, number>): Promise<void> {
  const { rows } = await sql<{ operation: string }>`
    select operation from ops.credit_price as p join ops.credit_cost as c using (operation) where p.learned <> c.learned`.execute(
    db,
  );
  for (const { operation } of rows) learned.delete(operation);
}

/** The expected price of a call: the learned price or, until there is one, the documented price. */
export function callPrice(
  { id, cost }: { readonly id: string; readonly cost: number },
  learned: ReadonlyMap<string, number>,
): number {
  return learned.get(id) ?? cost;
}
