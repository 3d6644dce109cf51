import { sql } from "kysely";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { readStop } from "../credits/account-stop.ts";
import { readAccount } from "../credits/account.ts";
import { learnedCosts } from "../credits/costs.ts";
import type { CreditClass } from "../core/slice.ts";
import type { Database } from "../warehouse/database.ts";
import { paceHours, type Allowance } from "./credit-outlook.ts";
import { latenessOf, readStates } from "./dataset-facts.ts";
import {
  costFindings,
  creditFindings,
  driftFindings,
  failedFindings,
  lateFindings,
  stoppedFindings,
  type FailedGroup,
} from "./findings.ts";
import type { Finding, IncidentKind } from "./incident-kinds.ts";

/** What a look needs. */
export type LookParts = {
  readonly db: Database;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly accountId: string;
};

/** Looks for what is wrong, a kind at a time. */
export const looks: Readonly<Record<IncidentKind, (parts: LookParts) => Promise<readonly Finding[]>>> = {
  asking_stopped: async ({ db, accountId }) => stoppedFindings(accountId, await readStop(db, accountId)),
  slices_failed: async ({ db }) => failedFindings(await failedGroups(db)),
  dataset_stale: async ({ db, settings, clock }) => lateFindings(latenessOf(await readStates(db), settings, clock)),
  credits_short: async (parts) => creditFindings(parts.accountId, await readAllowance(parts), parts.clock.now()),
  contract_drift: async ({ db, clock }) => driftFindings(await newDrift(db, clock.now())),
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

/** A field that came on a Friday evening is told on Monday by a worker that was away. */
const newForMs = 3 * 86_400_000;

async function newDrift(
  db: Database,
  now: number,
): Promise<readonly { readonly operation: string; readonly fields: readonly string[] }[]> {
  const since = new Date(now - newForMs).toISOString();
  const { rows } = await sql<{ operation: string; fields: readonly string[] }>`
    select operation, array_agg(path || ' (' || kind || ')' order by path, kind) as fields
    from   ops.drift
    where  operation in (select operation from ops.drift where first_seen_at > ${since}::timestamptz)
    group  by operation
    order  by operation`.execute(db);
  return rows;
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
    where  account_id = ${accountId} and class <> 'backfill' and received_at > ${since}::timestamptz`.execute(db);
  const { rows: open } = await sql<{ class: CreditClass; credits: number }>`
    select class, sum(planned_credits)::float8 as credits
    from   ops.slice
    where  state in ('pending', 'running', 'deferred')
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
