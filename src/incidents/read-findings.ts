import { sql } from "../postgres/sql.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { readStop } from "../credits/account-stop.ts";
import { readAccount } from "../credits/account.ts";
import { learnedCosts } from "../credits/costs.ts";
import type { CreditClass } from "../core/slice.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Database } from "../postgres/database.ts";
import { paceHours, type Allowance } from "./credit-outlook.ts";
import { latenessOf, readStates } from "./lateness.ts";
import { standingDrift } from "./contract-drift.ts";
import {
  costFindings,
  creditFindings,
  driftFindings,
  failedFindings,
  lateFindings,
  stoppedFindings,
  type FailedGroup,
} from "./findings.ts";
import type { Finding, IncidentKind } from "./kinds.ts";
import { isOpen } from "../ledger/open-slices.ts";

/** What a look needs. */
export type LookParts = {
  readonly db: Database;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly accountId: string;
  /** Datasets that lines of the crontab name: they take part though they may be off by default. */
  readonly scheduled: ReadonlySet<string>;
};

/** Looks for what is wrong, a kind at a time. */
export const looks: Readonly<Record<IncidentKind, (parts: LookParts) => Promise<readonly Finding[]>>> = {
  asking_stopped: async ({ db, accountId }) => stoppedFindings(accountId, await readStop(db, accountId)),
  slices_failed: async (parts) => failedFindings((await failedGroups(parts.db)).filter(isAskedFor(parts))),
  dataset_stale: async ({ db, settings, clock }) => lateFindings(latenessOf(await readStates(db), settings, clock)),
  credits_short: async (parts) => creditFindings(parts.accountId, await readAllowance(parts), parts.clock.now()),
  contract_drift: async ({ db, clock }) => driftFindings(await standingDrift(db, clock.now())),
  cost_changed: async ({ db }) => costFindings(await learnedCosts(db)),
};

async function failedGroups(db: Database): Promise<readonly FailedGroup[]> {
  const { rows } = await sql<FailedGroup>`
    select dataset, coalesce(error_code, 'unexpected') as code, count(*)::int as slices, coalesce(min(error_message), '') as example
    from   ops.failed_slice
    group  by 1, 2
    order  by 1, 2`.execute(db);
  return rows;
}

/** What was switched off is tried by nobody any more, so that its failures would stand for ever. One that another version asks for stays. */
function isAskedFor({ settings, scheduled }: LookParts): (group: FailedGroup) => boolean {
  const off = datasets.filter(({ name, on }) => !(settings.datasets[name]?.on ?? (on || scheduled.has(name))));
  const names = new Set(off.map(({ name }) => name));
  return ({ dataset }) => !names.has(dataset);
}

/** What is known of the allowance; null while the service has not told. */
async function readAllowance({ db, settings, clock, accountId }: LookParts): Promise<Allowance | null> {
  const account = await readAccount(db, accountId);
  if (account?.total == null || account.remaining === null || account.resetsAt === null) return null;
  const now = clock.now();
  const startedAt = account.periodHours === null ? null : account.resetsAt - account.periodHours * 3_600_000;
  const spentHours = Math.max(1, Math.min(paceHours, (now - (startedAt ?? 0)) / 3_600_000));
  const since = new Date(now - spentHours * 3_600_000).toISOString();
  const { rows: spent } = await sql<{ credits: number }>`
    select coalesce(sum(cost), 0)::float8 as credits
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
