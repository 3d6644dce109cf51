import { dayMs, hourMs } from "../core/day.ts";
import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { FiredAlert, Incident, Message } from "./message.ts";

/** A worker has this long to send a message; after that another worker sends it. */
const leaseMs = 60_000;
const firstWaitMs = 30_000;
const longestWaitMs = hourMs;
/**
 * An incident that closed this long ago without a message is only in `ops.incident_log`, and a firing that was due this long ago only in
 * `ops.alert_log`: a webhook that is set later gets no long history, and one that was away over a weekend gets what it missed.
 */
const historyMs = 7 * dayMs;
/** Incidents, and alerts, that one message lists; further ones are counted. */
const mostListed = 100;

/** Sends a message; throws if the receiver did not accept it. */
export type Send = (message: Message) => Promise<void>;

/** Nothing to send (or another worker sends it), the message was accepted, or it was not. */
export type NotifyResult = "nothing" | "sent" | { readonly failed: unknown; readonly nextAt: number };

/**
 * Sends one message about every incident that opened, stays open or closed since it was last notified, and about firings of alerts that are
 * due. Each counts as notified when the webhook has accepted the message, so a process that is killed in between repeats a message rather
 * than losing it. `repeatMs`: an incident that stays open is notified again after this time.
 */
export async function notify(
  db: Database,
  { send, repeatMs, now }: { readonly send: Send; readonly repeatMs: number; readonly now: () => number },
): Promise<NotifyResult> {
  const isDue = dueAt(now(), repeatMs);
  if (!(await claimTurn(db, now(), isDue))) return "nothing";
  const due = await readDue(db, isDue, now());
  try {
    await send({ ...due.message, sentAt: now(), isTest: false });
  } catch (failed) {
    return { failed, nextAt: await recordFailure(db, now()) };
  }
  await recordSent(db, due, now());
  return "sent";
}

/**
 * SQL: whether a message about incident `i` is due. An open one is repeated only if a check has found its problem again since: no check
 * does that for an account that was given up.
 */
function dueAt(now: number, repeatMs: number): SqlFragment<boolean> {
  return sql<boolean>`(case when i.closed_at is null then i.notified_at is null or (i.notified_at <= ${instant(now - repeatMs)} and i.last_seen_at > i.notified_at)
                            else i.close_notified_at is null and (i.notified_at is not null or i.closed_at > ${instant(now - historyMs)}) end)`;
}

/** SQL: firings of currently configured alerts that a message is due for. */
function alertsDueAt(now: number): SqlFragment<boolean> {
  return sql<boolean>`(f.notified_at is null and f.due_at <= ${instant(now)} and f.due_at > ${instant(now - historyMs)}
    and exists (select from ops.alert as a where a.alert_name = f.alert_name and a.digest = f.digest))`;
}

/** Messages in a row that the webhook did not accept, since when the oldest incident or alert waits, and when the next one is sent. */
export type Undelivered = { readonly failures: number; readonly since: Date; readonly nextAt: Date | null };

/** Reads what waits because the webhook did not accept the last message; null if it did, or if nothing waits any more. */
export async function readUndelivered(
  db: Database,
  { repeatMs, now }: { readonly repeatMs: number; readonly now: number },
): Promise<Undelivered | null> {
  const repeated = sql`i.notified_at + ${repeatMs} * interval '1 millisecond'`;
  const { rows } = await sql<Undelivered>`
    select w.notify_failures as failures, waits.since, w.notify_after as "nextAt"
    from   ops.watch as w
    cross  join lateral (
      select min(since) as since
      from   (select case when i.notified_at is null then i.opened_at else coalesce(i.closed_at, ${repeated}) end as since
              from   ops.incident as i where ${dueAt(now, repeatMs)}
              union  all select f.due_at from ops.alert_fire as f where ${alertsDueAt(now)}) as due) as waits
    where  w.notify_failures > 0 and waits.since is not null`.execute(db);
  return rows[0] ?? null;
}

/** Claims the sending, if a message is due and no other worker sends or waits after a failure. */
async function claimTurn(db: Database, now: number, isDue: SqlFragment<boolean>): Promise<boolean> {
  const { rows } = await sql`
    update ops.watch set notify_after = ${instant(now + leaseMs)}
    where  (notify_after is null or notify_after <= ${instant(now)} or notify_after > ${instant(now + longestWaitMs)})
    and    (exists (select from ops.incident as i where ${isDue}) or exists (select from ops.alert_fire as f where ${alertsDueAt(now)}))
    returning is_only`.execute(db);
  return rows.length > 0;
}

type Due = {
  readonly message: Pick<Message, "opened" | "stillOpen" | "closed" | "alerts" | "counts">;
  /** The state of each incident in the message: an incident that closes while the message is sent is due again. */
  readonly incidents: readonly { readonly id: string; readonly isClosed: boolean }[];
  /** Numbers of the firings of alerts, including those that the message does not list. */
  readonly fires: readonly string[];
};

async function readDue(db: Database, isDue: SqlFragment<boolean>, now: number): Promise<Due> {
  const { rows } = await sql<Incident & { isNotified: boolean }>`
    select incident_id as "incidentId", kind, subject, c.account, summary, detail, opened_at as "openedAt", closed_at as "closedAt",
           notified_at is not null as "isNotified"
    from   ops.incident as i
    left   join ops.credit_account as c using (account_id)
    where  ${isDue}
    -- where there are too many to list, the new ones are listed
    order  by closed_at is not null, notified_at is not null, incident_id`.execute(db);
  const split = (list: typeof rows) => ({
    opened: list.filter(({ isNotified, closedAt }) => !isNotified && closedAt === null),
    stillOpen: list.filter(({ isNotified, closedAt }) => isNotified && closedAt === null),
    closed: list.filter(({ closedAt }) => closedAt !== null),
  });
  const all = split(rows);
  const fires = await readDueAlerts(db, now);
  const counts = { opened: all.opened.length, stillOpen: all.stillOpen.length, closed: all.closed.length };
  return {
    message: {
      ...split(rows.slice(0, mostListed)),
      alerts: [...Map.groupBy(fires.slice(0, mostListed), ({ alertName }) => alertName).values()].flat(),
      counts: { ...counts, alerts: fires.length },
    },
    fires: fires.map(({ alertFireId }) => alertFireId),
    incidents: rows.map(({ incidentId, closedAt }) => ({ id: incidentId, isClosed: closedAt !== null })),
  };
}

async function readDueAlerts(db: Database, now: number): Promise<readonly FiredAlert[]> {
  const { rows } = await sql<FiredAlert>`
    select alert_fire_id as "alertFireId", alert_name as "alertName", mart, summary, detail, date_day as day, compared_day as "comparedDay",
           fired_at as "firedAt"
    from   ops.alert_fire as f
    where  ${alertsDueAt(now)}
    -- where there are too many to list, some of each alert are listed
    order  by row_number() over (partition by alert_name order by date_day, alert_fire_id), alert_name`.execute(db);
  return rows;
}

async function recordSent(db: Database, { incidents, fires }: Due, now: number): Promise<void> {
  await sql`
    with fired as (
      update ops.alert_fire set notified_at = ${instant(now)} where alert_fire_id = any (${[...fires]}::bigint[])
    ), sent as (
      update ops.incident as i
      set    notified_at       = case when s.is_closed then i.notified_at else ${instant(now)} end,
             close_notified_at = case when s.is_closed then ${instant(now)} end
      from   unnest(${incidents.map(({ id }) => id)}::bigint[], ${incidents.map(({ isClosed }) => isClosed)}::boolean[]) as s (incident_id, is_closed)
      where  i.incident_id = s.incident_id
    )
    update ops.watch set notify_after = null, notify_failures = 0`.execute(db);
}

/** The wait doubles with each message that was not accepted, up to an hour. Returns when it ends. */
async function recordFailure(db: Database, now: number): Promise<number> {
  const { rows } = await sql<{ after: Date }>`
    update ops.watch
    set    notify_failures = notify_failures + 1,
           notify_after = ${instant(now)} + least(${longestWaitMs}, ${firstWaitMs} * power(2, least(20, notify_failures))) * interval '1 millisecond'
    returning notify_after as after`.execute(db);
  return rows[0]?.after.getTime() ?? now;
}
