import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { sql, type Queryable } from "../postgres/sql.ts";
import { alertsIn, type Alert } from "./alert.ts";
import { alertText } from "./alert-words.ts";
import { datasetsOff } from "./datasets-off.ts";

/** An alert of the configuration, with its last check and how often it fired. */
export type AlertState = {
  readonly name: string;
  readonly mart: string;
  /** When it fires, in words. */
  readonly fires: string;
  readonly send: Alert["send"];
  /** Datasets of which one must be on for it to fire; empty if one is. */
  readonly switchedOff: readonly string[];
  /** The last check without an error; null before that. */
  readonly checkedAt: Date | null;
  /** Error of the last check; null if there was none. */
  readonly errorMessage: string | null;
  /** Newest day that it was checked for. */
  readonly newestDay: Day | null;
  readonly fired: number;
  readonly lastFiredAt: Date | null;
};

/** The alerts of the configuration, as the workers last checked them. `named`: datasets that the crontab names. */
export async function readAlerts(
  db: Queryable,
  settings: Settings,
  named: ReadonlySet<string>,
): Promise<readonly AlertState[]> {
  const { rows } = await sql<Omit<AlertState, "mart" | "fires" | "send" | "switchedOff">>`
    select a.alert_name as name, a.checked_at as "checkedAt", a.error_message as "errorMessage", d.newest_day as "newestDay", f.fired,
           f.last_fired_at as "lastFiredAt"
    from   ops.alert as a
    cross  join lateral (select max(k.date_day) as newest_day from ops.alert_day as k where k.alert_name = a.alert_name) as d
    cross  join lateral (
      select count(*)::int as fired, max(l.fired_at) as last_fired_at from ops.alert_fire as l where l.alert_name = a.alert_name) as f`.execute(
    db,
  );
  const known = new Map(rows.map((row) => [row.name, row]));
  const never = { checkedAt: null, errorMessage: null, newestDay: null, fired: 0, lastFiredAt: null };
  return alertsIn(settings).map((alert) => ({
    name: alert.name,
    mart: alert.martName,
    fires: alertText(alert),
    send: alert.send,
    switchedOff: datasetsOff(alert, settings, named),
    ...(known.get(alert.name) ?? never),
  }));
}

/** A row that an alert fired. */
export type FiredLine = {
  readonly alert: string;
  readonly day: Day;
  readonly text: string;
  readonly firedAt: Date;
  readonly notifiedAt: Date | null;
};

/** Reads at most `most` rows that alerts fired, the newest first. */
export async function readLastFired(db: Queryable, most: number): Promise<readonly FiredLine[]> {
  const { rows } = await sql<FiredLine>`
    select alert_name as alert, date_day as day, summary as text, fired_at as "firedAt", notified_at as "notifiedAt"
    from   ops.alert_log
    order  by fired_at desc, alert_fire_id desc
    limit  ${most}`.execute(db);
  return rows;
}
