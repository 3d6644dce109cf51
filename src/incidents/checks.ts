import { firstTryMs } from "../core/retry-times.ts";
import { readSliceSums } from "../ledger/slice-sums.ts";
import { dayMs, hourMs } from "../core/day.ts";
import { instant, sql } from "../postgres/sql.ts";
import { accountOf } from "../config/config-of-account.ts";
import { readStop } from "../credits/account-stop.ts";
import { learnedCosts, wrongPrices } from "../credits/costs.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Database } from "../postgres/database.ts";
import { readCreditDemand } from "./credit-demand.ts";
import { budgetProblems } from "./budget-checks.ts";
import type { CheckParts } from "./check-parts.ts";
import { failedProblems, type FailedGroup } from "./failures.ts";
import { incidentKinds, kindNamed, type IncidentKind } from "./kinds.ts";
import { dayProblems } from "./lost-days.ts";
import { isInUse, latenessOf, readOwnPackDays } from "./lateness.ts";
import {
  costProblems,
  creditProblems,
  driftProblems,
  heldProblems,
  lateProblems,
  stopProblems,
  wrongPriceProblems,
  type Problem,
  type UnknownFields,
  type WaitingForCredits,
} from "./problems.ts";
import { outageProblems, workerProblems } from "./service-checks.ts";
import { readHeld } from "../ledger/held-answers.ts";
import { isOfAccount, likelyCredits } from "../ledger/open-slices.ts";
import { readFindings } from "../ledger/findings.ts";

/** A check, and the kinds of problems that it finds. */
type Check = {
  readonly kinds: readonly IncidentKind[];
  readonly find: (parts: CheckParts) => Promise<readonly Problem[]>;
};

const raisedKinds = (Object.keys(incidentKinds) as IncidentKind[]).filter((kind) => kindNamed(kind)?.isRaised === true);

/** Every check. Each kind is found by one of them. */
export const checks: readonly Check[] = [
  { kinds: ["api_unavailable"], find: outageProblems },
  {
    kinds: ["requests_stopped"],
    find: async ({ db, accountId }) => stopProblems(accountId, await readStop(db, accountId)),
  },
  { kinds: ["no_worker"], find: workerProblems },
  {
    kinds: ["slices_failed", "app_failing"],
    find: async (parts) => failedProblems((await failedGroups(parts)).filter(ofUsed(parts))),
  },
  { kinds: ["day_at_risk", "day_lost"], find: ({ db, clock }) => dayProblems(db, clock.now()) },
  {
    kinds: ["dataset_stale", "datasets_stale"],
    find: async ({ db, clock, ...parts }) => {
      const ownPackDays = await readOwnPackDays(db, clock.now());
      return lateProblems(latenessOf(await readSliceSums(db), { clock, ownPackDays, ...parts }), clock.now());
    },
  },
  {
    kinds: ["credits_exhausted", "credits_short"],
    find: async (parts) =>
      creditProblems(
        parts.accountId,
        { allowance: await readCreditDemand(parts), waiting: await waitingForCredits(parts) },
        parts.clock.now(),
      ),
  },
  { kinds: ["budget_exhausted"], find: budgetProblems },
  {
    kinds: ["contract_drift"],
    find: async ({ db, clock }) => driftProblems(await unknownFields(db, clock.now())),
  },
  { kinds: ["cost_changed"], find: async ({ db }) => costProblems(await learnedCosts(db)) },
  {
    kinds: ["price_wrong"],
    find: async ({ db, clock }) => wrongPriceProblems(await wrongPrices(db, clock.now() - wrongPriceStaysMs)),
  },
  {
    kinds: ["answer_held"],
    find: async ({ db, accountId, settings }) => heldProblems(accountId, await readHeld(db, accountOf(settings))),
  },
  { kinds: raisedKinds, find: raisedProblems },
];

/** A later try starts within a minute of its time; if it is overdue by this much, it will not start for now. */
const tryOverdueMs = 10 * 60_000;

/** Failed slices, except those whose first later try is still to come: most failures pass. */
async function failedGroups({ db, clock }: CheckParts): Promise<readonly FailedGroup[]> {
  const { rows } = await sql<FailedGroup>`
    with failed as (
      select f.dataset, coalesce(f.error_code, 'unexpected') as code, f.scope ->> 'store' as store, f.scope ->> 'app' as app,
             coalesce(r.account, '') as account, count(*)::int as slices, min(f.ended_at) as since, min(f.next_try_at) as "nextTryAt"
      from   ops.failed_slice as f
      join   ops.slice as s using (slice_id)
      left   join ops.run as r on r.run_id = s.run_id
      where  f.next_try_at is null or s.retried_at is not null
             -- a try that was put off is later than its first time
      or     least(f.next_try_at, f.ended_at + ${firstTryMs} * interval '1 millisecond') < ${instant(clock.now() - tryOverdueMs)}
      group  by 1, 2, 3, 4, 5
    )
    select failed.*, (select a.app_name from core.dim_app as a where a.store = failed.store and a.track_id = failed.app) as name
    from   failed
    order  by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}

/** Slices of the account, except history, that wait for a future reset. No reset ends `allowance_too_small`, which the verdict counts. */
async function waitingForCredits({ db, clock, settings }: CheckParts): Promise<WaitingForCredits> {
  const { rows } = await sql<WaitingForCredits>`
    select count(*)::int as slices, coalesce(sum(${likelyCredits}), 0)::int as wanted, min(ended_at) as since
    from   ops.slice as s
    left   join ops.credit_price as c on c.operation = s.operation
    where  state = 'deferred' and error_code = 'credits_exhausted' and class <> 'history'
    and    due_at > ${instant(clock.now())} and ${isOfAccount(accountOf(settings))}`.execute(db);
  return rows[0] as WaitingForCredits;
}

/**
 * Failures of a dataset that was switched off do not count: no worker would ever retry them. Those of a dataset that only another version
 * knows do count.
 */
function ofUsed(parts: CheckParts): (group: FailedGroup) => boolean {
  const names = new Set(datasets.filter((dataset) => !isInUse(dataset, parts)).map(({ name }) => name));
  return ({ dataset }) => !names.has(dataset);
}

/** A price that is not accepted is a problem for this long: the next nightly call shows whether it stays. */
const wrongPriceStaysMs = 26 * hourMs;

/** Not each answer has each field: a field counts as gone if the answers of this many days came without it. */
const goneAfterMs = 3 * dayMs;
/** An operation that has not been called for this long no longer counts; the longest period between two calls is a month. */
const unusedAfterMs = 62 * dayMs;

/** Unknown fields that answers still contain, grouped by the day on which they first came: later ones are a separate incident. */
async function unknownFields(db: Database, now: number): Promise<readonly UnknownFields[]> {
  const { rows } = await sql<UnknownFields>`
    select d.operation, (d.first_seen_at at time zone 'UTC')::date::text as since,
           array_agg(d.path || ' (' || d.kind || ')' order by d.path, d.kind) as fields
    from   ops.drift as d
    left   join ops.credit_cost as c on c.operation = d.operation
    where  d.last_seen_at > c.last_seen_at - ${goneAfterMs} * interval '1 millisecond' is not false
    and    greatest(c.last_seen_at, d.last_seen_at) > ${instant(now - unusedAfterMs)}
    group  by 1, 2
    order  by 1, 2`.execute(db);
  return rows;
}

/** Findings that other rooms have written. A finding of a kind that only another version knows is left to that version. */
async function raisedProblems({ db, clock }: CheckParts): Promise<readonly Problem[]> {
  const found = await readFindings(db, clock.now());
  return found
    .filter(({ kind }) => kindNamed(kind)?.isRaised === true)
    .map(({ kind, subject, accountId, facts, foundAt }) => {
      const one = { kind, subject, accountId, since: foundAt.getTime(), facts };
      return one as unknown as Problem;
    });
}
