import { accountOf } from "../config/config-of-account.ts";
import { checkAlerts } from "../alerts/check-alerts.ts";
import { hourMs } from "../core/day.ts";
import type { Log } from "../core/log.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import type { CheckParts } from "./check-parts.ts";
import { checks } from "./checks.ts";
import { fold, type Folded } from "./fold.ts";
import { claimCheck, readOpen, recordCheck } from "./incidents.ts";
import type { IncidentKind } from "./kinds.ts";
import { notify, type Send } from "./notify.ts";
import { claimPing } from "./ping.ts";
import type { Problem } from "./problems.ts";
import { messageOf } from "../core/errors.ts";

/** What the watcher needs: the parts of a check, how often to check, and how messages are sent (null: only to the log). */
export type WatcherParts = CheckParts & {
  readonly log: Log;
  readonly checkEveryMs: number;
  readonly send: Send | null;
  /** Requests the address of a dead man's switch; null if none is set. */
  readonly ping: (() => Promise<void>) | null;
  /** Called after each turn. */
  readonly report?: () => void;
};

/** Checks and notifies until `stop` is aborted. An error of the watcher is logged and never stops the work that it watches. */
export async function runWatcher(parts: WatcherParts, stop: AbortSignal): Promise<void> {
  let hasFailed = false;
  while (!stop.aborted) {
    try {
      await watchOnce(parts);
      hasFailed = false;
    } catch (error) {
      // one warning is enough, since the worker itself logs an outage of the database
      parts.log[hasFailed ? "debug" : "warn"]({ problem: messageOf(error) }, "watch.failed");
      hasFailed = true;
    }
    await parts.clock.sleep(parts.checkEveryMs, stop).catch(() => undefined);
    parts.report?.();
  }
}

/** Runs one check if it is time, and then sends a message if one is due. */
export async function watchOnce(parts: WatcherParts): Promise<void> {
  const claim = (accountId: string) =>
    // a little less than the interval, so that the worker of the last check is not always just too early
    claimCheck(parts.db, { accountId, everyMs: parts.checkEveryMs * 0.9 }, parts.clock.now());
  if (await claim(parts.accountId)) {
    // the warehouse is checked by one worker of all accounts
    const isForAll = await claim("");
    await check(parts, isForAll ? ["", parts.accountId] : [parts.accountId]);
    if (isForAll) await checkAllAlerts(parts);
  }
  await pingOnce(parts);
  const { log, send } = parts;
  if (send === null) return;
  const repeatMs = parts.settings.notify.repeat_hours * hourMs;
  const result = await notify(parts.db, { send, repeatMs, now: () => parts.clock.now() });
  if (result === "sent") log.info("notification.sent");
  else if (result !== "nothing")
    log.warn(
      { problem: messageOf(result.failed), next_at: new Date(result.nextAt).toISOString() },
      "notification.failed",
    );
}

/** Messages about incidents do not wait for alerts that cannot be checked. */
async function checkAllAlerts(parts: WatcherParts): Promise<void> {
  await checkAlerts({ ...parts, now: parts.clock.now() }).catch((error: unknown) => {
    if (isLostConnection(error)) throw error;
    parts.log.warn({ kind: "alerts", problem: messageOf(error) }, "watch.check_failed");
  });
}

/** After the check: its result decides whether the ping is sent. */
async function pingOnce({ db, accountId, settings, clock, log, ping }: WatcherParts): Promise<void> {
  if (ping === null) return;
  if (!(await claimPing(db, { accountId, configured: configuredIn(settings) }, clock.now()))) return;
  await ping().catch((error: unknown) => log.warn({ problem: messageOf(error) }, "ping.failed"));
}

async function check(parts: WatcherParts, accountIds: readonly string[]): Promise<void> {
  const { db, accountId } = parts;
  const kinds: IncidentKind[] = [];
  const problems: Problem[] = [];
  for (const { kinds: own, find } of checks) {
    try {
      problems.push(...(await find(parts)));
      kinds.push(...own);
    } catch (error) {
      // without a database no kind can be checked, and all incidents stay as they are
      if (isLostConnection(error)) throw error;
      parts.log.warn({ kind: own.join(", "), problem: messageOf(error) }, "watch.check_failed");
    }
  }
  const open = await readOpen(db);
  const own = open.filter((one) => ["", accountId].includes(one.accountId));
  const found = foundOf(fold(problems, open), accountIds);
  const result = { kinds, found, open: own, accountIds, configured: configuredIn(parts.settings) };
  const { opened, closed } = await recordCheck(db, result, parts.clock.now());
  for (const { incidentId, kind, subject, summary } of opened)
    parts.log.warn({ incident_id: incidentId, kind, subject, problem: summary }, "incident.opened");
  for (const { incidentId, kind, subject } of closed)
    parts.log.info({ incident_id: incidentId, kind, subject }, "incident.closed");
}

/** Names of the configured accounts, except that of API_TOKEN; null if the process knows only its own. */
function configuredIn(settings: WatcherParts["settings"]): readonly string[] | null {
  return accountOf(settings) === "" ? Object.keys(settings.accounts) : null;
}

/** The part of the result about these accounts. */
function foundOf({ causes, effects }: Folded, accountIds: readonly string[]): Folded {
  return {
    causes: causes.filter(({ problem }) => accountIds.includes(problem.accountId)),
    effects: effects.filter(({ accountId }) => accountIds.includes(accountId)),
  };
}
