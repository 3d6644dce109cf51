import { sql } from "../postgres/sql.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { readStop } from "../credits/account-stop.ts";
import { periodStart, readAccount } from "../credits/account.ts";
import { learnedCosts } from "../credits/costs.ts";
import type { CreditClass } from "../core/slice.ts";
import { chargedCredits } from "../credits/charges.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Database } from "../postgres/database.ts";
import { paceHours, type CreditDemand } from "./credit-outlook.ts";
import { latenessOf, readSliceSums } from "./lateness.ts";
import {
  costProblems,
  creditProblems,
  driftProblems,
  failedProblems,
  lateProblems,
  stopProblems,
  type FailedGroup,
  type Problem,
  type UnknownFields,
} from "./problems.ts";
import type { IncidentKind } from "./kinds.ts";
import { isOpen } from "../ledger/open-slices.ts";

/** What a check needs. */
export type CheckParts = {
  readonly db: Database;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly accountId: string;
  /** Datasets that the crontab names: they are on, also where they are off by default. */
  readonly scheduled: ReadonlySet<string>;
};

/** Finds the problems of each kind. */
export const checks: Readonly<Record<IncidentKind, (parts: CheckParts) => Promise<readonly Problem[]>>> = {
  requests_stopped: async ({ db, accountId }) => stopProblems(accountId, await readStop(db, accountId)),
  slices_failed: async (parts) => failedProblems((await failedGroups(parts.db)).filter(isInUse(parts))),
  dataset_stale: async ({ db, settings, clock }) => lateProblems(latenessOf(await readSliceSums(db), settings, clock)),
  credits_short: async (parts) => creditProblems(parts.accountId, await readAllowance(parts), parts.clock.now()),
  contract_drift: async ({ db, clock }) => driftProblems(await unknownFields(db, clock.now())),
  cost_changed: async ({ db }) => costProblems(await learnedCosts(db)),
};

async function failedGroups(db: Database): Promise<readonly FailedGroup[]> {
  const { rows } = await sql<FailedGroup>`
    select dataset, coalesce(error_code, 'unexpected') as code, count(*)::int as slices, coalesce(min(error_message), '') as example
    from   ops.failed_slice
    group  by 1, 2
    order  by 1, 2`.execute(db);
  return rows;
}

/** Failures of a dataset that was switched off do not count: no worker would ever retry them. Those of a dataset that another version knows do. */
function isInUse({ settings, scheduled }: CheckParts): (group: FailedGroup) => boolean {
  const off = datasets.filter(({ name, on }) => !(settings.datasets[name]?.on ?? (on || scheduled.has(name))));
  const names = new Set(off.map(({ name }) => name));
  return ({ dataset }) => !names.has(dataset);
}

/** The allowance of the account; null until the API has reported one. */
async function readAllowance({ db, settings, clock, accountId }: CheckParts): Promise<CreditDemand | null> {
  const account = await readAccount(db, accountId);
  if (account?.total == null || account.remaining === null || account.resetsAt === null) return null;
  const now = clock.now();
  const startedAt = periodStart(account);
  const spentHours = Math.max(1, Math.min(paceHours, (now - (startedAt ?? 0)) / 3_600_000));
  const since = new Date(now - spentHours * 3_600_000).toISOString();
  const { rows: spent } = await sql<{ credits: number }>`
    select ${chargedCredits()} as credits
    from   ops.request
    where  account_id = ${accountId} and class <> 'history' and received_at > ${since}::timestamptz`.execute(db);
  const { rows: open } = await sql<{ class: CreditClass; credits: number }>`
    select class, sum(planned_credits)::float8 as credits
    from   ops.slice
    where  ${isOpen("slice")}
    group  by class`.execute(db);
  return {
    total: account.total,
    remaining: account.remaining,
    held: account.held,
    resetsAt: account.resetsAt,
    spent: spent[0]?.credits ?? 0,
    spentHours,
    open: Object.fromEntries(open.map((line) => [line.class, line.credits])),
    floors: settings.credits.floors,
  };
}

/** Not each answer has each field: a field is gone when the answers of so many days came without it. */
const goneAfterMs = 3 * 86_400_000;
/** An operation that was not called for so long no longer counts; the longest period between two calls is a month. */
const unusedAfterMs = 62 * 86_400_000;

/** Unknown fields that answers still contain, grouped by the day on which they first came: later ones are an incident of their own. */
async function unknownFields(db: Database, now: number): Promise<readonly UnknownFields[]> {
  const { rows } = await sql<UnknownFields>`
    select d.operation, (d.first_seen_at at time zone 'UTC')::date::text as since,
           array_agg(d.path || ' (' || d.kind || ')' order by d.path, d.kind) as fields
    from   ops.drift as d
    left   join ops.credit_cost as c on c.operation = d.operation
    where  d.last_seen_at > c.last_seen_at - ${goneAfterMs} * interval '1 millisecond' is not false
    and    greatest(c.last_seen_at, d.last_seen_at) > ${new Date(now - unusedAfterMs).toISOString()}::timestamptz
    group  by 1, 2
    order  by 1, 2`.execute(db);
  return rows;
}
