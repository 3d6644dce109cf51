import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Notice, NoticeCounts, Told } from "./message.ts";

/** A message is under way no longer than this; whoever was killed while telling is followed by another. */
const leaseMs = 60_000;
const firstWaitMs = 30_000;
const longestWaitMs = 3_600_000;
/** What was over for so long before anybody could be told of it is history. */
const newsMs = 86_400_000;
/** Incidents of one message; what is beyond is counted. */
const mostTold = 100;

/** Sends a message; throws when it was not taken. */
export type Send = (notice: Notice) => Promise<void>;

/** How telling went: nothing was to be told (or somebody else tells it), the message was taken, or it was not. */
export type TellResult = "nothing" | "taken" | { readonly failed: unknown; readonly nextAt: number };

/**
 * Tells in one message all that opened and closed since the last one. Each incident is told when it opens and when it is over, once:
 * it counts as told when the webhook took the message, so only a process that is killed in between leaves it to be told again.
 */
export async function tell(db: Database, send: Send, now: () => number): Promise<TellResult> {
  if (!(await takeTurn(db, now()))) return "nothing";
  const news = await readNews(db, now());
  try {
    await send({ ...news, sentAt: now(), isTest: false });
  } catch (failed) {
    return { failed, nextAt: await noteFailure(db, now()) };
  }
  await noteTold(db, news.upTo, now());
  return "taken";
}

/** SQL: what the webhook has not taken yet; `i` is the incident. */
function isNews(now: number): SqlFragment<boolean> {
  return sql<boolean>`(i.recovery_told_at is null and (i.told_at is null or i.closed_at is not null)
                       and coalesce(i.closed_at, 'infinity') > ${at(now - newsMs)})`;
}

/** Takes the turn to tell, when there is something and nobody is at it or waits for a webhook that is down. */
async function takeTurn(db: Database, now: number): Promise<boolean> {
  const { rows } = await sql`
    update ops.watch set tell_after = ${at(now + leaseMs)}
    where  (tell_after is null or tell_after <= ${at(now)} or tell_after > ${at(now + longestWaitMs)})
    and    exists (select from ops.incident as i where ${isNews(now)})
    returning is_only`.execute(db);
  return rows.length > 0;
}

type News = {
  readonly opened: readonly Told[];
  readonly recovered: readonly Told[];
  readonly counts: NoticeCounts;
  /** What was read, by number: how it stood then is what is told. */
  readonly upTo: readonly { readonly id: string; readonly closed: boolean }[];
};

async function readNews(db: Database, now: number): Promise<News> {
  const { rows } = await sql<Told & { isTold: boolean }>`
    select incident_id as "incidentId", kind, subject, summary, detail, opened_at as "openedAt", closed_at as "closedAt",
           told_at is not null as "isTold"
    from   ops.incident as i
    where  ${isNews(now)}
    -- of very many those are listed that are wrong now
    order  by closed_at is not null, incident_id`.execute(db);
  const shown = rows.slice(0, mostTold);
  return {
    opened: shown.filter(({ isTold }) => !isTold),
    recovered: shown.filter(({ closedAt }) => closedAt !== null),
    counts: {
      wrong: rows.filter(({ closedAt }) => closedAt === null).length,
      over: rows.filter(({ isTold, closedAt }) => isTold && closedAt !== null).length,
      passed: rows.filter(({ isTold, closedAt }) => !isTold && closedAt !== null).length,
    },
    upTo: rows.map(({ incidentId, closedAt }) => ({ id: incidentId, closed: closedAt !== null })),
  };
}

async function noteTold(db: Database, told: News["upTo"], now: number): Promise<void> {
  await sql`
    with told as (
      update ops.incident as i
      set    told_at = coalesce(i.told_at, ${at(now)}), recovery_told_at = case when t.closed then ${at(now)} end
      from   unnest(${told.map(({ id }) => id)}::bigint[], ${told.map(({ closed }) => closed)}::boolean[]) as t (incident_id, closed)
      where  i.incident_id = t.incident_id
    )
    update ops.watch set tell_after = null, tell_failures = 0`.execute(db);
}

/** The wait doubles with each message that was not taken, up to an hour. Returns when it is tried again. */
async function noteFailure(db: Database, now: number): Promise<number> {
  const { rows } = await sql<{ after: Date }>`
    update ops.watch
    set    tell_failures = tell_failures + 1,
           tell_after = ${at(now)} + least(${longestWaitMs}, ${firstWaitMs} * power(2, least(20, tell_failures))) * interval '1 millisecond'
    returning tell_after as after`.execute(db);
  return rows[0]?.after.getTime() ?? now;
}

/** An instant (epoch-ms) as SQL. */
function at(instant: number): SqlFragment<Date> {
  return sql`${new Date(instant).toISOString()}::timestamptz`;
}
