import { sql, type QueryExecutorProvider } from "kysely";
import type { Clock } from "../core/clock.ts";

/** What the service says of an allowance. Credits; `resetsAt` in epoch-ms; null where it did not say. */
export type Balance = {
  readonly total: number | null;
  readonly remaining: number | null;
  readonly resetsAt: number | null;
  readonly periodHours: number | null;
};

/** The allowance as the ledger knows it. Times in epoch-ms. */
export type AccountState = Balance & {
  readonly held: number;
  readonly inFlight: number;
  readonly pacePerSecond: number;
  readonly observedAt: number | null;
};

type AccountRow = {
  total: number | null;
  remaining: number | null;
  resets_at: Date | null;
  period_hours: string | null;
  held: number;
  in_flight: number;
  pace_per_second: number;
  observed_at: Date | null;
};

/** Makes the account's row when there is none, and lowers its pace to the one that is configured. */
export async function openAccount(
  db: QueryExecutorProvider,
  accountId: string,
  pacePerSecond: number,
  clock: Clock,
): Promise<void> {
  await sql`
    insert into ops.credit_account as a (account_id, pace_per_second, next_start_at)
    values (${accountId}, ${pacePerSecond}, ${instant(clock.now())})
    on conflict (account_id) do update set pace_per_second = excluded.pace_per_second
    where  a.pace_per_second > excluded.pace_per_second or a.in_flight = 0`.execute(db);
}

/** The allowance of an account, null when nothing is known of it. */
export async function readAccount(db: QueryExecutorProvider, accountId: string): Promise<AccountState | null> {
  const { rows } = await sql<AccountRow>`select * from ops.credit_account where account_id = ${accountId}`.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  return {
    total: row.total,
    remaining: row.remaining,
    resetsAt: row.resets_at?.getTime() ?? null,
    periodHours: row.period_hours === null ? null : Number(row.period_hours),
    held: row.held,
    inFlight: row.in_flight,
    pacePerSecond: row.pace_per_second,
    observedAt: row.observed_at?.getTime() ?? null,
  };
}

/**
 * Books what the free question about the balance brought. While calls are under way only a lower figure is believed: theirs may
 * not be in it yet. A later reset is a new period, and then the figure is believed as it is.
 */
export async function observeBalance(
  db: QueryExecutorProvider,
  accountId: string,
  balance: Balance,
  clock: Clock,
): Promise<void> {
  await sql`
    update ops.credit_account as a
    set    total        = coalesce(${balance.total}::integer, a.total),
           period_hours = coalesce(${balance.periodHours}::numeric, a.period_hours),
           remaining    = ${believed({ remaining: balance.remaining, resetsAt: balance.resetsAt, alone: sql`a.in_flight = 0` })},
           resets_at    = coalesce(${instant(balance.resetsAt)}, a.resets_at),
           observed_at  = ${instant(clock.now())}
    where  a.account_id = ${accountId}`.execute(db);
}

/** The balance to believe: the new one when no other call could have blurred it or a new period began, else the lower of both. */
export function believed(options: {
  remaining: number | null;
  resetsAt: number | null;
  alone: ReturnType<typeof sql>;
}): ReturnType<typeof sql> {
  const remaining = sql`${options.remaining}::integer`;
  return sql`case
    when ${remaining} is null then a.remaining
    when a.remaining is null or a.resets_at is null or ${options.alone} then ${remaining}
    when ${instant(options.resetsAt)} > a.resets_at + ${newPeriodAfter} then ${remaining}
    else least(a.remaining, ${remaining}) end`;
}

/** The header counts in whole seconds, so the deadline wavers a little within one period; periods last hours. */
const newPeriodAfter = sql`interval '60 seconds'`;

/** An instant as SQL. */
export function instant(at: number | null): ReturnType<typeof sql> {
  return sql`${at === null ? null : new Date(at).toISOString()}::timestamptz`;
}
