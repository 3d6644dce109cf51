import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { readDaysAtRisk } from "../ledger/days-at-risk.ts";
import { readLostDays } from "../ledger/lost-days.ts";
import { readChecks } from "../ledger/reported-checks.ts";
import { pass, warn, type Diagnosis } from "./diagnosis.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { unrequestedNext, unrequestedText } from "../ledger/unrequested-days.ts";
import { readNeverRequestedWithin } from "../planner/earlier-gaps.ts";
import { titleOf } from "../incidents/kinds.ts";
import { countOf, listed, minuteOf } from "../core/words.ts";
import { sumBy } from "../core/sum.ts";

/** The open incidents, as the workers recorded them. */
export async function checkIncidents(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{ kind: string; count: number }>`
    select kind, count(*)::int as count from ops.incident where closed_at is null group by kind order by kind`.execute(
    db,
  );
  if (rows.length === 0) return pass("incidents", "no incident is open");
  const list = rows.map(({ kind, count }) => `${titleOf(kind)} (${count})`).join(", ");
  return warn("incidents", `open: ${list}`, "`storehouse status` says since when, what they mean and what to do");
}

/** Days that are lost for good, and days that are at risk of it. */
export async function checkLostDays(db: Database): Promise<Diagnosis> {
  const [lost, risks] = [await readLostDays(db), await readDaysAtRisk(db)];
  const [first] = risks;
  if (first !== undefined)
    return warn(
      "lost days",
      `${sumBy(risks, ({ cells }) => cells)} snapshots of ${first.dataset}${risks.length > 1 ? ` and ${risks.length - 1} more datasets` : ""} are lost at ${minuteOf(first.lostAt)} unless they are requested first; lost so far: ${sumBy(lost, ({ cells }) => cells)}`,
      "`storehouse status` shows what they wait for; `storehouse sync` requests them",
    );
  const [newest] = lost;
  return newest === undefined
    ? pass("lost days", "none")
    : pass(
        "lost days",
        `${sumBy(lost, ({ cells }) => cells)} snapshots in all, the newest of ${newest.dataset} on ${newest.day}; none at risk`,
      );
}

/** Soon after that, the doctor treats a statement without a reply as a fault. */
const patienceMs = 10_000;

/** Days that a sync no longer reaches and that were never requested, for example after weeks in which nothing ran. */
export async function checkUnrequestedDays(
  db: Database,
  { settings, clock, ms = patienceMs }: { readonly settings: Settings; readonly clock: Clock; readonly ms?: number },
): Promise<Diagnosis> {
  const found = await readNeverRequestedWithin(db, { settings, today: clock.today(), ms });
  if (found === null)
    return warn(
      "days not requested",
      `unknown: reading the whole ledger takes more than ${ms / 1000} s`,
      "`storehouse gaps` says whether there are any",
    );
  const text = unrequestedText(found);
  if (text === null) return pass("days not requested", "none");
  return warn("days not requested", text, unrequestedNext);
}

/** Failed slices whose data was not loaded since, except those of datasets that are switched off. */
export async function checkFailedSlices(db: Database, switchedOff: readonly string[]): Promise<Diagnosis> {
  const { rows } = await sql<{ dataset: string; code: string; count: number; nextTryAt: Date | null }>`
    select dataset, error_code as code, count(*)::int as count, min(next_try_at) as "nextTryAt"
    from   ops.failed_slice where dataset <> all (${[...switchedOff]}::text[]) group by 1, 2 order by 3 desc, 1, 2`.execute(
    db,
  );
  if (rows.length === 0) return pass("failed slices", "none");
  const groups = rows.map(({ dataset, code, count }) => `${count} of ${dataset} (${code})`);
  const [next] = rows.flatMap(({ nextTryAt }) => nextTryAt ?? []).sort((a, b) => a.getTime() - b.getTime());
  const later = next === undefined ? "" : ` the next try is due at ${minuteOf(next)};`;
  return warn(
    "failed slices",
    listed(groups),
    `${later} \`storehouse failures\` shows the errors; \`storehouse retry\` requests them now`.trim(),
  );
}

/** Whether figures reported by answers of other datasets equal those from their own requests. */
export async function checkReported(db: Database): Promise<Diagnosis> {
  const checks = await readChecks(db);
  const wrong = checks.filter(({ differing }) => differing > 0);
  if (wrong.length === 0) {
    const compared = sumBy(checks, (one) => one.compared);
    if (compared === 0) return pass("reported figures", "no figures from other answers have been compared yet");
    return pass("reported figures", `${countOf(compared, "figure")} from other answers compared, none differs`);
  }
  const words = wrong.map(
    ({ dataset, source, account, compared, differing, firstDay }) =>
      `${dataset} by ${source}${account === "" ? "" : ` (${account})`}: ${differing} of ${compared} figures differ, first on ${firstDay}`,
  );
  return warn(
    "reported figures",
    words.join("; "),
    "figures of this source are no longer used; the next sync requests their days, as far back as history_days, and `storehouse backfill` older ones",
  );
}
