import { accountOf } from "../config/config-of-account.ts";
import type { CreditClass } from "../core/slice.ts";
import { hourMs } from "../core/day.ts";
import { periodStart, readAccount } from "../credits/account.ts";
import { chargedCredits } from "../credits/charges.ts";
import {
  keptOfAllowance,
  nightsOf,
  readLaterTries,
  readNightsAhead,
  resetIsKnownToMs,
} from "../credits/nights-ahead.ts";
import { budgetWaitList } from "../ledger/budget-waits.ts";
import { isOfAccount, isOpen } from "../ledger/open-slices.ts";
import { instant, sql } from "../postgres/sql.ts";
import type { CheckParts } from "./check-parts.ts";
import { paceHours, type CreditDemand } from "./credit-outlook.ts";

/** The allowance of an account and the demand for it; null until the API has reported an allowance. */
export async function readCreditDemand({
  db,
  settings,
  clock,
  accountId,
}: Omit<CheckParts, "scheduled">): Promise<CreditDemand | null> {
  const account = await readAccount(db, accountId);
  if (account?.total == null || account.remaining === null || account.resetsAt === null) return null;
  const now = clock.now();
  const startedAt = periodStart(account);
  const spentHours = Math.max(1, Math.min(paceHours, (now - (startedAt ?? 0)) / hourMs));
  const { rows: spent } = await sql<{ credits: number }>`
    select ${chargedCredits} as credits
    from   ops.request_log as q
    where  account_id = ${accountId} and class <> 'history' and received_at > ${instant(now - spentHours * hourMs)}`.execute(
    db,
  );
  const { rows: earlier } = await sql<{ isFirstDay: boolean }>`
    select not exists (
      select from ops.request_log
      where  account_id = ${accountId} and received_at <= ${instant(now - paceHours * hourMs)}
      and    received_at > ${instant(now - 2 * paceHours * hourMs)}) as "isFirstDay"`.execute(db);
  const { rows: open } = await sql<{ class: CreditClass; credits: number }>`
    select class, sum(planned_credits)::float8 as credits
    from   ops.slice_status as slice
    where  ${isOpen("slice")} and ${isOfAccount(accountOf(settings), "slice")}
    -- slices that wait for a budget until after the reset take nothing before it; both often end at midnight
    and    (slice.error_code in (${budgetWaitList}) and slice.due_at >= ${instant(account.resetsAt - resetIsKnownToMs)}) is not true
    group  by class`.execute(db);
  const forecast = await readNightsAhead(db, accountId, now);
  const { floors, retries_a_day: retriesADay } = settings.credits;
  const laterTries = await readLaterTries(db, { accountId, now, retriesADay });
  const kept = keptOfAllowance(forecast, account, { floors, now, laterTries });
  return {
    total: account.total,
    remaining: account.remaining,
    held: account.held,
    resetsAt: account.resetsAt,
    spent: spent[0]?.credits ?? 0,
    spentHours,
    isFirstDay: earlier[0]?.isFirstDay === true,
    open: Object.fromEntries(open.map((line) => [line.class, line.credits])),
    floors: settings.credits.floors,
    nights: forecast && nightsOf(forecast),
    keptForNights: kept(now, account.resetsAt),
    keptNextPeriod:
      account.periodHours === null ? 0 : kept(account.resetsAt, account.resetsAt + account.periodHours * hourMs),
  };
}
