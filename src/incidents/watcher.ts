import type { Log } from "../core/log.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import { incidentKinds, type Finding, type IncidentKind } from "./kinds.ts";
import { noteLook, takeLook } from "./incidents.ts";
import { looks, type LookParts } from "./read-findings.ts";
import { tell, type Send } from "./notify.ts";

/** What the watcher needs: what a look does, how often to look, and who is told (null: nobody but the log). */
export type WatcherParts = LookParts & {
  readonly log: Log;
  readonly lookEveryMs: number;
  readonly send: Send | null;
  /** Called at each turn. */
  readonly report?: () => void;
};

/** Looks and tells until `stop` is aborted. Trouble of its own is logged and never stops the work it watches. */
export async function runWatcher(parts: WatcherParts, stop: AbortSignal): Promise<void> {
  let wasWell = true;
  while (!stop.aborted) {
    try {
      await watchOnce(parts);
      wasWell = true;
    } catch (error) {
      // an outage of the database is told by those who work with it
      parts.log[wasWell ? "warn" : "debug"]({ problem: nameOf(error) }, "watch.failed");
      wasWell = false;
    }
    await parts.clock.sleep(parts.lookEveryMs, stop).catch(() => undefined);
    parts.report?.();
  }
}

/** One look, when it is time for one, and then what is to be told. */
export async function watchOnce(parts: WatcherParts): Promise<void> {
  // a little less, so that the worker whose turn it was is not always just too early
  if (await takeLook(parts.db, parts.clock.now(), parts.lookEveryMs * 0.9)) await look(parts);
  if (parts.send === null) return;
  const told = await tell(parts.db, parts.send, () => parts.clock.now());
  if (told === "taken") parts.log.info("notification.sent");
  else if (told !== "nothing")
    parts.log.warn(
      { problem: nameOf(told.failed), next_at: new Date(told.nextAt).toISOString() },
      "notification.failed",
    );
}

async function look(parts: WatcherParts): Promise<void> {
  const kinds: IncidentKind[] = [];
  const findings: Finding[] = [];
  for (const kind of Object.keys(incidentKinds) as IncidentKind[]) {
    try {
      findings.push(...(await looks[kind](parts)));
      kinds.push(kind);
    } catch (error) {
      // then none can look, and all stay as they are
      if (isLostConnection(error)) throw error;
      parts.log.warn({ kind, problem: nameOf(error) }, "watch.check_failed");
    }
  }
  const { opened, closed } = await noteLook(
    parts.db,
    { kinds, findings, accountId: parts.accountId },
    parts.clock.now(),
  );
  for (const { incidentId, kind, subject, summary } of opened)
    parts.log.warn({ incident_id: incidentId, kind, subject, problem: summary }, "incident.opened");
  for (const { incidentId, kind, subject } of closed)
    parts.log.info({ incident_id: incidentId, kind, subject }, "incident.closed");
}

/** The message of an error of ours or of the database; neither holds an address. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
