import type { QueryExecutorProvider } from "kysely";
import type { Clock } from "../core/clock.ts";
import { readAccount, type AccountState } from "./account.ts";

/** When many calls find the balance wanting, one question to the service in this time answers all of them. */
export const askAgainMs = 5_000;

/**
 * Makes a way to look at the account afresh: it asks the service first, together with whoever is asking already, unless this
 * process asked a moment ago and the period that it was told of still runs.
 */
export function createFreshAccount(options: {
  readonly db: QueryExecutorProvider;
  readonly accountId: string;
  readonly clock: Clock;
  readonly refresh: () => Promise<void>;
}): () => Promise<AccountState | null> {
  const { db, accountId, clock } = options;
  let asking: Promise<void> | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function ask(): Promise<void> {
    try {
      await options.refresh();
      askedAt = clock.now();
    } finally {
      asking = null;
    }
  }

  return async () => {
    if (asking === null && clock.now() - askedAt < askAgainMs) {
      const account = await readAccount(db, accountId);
      if (account?.remaining != null && account.resetsAt !== null && account.resetsAt > clock.now()) return account;
    }
    await (asking ??= ask());
    return readAccount(db, accountId);
  };
}
