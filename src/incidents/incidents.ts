import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Finding, IncidentKind } from "./kinds.ts";

/*
 * seen                    opens an incident, or keeps the one that is open
 * not seen                one look away; after `looks_to_close` looks in a row it is closed
 * seen again after that   a new incident; within a day of the last one it needs twice as many looks to close, so that what flaps is
 *                         told ever more seldom
 */

/** One look may be a race with what mends itself. */
const firstLooksToClose = 2;
/** About an hour. */
const mostLooksToClose = 64;

/** An incident as it opens or closes. */
export type Incident = {
  readonly incidentId: string;
  readonly kind: IncidentKind;
  readonly subject: string;
  readonly summary: string;
};

/** Takes the turn to look; false when a worker did within `everyMs`. */
export async function takeLook(db: Database, now: number, everyMs: number): Promise<boolean> {
  const { rows } = await sql`
    update ops.watch set looked_at = ${at(now)}
    where  looked_at is null or abs(extract(epoch from ${at(now)} - looked_at)) * 1000 >= ${everyMs}
    returning is_only`.execute(db);
  return rows.length > 0;
}

/** What a look found: of each kind, everything that is wrong now. Kinds that could not be looked at are left out, and stay as they are. */
export type Look = {
  readonly kinds: readonly IncidentKind[];
  readonly findings: readonly Finding[];
  /** The account that was looked at; incidents of others stay as they are. */
  readonly accountId: string;
};

/** Compares what a look found with what is open, and writes it down. Returns what opened and what closed. */
export async function noteLook(
  db: Database,
  look: Look,
  now: number,
): Promise<{ readonly opened: readonly Incident[]; readonly closed: readonly Incident[] }> {
  return db.transaction().execute(async (transaction) => ({
    opened: await openOrKeep(transaction, look, now),
    closed: await closeAway(transaction, look, now),
  }));
}

const columns = sql`incident_id as "incidentId", kind, subject, summary`;

async function openOrKeep(db: Database, { findings }: Look, now: number): Promise<readonly Incident[]> {
  if (findings.length === 0) return [];
  // `xmax = 0` tells a row that was inserted from one that was there
  const { rows } = await sql<Incident & { isNew: boolean }>`
    insert into ops.incident as i (kind, subject, account_id, summary, detail, opened_at, last_seen_at, looks_to_close)
    select f.kind, f.subject, f.account_id, f.summary, f.detail, ${at(now)}, ${at(now)},
           least(${mostLooksToClose}, ${firstLooksToClose} * power(2, least(10, back.count)))::integer
    from   jsonb_to_recordset(${JSON.stringify(findings.map(rowOf))}::jsonb)
             as f (kind text, subject text, account_id text, summary text, detail jsonb)
    cross  join lateral (select count(*) from ops.incident as o
                         where  o.kind = f.kind and o.subject = f.subject and o.account_id = f.account_id
                         and    o.closed_at > ${at(now - 86_400_000)}) as back
    order  by f.kind, f.subject, f.account_id
    on conflict (kind, subject, account_id) where closed_at is null do update
    set summary = excluded.summary, detail = excluded.detail, last_seen_at = excluded.last_seen_at, looks_away = 0
    returning ${columns}, xmax = 0 as "isNew"`.execute(db);
  return rows.filter(({ isNew }) => isNew);
}

async function closeAway(db: Database, look: Look, now: number): Promise<readonly Incident[]> {
  const { rows } = await sql<Incident & { isClosed: boolean }>`
    update ops.incident
    set    looks_away = looks_away + 1,
           closed_at  = case when looks_away + 1 >= looks_to_close then ${at(now)} end
    where  closed_at is null
    and    kind = any (${[...look.kinds]}::text[]) and account_id in ('', ${look.accountId})
    and    (kind, subject, account_id) not in (
             select f.kind, f.subject, f.account_id
             from   jsonb_to_recordset(${JSON.stringify(look.findings.map(rowOf))}::jsonb) as f (kind text, subject text, account_id text))
    returning ${columns}, closed_at is not null as "isClosed"`.execute(db);
  return rows.filter(({ isClosed }) => isClosed);
}

function rowOf({ kind, subject, accountId, summary, detail }: Finding) {
  return { kind, subject, account_id: accountId, summary, detail };
}

/** An instant (epoch-ms) as SQL. */
function at(instant: number): SqlFragment<Date> {
  return sql`${new Date(instant).toISOString()}::timestamptz`;
}
