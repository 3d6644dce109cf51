import type { Settings } from "../config/settings.ts";
import { earliest, startOfDay, addDays, addMonths, dayOf, monthStart, type Day, dayMs } from "../core/day.ts";
import { fail, messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import type { Database } from "../postgres/database.ts";
import { sql, instant } from "../postgres/sql.ts";
import { alertsIn, furthestDays, type Alert } from "./alert.ts";
import { fireText } from "./alert-words.ts";
import { alertDays, readDueDays, type AnsweredDay } from "./due-days.ts";
import { findFires, mostFires } from "./find-fires.ts";
import { sinceRequested } from "./since-requested.ts";
import { onlyNew, subjectKey, type Fire, type FireKey } from "./fire.ts";

/*
 * An alert is checked for each day once that day has its answers and nothing of it is under way, and again when more answers come: late
 * days, restated ones. What fired is a row of ops.alert_fire, one per alert, subject and day, so that nothing fires twice; its message is
 * sent along with those about incidents (src/incidents/notify.ts).
 */

/** What a check of the alerts needs. */
export type AlertParts = {
  readonly db: Database;
  readonly settings: Settings;
  readonly log: Log;
  /** Epoch-ms. */
  readonly now: number;
};

/** Checks the days of each alert that have new answers. An alert that cannot be checked is logged, and checked again the next time. */
export async function checkAlerts(parts: AlertParts): Promise<void> {
  const { db, settings, log, now } = parts;
  const alerts = alertsIn(settings);
  await leave(db, alerts);
  if (alerts.length === 0) return;
  await enter(db, alerts, dayOf(now));
  const due = await readDueDays(db, alerts, { today: dayOf(now), onlyNew: true });
  if (due.length > 0) await forgetOld(parts);
  const checked = new Map<string, string | null>();
  for (const alert of alerts) {
    const days = due.filter(({ alertName }) => alertName === alert.name);
    if (days.length === 0) continue;
    try {
      const fired = await checkDays(parts, alert, days);
      checked.set(alert.name, null);
      if (fired.length > 0) log.info({ alert: alert.name, fired: fired.length }, "alert.fired");
    } catch (error) {
      if (isLostConnection(error)) throw error;
      const problem = messageOf(error);
      checked.set(alert.name, problem);
      log.warn({ alert: alert.name, problem }, "alert.check_failed");
    }
  }
  await recordChecks(db, alerts, { checked, now });
}

/** Records which alerts are no longer in the configuration: their messages are not sent, and an alert that comes back begins again. */
async function leave(db: Database, alerts: readonly Alert[]): Promise<void> {
  await sql`
    update ops.alert set digest = ''
    where  digest <> '' and alert_name <> all (${alerts.map(({ name }) => name)}::text[])`.execute(db);
}

/** Records the alerts. One that is new, came back or has changed begins with yesterday: earlier data is history. */
async function enter(db: Database, alerts: readonly Alert[], today: Day): Promise<void> {
  const rows = alerts.map(({ name, digest }) => ({ alert_name: name, digest }));
  await sql`
    insert into ops.alert as a (alert_name, digest, since_day)
    select w.alert_name, w.digest, ${addDays(today, -1)}::date
    from   jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w (alert_name text, digest text)
    order  by 1
    on conflict (alert_name) do update
    set    digest = excluded.digest, since_day = excluded.since_day, checked_at = null, error_message = null
    where  a.digest <> excluded.digest`.execute(db);
}

/**
 * Records when alerts were checked, or why they were not. `checked`: errors by name, null where there was none. An alert without days to
 * check keeps its error: the days that could not be checked are still due.
 */
async function recordChecks(
  db: Database,
  alerts: readonly Alert[],
  { checked, now }: { readonly checked: ReadonlyMap<string, string | null>; readonly now: number },
): Promise<void> {
  const rows = alerts.map(({ name }) => ({
    alert_name: name,
    is_checked: checked.has(name),
    error_message: checked.get(name) ?? null,
  }));
  await sql`
    update ops.alert as a
    set    checked_at = case when e.error_message is null then ${instant(now)} else a.checked_at end, error_message = e.error_message
    from   jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w (alert_name text, is_checked boolean, error_message text)
    join   ops.alert as k on k.alert_name = w.alert_name
    cross  join lateral (select case when w.is_checked then w.error_message else k.error_message end as error_message) as e
    where  a.alert_name = w.alert_name`.execute(db);
}

/** Deletes what fired in months that are no longer kept, and days that checks no longer need. */
async function forgetOld({ db, settings, now }: AlertParts): Promise<void> {
  const today = dayOf(now);
  const kept = addMonths(monthStart(today), -settings.retention.ops_months);
  await sql`delete from ops.alert_fire where date_day < ${kept}::date`.execute(db);
  await sql`delete from ops.alert_day where date_day < ${addDays(today, -2 * alertDays)}::date`.execute(db);
}

async function checkDays(
  { db, settings, now }: AlertParts,
  alert: Alert,
  due: readonly AnsweredDay[],
): Promise<readonly Fire[]> {
  const days = due.map(({ day }) => day);
  const rows = await findFires(db, alert, days);
  // otherwise a part would be sent as if it were all
  if (rows.length === mostFires)
    throw fail("alert_too_broad", { alert: alert.name, mart: alert.martName, most: mostFires });
  const found = await sinceRequested(db, alert, { fires: rows, today: dayOf(now) });
  return db.transaction().execute(async (transaction) => {
    // another worker may check at the same time: the second one sees what the first has written
    await sql`select from ops.alert where alert_name = ${alert.name} for update`.execute(transaction);
    const fires = found.length === 0 ? [] : onlyNew(found, await readFired(transaction, alert, days), alert);
    const dueAt = alert.send === "morning" ? nextMorning(now, settings.notify.morning_at) : now;
    if (fires.length > 0) await recordFires(transaction, { alert, fires, now, dueAt });
    await sql`
      insert into ops.alert_day (alert_name, date_day, digest, answered_at, answer_count, unanswered_count)
      select ${alert.name}, d.day, ${alert.digest}, d."answeredAt", d."answerCount", d."unansweredCount"
      from   jsonb_to_recordset(${JSON.stringify(due)}::jsonb) as d (day date, "answeredAt" timestamptz, "answerCount" int, "unansweredCount" int)
      on conflict (alert_name, date_day) do update
      set digest = excluded.digest, answered_at = excluded.answered_at, answer_count = excluded.answer_count,
          unanswered_count = excluded.unanswered_count`.execute(transaction);
    return fires;
  });
}

/** What fired about these days, or about changes that reach into them. */
async function readFired(db: Database, alert: Alert, days: readonly Day[]): Promise<readonly FireKey[]> {
  const { name, digest } = alert;
  const from = addDays(earliest(days), -furthestDays(alert));
  const { rows } = await sql<FireKey>`
    select subject, date_day as day, compared_day as "comparedDay", detail -> 'values' as values
    from   ops.alert_fire
    where  alert_name = ${name} and digest = ${digest} and date_day >= ${from}::date`.execute(db);
  return rows;
}

type Fires = {
  readonly alert: Alert;
  readonly fires: readonly Fire[];
  readonly now: number;
  /** When the message is due, epoch-ms. */
  readonly dueAt: number;
};

async function recordFires(db: Database, { alert, fires, now, dueAt }: Fires): Promise<void> {
  const rows = fires.map((fire) => ({
    subject: subjectKey(fire.subject),
    date_day: fire.day,
    compared_day: fire.comparedDay,
    summary: fireText(alert, fire),
    detail: { subject: fire.subject, name: fire.label, values: fire.values, before: fire.before },
  }));
  await sql`
    insert into ops.alert_fire (alert_name, digest, mart, subject, date_day, compared_day, summary, detail, fired_at, due_at)
    select ${alert.name}, ${alert.digest}, ${alert.martName}, f.subject, f.date_day, f.compared_day, f.summary, f.detail, ${instant(now)}, ${instant(dueAt)}
    from   jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
             as f (subject text, date_day date, compared_day date, summary text, detail jsonb)
    on conflict (alert_name, digest, date_day, subject) do nothing`.execute(db);
}

/** The next time of day `HH:MM` (UTC) after an instant, epoch-ms. */
function nextMorning(now: number, time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const today = startOfDay(dayOf(now)) + (hours * 60 + minutes) * 60_000;
  return today > now ? today : today + dayMs;
}
