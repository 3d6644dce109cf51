import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { accountWords } from "../config/config-of-account.ts";
import { commandOf } from "../incidents/open-incidents.ts";
import { readTooDear } from "../ledger/budget-waits.ts";
import { readDaysAtRisk } from "../ledger/days-at-risk.ts";
import { readLostDays } from "../ledger/lost-days.ts";
import { readChecks } from "../ledger/reported-checks.ts";
import { pass, warn, type Diagnosis } from "./diagnosis.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { unrequestedNext, unrequestedText } from "../ledger/unrequested-days.ts";
import { readNeverRequestedWithin } from "../planner/earlier-gaps.ts";
import { tooDearWords } from "../plan/budget-words.ts";
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

/** Failed slices of all accounts whose data was not loaded since, except those of datasets that are switched off. `account`: the own one. */
export async function checkFailedSlices(
  db: Database,
  { switchedOff, account: own }: { readonly switchedOff: readonly string[]; readonly account: string },
): Promise<Diagnosis> {
  const { rows } = await sql<{
    dataset: string;
    code: string;
    account: string;
    count: number;
    nextTryAt: Date | null;
  }>`
    select f.dataset, f.error_code as code, coalesce(r.account, '') as account, count(*)::int as count, min(f.next_try_at) as "nextTryAt"
    from   ops.failed_slice as f
    left   join ops.run_log as r on r.run_id = f.run_id
    where  f.dataset <> all (${[...switchedOff]}::text[])
    group  by 1, 2, 3
    order  by 4 desc, 1, 2, 3`.execute(db);
  if (rows.length === 0) return pass("failed slices", "none");
  const groups = rows.map(
    ({ dataset, code, account, count }) =>
      `${count} of ${dataset} (${account === own ? code : `${code}, ${accountWords(account)}`})`,
  );
  const retry = "`storehouse retry`";
  const retries = [...new Set(rows.map(({ account }) => account))].map((account) =>
    account === own ? retry : `${commandOf(account, own, retry)} (${accountWords(account)})`,
  );
  const [next] = rows.flatMap(({ nextTryAt }) => nextTryAt ?? []).sort((a, b) => a.getTime() - b.getTime());
  const later = next === undefined ? "" : ` the next try is due at ${minuteOf(next)};`;
  return warn(
    "failed slices",
    listed(groups),
    `${later} \`storehouse failures\` shows the errors; ${retries.join(" and ")} ${retries.length === 1 ? "requests" : "request"} them now`.trim(),
  );
}

/** Slices that wait for a limit which a person has to raise. */
export async function checkTooDear(db: Database): Promise<Diagnosis> {
  const found = await readTooDear(db);
  if (found.length === 0) return pass("limits", "no call takes more than its limits allow in a whole period");
  return warn(
    "limits",
    found.map(tooDearWords).join("; "),
    "the next scheduled run or sync continues with them once a limit is raised",
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
