import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { ill, well, type Diagnosis } from "./diagnosis.ts";
import { titleOf } from "../incidents/findings.ts";

/** A living worker says so every ten seconds. */
const silentSeconds = 60;

/** Whether a worker runs, and was heard of. */
export async function checkWorkers(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{ count: number; silent: number; age: number | null }>`
    select count(*)::int as count, count(*) filter (where heartbeat_at < now() - make_interval(secs => ${silentSeconds}))::int as silent,
           extract(epoch from now() - max(heartbeat_at))::float8 as age
    from   ops.worker
    where  kind = 'worker' and stopped_at is null`.execute(db);
  const { count, silent, age } = rows[0] ?? { count: 0, silent: 0, age: null };
  if (count === 0)
    return ill(
      "workers",
      "warn",
      "none runs",
      "start one with `storehouse worker`, unless you call `storehouse sync` by a schedule of your own",
    );
  const heard = `${count} in the ledger, the last heard of ${Math.max(0, Math.round(age ?? 0))} s ago`;
  return silent === 0
    ? well("workers", heard)
    : ill(
        "workers",
        "warn",
        `${heard}, ${silent} silent for more than ${silentSeconds} s`,
        "see its log; what it had is taken over by another worker",
      );
}

/** What is wrong by the look-out of the workers. */
export async function checkIncidents(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{ kind: string; count: number }>`
    select kind, count(*)::int as count from ops.incident where closed_at is null group by kind order by kind`.execute(
    db,
  );
  if (rows.length === 0) return well("incidents", "none is open");
  const list = rows.map(({ kind, count }) => `${titleOf(kind)} (${count})`).join(", ");
  return ill(
    "incidents",
    "warn",
    `open: ${list}`,
    "`select * from ops.incident_log where is_open` has the figures and what to do",
  );
}

/** Slices that failed for good and were not made good since. */
export async function checkFailedSlices(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{ dataset: string; code: string; count: number }>`
    select dataset, error_code as code, count(*)::int as count from ops.failed_slice group by 1, 2 order by 3 desc, 1, 2`.execute(
    db,
  );
  if (rows.length === 0) return well("failed slices", "none");
  const list = rows.slice(0, 3).map(({ dataset, code, count }) => `${count} of ${dataset} (${code})`);
  return ill(
    "failed slices",
    "warn",
    `${list.join(", ")}${rows.length > 3 ? ` and ${rows.length - 3} more kinds` : ""}`,
    "`storehouse status` shows the errors; `storehouse retry` asks again",
  );
}
