import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { alertsIn } from "./alert.ts";
import { fireText } from "./alert-words.ts";
import { readDueDays } from "./due-days.ts";
import { findFires, mostFires } from "./find-fires.ts";
import { onlyNew } from "./fire.ts";
import { datasetsOff } from "./datasets-off.ts";

/** What an alert would have fired, and how many days of the last 30 have their answers. */
export type Rehearsal = {
  readonly alert: string;
  readonly days: number;
  /** The newest day that has any answer; null if none has. */
  readonly newestDay: Day | null;
  /** Datasets of which one must be on for it to fire; empty if one is. */
  readonly switchedOff: readonly string[];
  /** True if more rows meet it than are read at once. */
  readonly isCut: boolean;
  readonly fires: readonly { readonly day: Day; readonly comparedDay: Day | null; readonly text: string }[];
};

/**
 * What each alert would have fired over the last 30 days, if each day had been checked with the present data and settings. Writes and sends
 * nothing. `named`: datasets that the crontab names.
 */
export async function rehearseAlerts(
  db: Database,
  { settings, named, today }: { readonly settings: Settings; readonly named: ReadonlySet<string>; readonly today: Day },
): Promise<readonly Rehearsal[]> {
  const alerts = alertsIn(settings);
  const due = await readDueDays(db, alerts, { today, onlyNew: false });
  const found: Rehearsal[] = [];
  for (const alert of alerts) {
    const days = due.filter(({ alertName }) => alertName === alert.name).map(({ day }) => day);
    const rows = days.length === 0 ? [] : await findFires(db, alert, days);
    const fires = onlyNew(rows, [], alert);
    found.push({
      alert: alert.name,
      days: days.length,
      newestDay: await readNewestDay(db, alert.datasets),
      switchedOff: datasetsOff(alert, settings, named),
      isCut: rows.length === mostFires,
      fires: fires.map((fire) => ({ day: fire.day, comparedDay: fire.comparedDay, text: fireText(alert, fire) })),
    });
  }
  return found;
}

async function readNewestDay(db: Database, datasets: readonly string[]): Promise<Day | null> {
  const { rows } = await sql<{ day: Day | null }>`
    select max(s.window_end) - 1 as day from ops.slice as s
    where  s.dataset = any (${datasets}::text[]) and s.state in ('loaded', 'empty')`.execute(db);
  return rows[0]?.day ?? null;
}
