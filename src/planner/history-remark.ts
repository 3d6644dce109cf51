import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import type { CreditClass } from "../core/slice.ts";
import { countOf } from "../core/words.ts";
import { latestAccount } from "../credits/account.ts";
import { readKeptForNights } from "../credits/nights-ahead.ts";
import type { Queryable } from "../postgres/sql.ts";

/**
 * What the history of a priced plan leaves to the nights, in a sentence, since an agreed backfill may wait for it; empty if that is nothing.
 * Without an account id, of the account with the newest balance.
 */
export async function historyRemark(
  db: Queryable,
  lines: readonly { readonly class: CreditClass }[],
  { accountId, settings, clock }: { readonly accountId?: string; readonly settings: Settings; readonly clock: Clock },
): Promise<string> {
  if (!lines.some((line) => line.class === "history")) return "";
  const { credits } = await readKeptForNights(db, {
    accountId: accountId ?? (await latestAccount(db, accountOf(settings))),
    floors: settings.credits.floors,
    now: clock.now(),
  });
  return credits === 0
    ? ""
    : `History leaves ${countOf(credits, "credit")} to the nights until the reset: what takes more than the rest waits for it.`;
}
