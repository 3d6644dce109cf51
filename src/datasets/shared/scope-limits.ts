import type { Portfolio } from "../../core/portfolio.ts";
import type { Scope, Slice } from "../../core/slice.ts";
import { accountColumn } from "../../load/table.ts";

/**
 * A scope with the most pages to request. The limit is part of the scope because a shortened answer differs from the whole one: a
 * higher limit requests it again, and a replay stops at the same page.
 */
export function withMostPages(scope: Scope, mostPages: number | undefined): Scope {
  return mostPages === undefined ? scope : { ...scope, most_pages: String(mostPages) };
}

/** A scope with the account of the portfolio; the account of API_TOKEN is not named. */
export function withAccount(scope: Scope, { account }: Pick<Portfolio, "account">): Scope {
  return account === undefined ? scope : { ...scope, [accountColumn]: account };
}

/** A scope without the account, as facts have it. */
export function withoutAccount(scope: Scope): Scope {
  return Object.fromEntries(Object.entries(scope).filter(([name]) => name !== accountColumn));
}

/** The most pages of a slice's answer to request; infinite if there is no limit. */
export function mostPagesOf({ scope }: Pick<Slice, "scope">): number {
  return scope["most_pages"] === undefined ? Number.POSITIVE_INFINITY : Number(scope["most_pages"]);
}
