import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { pass, warn, type Diagnosis } from "./diagnosis.ts";
import { titleOf } from "../incidents/kinds.ts";

/** A worker writes a heartbeat every ten seconds. */
const lateSeconds = 60;

/** Whether a worker runs and its heartbeat is recent. */
export async function checkWorkers(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{ count: number; late: number; age: number | null }>`
    select count(*)::int as count, count(*) filter (where heartbeat_at < now() - make_interval(secs => ${lateSeconds}))::int as late,
           extract(epoch from now() - max(heartbeat_at))::float8 as age
    from   ops.worker
    where  kind = 'worker' and stopped_at is null`.execute(db);
  const { count, late, age } = rows[0] ?? { count: 0, late: 0, age: null };
  if (count === 0)
    return warn(
      "workers",
      "no worker runs",
      "start one with `storehouse worker`, unless your own scheduler runs `storehouse sync`",
    );
  const found = `${count} in the ledger, latest heartbeat ${Math.max(0, Math.round(age ?? 0))} s ago`;
  return late === 0
    ? pass("workers", found)
    : warn(
        "workers",
        `${found}, ${late} without a heartbeat for more than ${lateSeconds} s`,
        "see its log; another worker takes over its slices",
      );
}

/** The open incidents, as the workers recorded them. */
export async function checkIncidents(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{ kind: string; count: number }>`
    select kind, count(*)::int as count from ops.incident where closed_at is null group by kind order by kind`.execute(
    db,
  );
  if (rows.length === 0) return pass("incidents", "no incident is open");
  const list = rows.map(({ kind, count }) => `${titleOf(kind)} (${count})`).join(", ");
  return warn(
    "incidents",
    `open: ${list}`,
    "`select * from ops.incident_log where is_open` shows the figures and what to do",
  );
}

/** Slices that failed and whose data was not loaded since. */
export async function checkFailedSlices(db: Database): Promise<Diagnosis> {
  const { rows } = await sql<{ dataset: string; code: string; count: number }>`
    select dataset, error_code as code, count(*)::int as count from ops.failed_slice group by 1, 2 order by 3 desc, 1, 2`.execute(
    db,
  );
  if (rows.length === 0) return pass("failed slices", "none");
  const list = rows.slice(0, 3).map(({ dataset, code, count }) => `${count} of ${dataset} (${code})`);
  return warn(
    "failed slices",
    `${list.join(", ")}${rows.length > 3 ? ` and ${rows.length - 3} more groups` : ""}`,
    "`storehouse status` shows the errors; `storehouse retry` requests them again",
  );
}
