import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Folded, IncidentRow } from "./fold.ts";
import { summaryOf, type IncidentKind } from "./kinds.ts";
import type { Incident } from "./message.ts";
import type { Problem } from "./problems.ts";
import { dayMs } from "../core/day.ts";
import { minuteOf } from "../core/words.ts";

/*
 * A problem that a check finds opens an incident, or keeps the one that is open; an effect of another problem only keeps an open one. An
 * incident closes after `cleanChecksToClose` checks in a row without its problem; a problem that returns later opens a new one.
 */

/** Ten minutes at the usual interval of checks: a problem that comes and goes faster stays one incident. */
const cleanChecksToClose = 10;

/** An incident as the log names it when it opens or closes. */
type IncidentLine = Pick<Incident, "incidentId" | "kind" | "subject" | "summary">;

/** If nothing happens, only time can cause a problem, and such problems develop over days. */
const quietCheckMs = 10 * 60_000;
/** A slice ends a while after its request. */
const settlingMs = 2 * 60_000;

/** SQL: true if a check may find something different from the last one: an incident is open, or requests were sent since. */
function isCheckDue(now: number): SqlFragment<boolean> {
  const last = sql`w.full_check_at`;
  const since = sql`${last} - ${settlingMs} * interval '1 millisecond'`;
  return sql<boolean>`(abs(extract(epoch from ${instant(now)} - ${last})) * 1000 >= ${quietCheckMs}
    or exists (select from ops.incident where closed_at is null)
    or exists (select from ops.api_outage where ended_at is null)
    or exists (select from ops.account_stop where lifted_at is null)
    or exists (select from ops.request where received_at > ${since})
    or exists (select from ops.finding where found_at > ${since} and found_at <= ${instant(now)}))`;
}

/** What a check is about: an account, by the hash of its key, or the warehouse if that is empty. */
type CheckTurn = { readonly accountId: string; readonly everyMs: number };

/** Claims the next such check for this worker; false if a worker has started one within `everyMs`, or if there is nothing new to find. */
export async function claimCheck(db: Database, { accountId, everyMs }: CheckTurn, now: number): Promise<boolean> {
  const { rows } = await sql<{ isFull: boolean }>`
    insert into ops.watch_check as w (account_id, checked_at, full_check_at)
    values (${accountId}, ${instant(now)}, ${instant(now)})
    on conflict (account_id) do update
    set    checked_at = excluded.checked_at, full_check_at = case when ${isCheckDue(now)} then excluded.checked_at else w.full_check_at end
    where  abs(extract(epoch from excluded.checked_at - w.checked_at)) * 1000 >= ${everyMs}
    returning full_check_at = checked_at as "isFull"`.execute(db);
  return rows[0]?.isFull === true;
}

/** The open incidents of the warehouse and of all accounts. */
export async function readOpen(db: Database): Promise<readonly IncidentRow[]> {
  const { rows } = await sql<IncidentRow>`
    select kind, subject, account_id as "accountId", opened_at as "openedAt"
    from   ops.incident
    where  closed_at is null`.execute(db);
  return rows;
}

/** What a check found about these accounts, the warehouse being the one without a name. Incidents of kinds that could not be checked, and of others, stay as they are. */
export type CheckResult = {
  readonly kinds: readonly IncidentKind[];
  readonly found: Folded;
  readonly open: readonly IncidentRow[];
  readonly accountIds: readonly string[];
  /** Names of the configured accounts, except that of API_TOKEN; null if the process knows only its own. */
  readonly configured: readonly string[] | null;
};

/** Records the result of a check in one transaction. Returns the incidents that opened and those that closed. */
export async function recordCheck(
  db: Database,
  result: CheckResult,
  now: number,
): Promise<{ readonly opened: readonly IncidentLine[]; readonly closed: readonly IncidentLine[] }> {
  return db.transaction().execute(async (transaction) => ({
    opened: await openOrKeep(transaction, result, now),
    closed: [...(await closeClean(transaction, result, now)), ...(await closeGivenUp(transaction, result, now))],
  }));
}

const columns = sql`incident_id as "incidentId", kind, subject, summary`;

async function openOrKeep(
  db: Database,
  { found: { causes, effects }, open }: CheckResult,
  now: number,
): Promise<readonly IncidentLine[]> {
  const isOpen = (one: Problem) => open.some((incident) => keyOf(incident) === keyOf(one));
  const found = [
    ...causes.map(({ problem, effects: names }) => rowOf(problem, sinceOf(problem, open, now), names)),
    ...effects.filter(isOpen).map((effect) => rowOf(effect, sinceOf(effect, open, now))),
  ];
  if (found.length === 0) return [];
  // `xmax = 0` is true for a row that was inserted, not for one that was updated
  const { rows } = await sql<IncidentLine & { isNew: boolean }>`
    insert into ops.incident as i (kind, subject, account_id, summary, detail, opened_at, last_seen_at)
    select p.kind, p.subject, p.account_id, p.summary, p.detail, ${instant(now)}, ${instant(now)}
    from   jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
             as p (kind text, subject text, account_id text, summary text, detail jsonb)
    order  by p.kind, p.subject, p.account_id
    on conflict (kind, subject, account_id) where closed_at is null do update
    set summary = excluded.summary, detail = excluded.detail, last_seen_at = excluded.last_seen_at, clean_checks = 0
    returning ${columns}, xmax = 0 as "isNew"`.execute(db);
  return rows.filter(({ isNew }) => isNew);
}

type Key = Pick<IncidentRow, "kind" | "subject" | "accountId">;

function keyOf({ kind, subject, accountId }: Key): string {
  return JSON.stringify([kind, subject, accountId]);
}

/** When a problem began, in epoch-ms: according to its check, otherwise when its incident opened. */
function sinceOf(one: Problem, open: readonly IncidentRow[], now: number): number {
  const openedAt = open.find((incident) => keyOf(incident) === keyOf(one))?.openedAt.getTime() ?? now;
  return one.isTriedAgain === true ? Math.min(one.since ?? now, openedAt) : (one.since ?? openedAt);
}

/** What the text of a closed incident begins with. */
const overWords = "This is over. As last reported: ";

async function closeClean(db: Database, result: CheckResult, now: number): Promise<readonly IncidentLine[]> {
  const { causes, effects } = result.found;
  const found = [...causes.map(({ problem }) => problem), ...effects].map(({ kind, subject, accountId }) => ({
    kind,
    subject,
    account_id: accountId,
  }));
  const { rows } = await sql<IncidentLine & { isClosed: boolean }>`
    update ops.incident
    set    clean_checks = clean_checks + 1,
           -- what it says in the present tense is over
           summary      = case when clean_checks + 1 >= ${cleanChecksToClose} then ${overWords} else '' end || summary,
           closed_at    = case when clean_checks + 1 >= ${cleanChecksToClose} then ${instant(now)} end
    where  closed_at is null
    and    kind = any (${[...result.kinds]}::text[]) and (account_id = any (${[...result.accountIds]}::text[]) or ${isOfFormerToken(result.accountIds)})
    and    (kind, subject, account_id) not in (
             select p.kind, p.subject, p.account_id
             from   jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as p (kind text, subject text, account_id text))
    returning ${columns}, closed_at is not null as "isClosed"`.execute(db);
  return rows.filter(({ isClosed }) => isClosed);
}

/**
 * An account that is not in the configuration is given up if no worker has checked it for this long: a worker may have a separate
 * configuration.
 */
export const givenUpMs = dayMs;

/** Closes incidents of accounts that were given up: no check can find whether they are over, so no message says so. */
async function closeGivenUp(db: Database, { configured }: CheckResult, now: number): Promise<readonly IncidentLine[]> {
  if (configured === null) return [];
  const since = instant(now - givenUpMs);
  const { rows } = await sql<IncidentLine>`
    update ops.incident as i set closed_at = ${instant(now)}, close_notified_at = ${instant(now)}
    where  closed_at is null and last_seen_at < ${since}
    and    account_id in (select account_id from ops.credit_account where account <> '' and account <> all (${[...configured]}::text[]))
    and    not exists (select from ops.watch_check as w where w.account_id = i.account_id and w.checked_at >= ${since})
    returning ${columns}`.execute(db);
  return rows;
}

/** SQL: true for an incident of a former token of one of these accounts: no check can find whether it is over. */
function isOfFormerToken(accountIds: readonly string[]): SqlFragment<boolean> {
  return sql<boolean>`account_id in (
    select former.account_id from ops.credit_account as former join ops.credit_account as own on own.account = former.account
    where  own.account_id = any (${[...accountIds]}::text[]))`;
}

function rowOf({ kind, subject, accountId, facts }: Problem, since: number, effects: readonly string[] = []) {
  const detail = { since: new Date(since).toISOString(), ...facts, ...(effects.length > 0 ? { effects } : {}) };
  return {
    kind,
    subject,
    account_id: accountId,
    summary: summaryOf({ kind, facts }, minuteOf(since), effects),
    detail,
  };
}
