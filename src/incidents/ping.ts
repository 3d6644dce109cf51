import { endedAs, hasRecentHeartbeat, isWaiting } from "../ledger/worker-counts.ts";
import { isAlive } from "../ledger/workers.ts";
import { instant, sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { givenUpMs } from "./incidents.ts";
import { incidentKinds, kindNamed } from "./kinds.ts";

/** A little less than a minute, so that a check a minute after the last one is not just too early. */
const everyMs = 55_000;

/** An incident of another account counts while its workers find it, once an hour at least: that of an account that was taken out closes a day later. */
const foundSince = sql`interval '2 hours'`;

/** Kinds that leave no data missing: the ping continues while one is open. */
const notes = Object.keys(incidentKinds).filter((kind) => kindNamed(kind)?.weight === "note");

/** The process that pings: its account, by the hash of its key, and the configured accounts as in a check. */
type Pinger = { readonly accountId: string; readonly configured: readonly string[] | null };

/**
 * Claims the next ping for this process. False if a worker has pinged within the minute, or if something is wrong: an incident other than a
 * note is open, no worker works, or the last worker of an account died. An account that is not in the configuration counts for a day more.
 */
export async function claimPing(db: Database, { accountId, configured }: Pinger, now: number): Promise<boolean> {
  const at = instant(now);
  const counts =
    configured === null
      ? sql`true`
      : sql`(w.account = any (${["", ...configured]}::text[]) or max(w.heartbeat_at) > clock_timestamp() - ${givenUpMs} * interval '1 millisecond')`;
  const { rows } = await sql`
    update ops.watch set pinged_at = ${at}
    where  (pinged_at is null or abs(extract(epoch from ${at} - pinged_at)) * 1000 >= ${everyMs})
    and    not exists (select from ops.incident
                       where closed_at is null and (account_id in ('', ${accountId}) or last_seen_at > ${at} - ${foundSince})
                       and   not kind = any (${notes}::text[]))
    and    exists (select from ops.worker as w
                   where w.kind = 'worker' and ${isAlive(sql`w.worker_id`)} and ${hasRecentHeartbeat})
    and    not exists (
      select from ops.worker as w where w.kind = 'worker'
      group  by w.account
      having not bool_or(${isWaiting} or ${isAlive(sql`w.worker_id`)})
      and    (array_agg(${endedAs} order by w.heartbeat_at desc))[1] <> 'stopped'
      and    ${counts})
    returning is_only`.execute(db);
  return rows.length > 0;
}
