import { instant, type Queryable, sql } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { hourMs } from "../core/day.ts";
import { reconciledBalance } from "./reconciled-balance.ts";
import { credits, usablePace } from "./sql-values.ts";

/** An allowance as the service reports it. Credits; `resetsAt` in epoch-ms; null if it does not say. */
export type Balance = {
  readonly total: number | null;
  readonly remaining: number | null;
  readonly resetsAt: number | null;
  readonly periodHours: number | null;
};

/** The allowance according to the ledger. Times in epoch-ms. */
export type AccountState = Balance & {
  readonly held: number;
  readonly inFlight: number;
  /** True if calls have run concurrently since the last moment without a call under way. */
  readonly overlapped: boolean;
  readonly pacePerSecond: number;
  readonly observedAt: number | null;
};

/** The start of the running period, in epoch-ms; null if the service does not report one. */
export function periodStart(account: AccountState | null): number | null {
  if (account?.resetsAt == null || account.periodHours === null) return null;
  return account.resetsAt - account.periodHours * hourMs;
}

/** True if the period has ended since the service reported anything. */
export function hasReset<T extends Pick<Balance, "resetsAt">>(
  account: T,
  now: number,
): account is T & { readonly resetsAt: number } {
  return account.resetsAt !== null && account.resetsAt <= now;
}

/** The credits that are left, held ones with them: the whole total again after a reset. */
export function leftNow<C extends number | null>(
  account: { readonly total: C; readonly remaining: C; readonly resetsAt: number | null },
  now: number,
): C {
  return hasReset(account, now) ? account.total : account.remaining;
}

/** An older refusal says nothing about the pace that the service accepts now. */
const slowForMs = 10 * 60_000;

/**
 * Makes the row of the account if there is none, and lowers its pace to the configured one. It raises the pace only when no call is under
 * way and no refusal is recent: a pace that was halved because of other workers recovers through their successful calls.
 */
export async function openAccount(
  db: Queryable,
  accountId: string,
  pacePerSecond: number,
  clock: Clock,
): Promise<void> {
  const now = clock.now();
  await sql`
    insert into ops.credit_account as a (account_id, pace_per_second, next_start_at)
    values (${accountId}, ${usablePace(pacePerSecond)}, ${instant(now)})
    on conflict (account_id) do update set pace_per_second = excluded.pace_per_second
    where  a.pace_per_second > excluded.pace_per_second
    or     a.in_flight = 0 and (a.slowed_at is null or a.slowed_at < ${instant(now - slowForMs)})`.execute(db);
}

/** Records the name that the account of a token has in the configuration. */
export async function nameAccount(db: Queryable, accountId: string, account: string): Promise<void> {
  await sql`
    update ops.credit_account set account = ${account} where account_id = ${accountId} and account <> ${account}`.execute(
    db,
  );
}

/** The allowance of an account, null if it is unknown. */
export async function readAccount(db: Queryable, accountId: string): Promise<AccountState | null> {
  type Row = Omit<AccountState, "resetsAt" | "observedAt"> & { resetsAt: Date | null; observedAt: Date | null };
  const { rows } = await sql<Row>`
    select total, remaining, resets_at as "resetsAt", period_hours::float8 as "periodHours", held, in_flight as "inFlight", overlapped,
           pace_per_second as "pacePerSecond", observed_at as "observedAt"
    from   ops.credit_balance
    where  account_id = ${accountId}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  return { ...row, resetsAt: row.resetsAt?.getTime() ?? null, observedAt: row.observedAt?.getTime() ?? null };
}

/**
 * Books the result of a balance check. While calls are under way, or if one was answered after the check was sent (`sentAt`, epoch-ms),
 * only a lower balance counts: the check may not include their cost yet.
 */
export async function observeBalance(
  db: Queryable,
  accountId: string,
  balance: Balance & { readonly sentAt?: number },
  clock: Clock,
): Promise<void> {
  const now = clock.now();
  const checkSentAt = instant(balance.sentAt ?? null);
  const isExact = sql`(a.in_flight = 0 and (${checkSentAt} is null or a.observed_at is null or a.observed_at <= ${checkSentAt}))`;
  const { remaining, resetsAt } = reconciledBalance(balance, { isExact, fallback: sql`a.remaining`, now });
  await sql`
    update ops.credit_account as a
    set    total        = coalesce(${credits(balance.total)}, a.total),
           period_hours = coalesce(${balance.periodHours}::numeric, a.period_hours),
           remaining    = ${remaining},
           resets_at    = ${resetsAt},
           overlapped   = a.overlapped or a.in_flight > 0,
           observed_at  = ${instant(now)}
    where  a.account_id = ${accountId}`.execute(db);
}

/** The account id of the token with the newest balance among those of an account; '' if there is none. For commands without a token. */
export async function latestAccount(db: Queryable, account: string): Promise<string> {
  const { rows } = await sql<{ account_id: string }>`
    select account_id from ops.credit_balance where account = ${account} order by observed_at desc nulls last limit 1`.execute(
    db,
  );
  return rows[0]?.account_id ?? "";
}

/** If many calls find too few credits, one balance check within this time serves all of them. */
export const freshForMs = 5_000;

/**
 * Makes a reader of the account that checks the balance first. Callers share a check that is under way. None is sent if this process
 * checked a moment ago and no reported period has ended since.
 */
export function createAccountReader(options: {
  readonly db: Queryable;
  readonly accountId: string;
  readonly clock: Clock;
  readonly refresh: () => Promise<void>;
}): () => Promise<AccountState | null> {
  const { db, accountId, clock } = options;
  let checking: Promise<void> | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;

  async function check(): Promise<void> {
    try {
      await options.refresh();
      checkedAt = clock.now();
    } finally {
      checking = null;
    }
  }

  return async () => {
    if (checking === null && clock.now() - checkedAt < freshForMs) {
      const account = await readAccount(db, accountId);
      if (account?.remaining != null && !hasReset(account, clock.now())) return account;
    }
    await (checking ??= check());
    return readAccount(db, accountId);
  };
}
