import { lateSeconds, readOutdatedWorkers, readWorkerCounts } from "../ledger/worker-counts.ts";
import type { Database } from "../postgres/database.ts";
import { listed } from "../core/words.ts";
import { failedWith, pass, warn, type Diagnosis } from "./diagnosis.ts";

/** The crontab: its file, and functions that read its lines; each throws if one is invalid. */
export type ScheduleFile = {
  readonly file: string;
  /** Each line with the datasets that it names; null if it plans nothing. */
  readonly read: (file: string) => readonly { readonly datasets: readonly string[] | null }[];
  /** A digest of the lines and of the settings that decide what they plan. */
  readonly digest: () => string;
  /** What the lines plan and nobody has agreed to, and how to agree; null if there is nothing. */
  readonly readNotAgreed: (
    db: Database,
  ) => Promise<{ readonly datasets: readonly string[]; readonly next: string } | null>;
};

/** Whether the crontab is valid, and names existing tasks and datasets. */
export function checkCrontab({ file, read }: Pick<ScheduleFile, "file" | "read">): Diagnosis {
  try {
    const { length } = read(file);
    if (length === 0)
      return warn("crontab", `${file} has no lines`, "add a line: without one the worker plans nothing on a schedule");
    return pass("crontab", `${length} ${length === 1 ? "line" : "lines"} in ${file}`);
  } catch (error) {
    return failedWith("crontab", error);
  }
}

/**
 * Whether a worker runs, its heartbeat is recent, and its schedule is that of the files. One that waits until the API accepts the account
 * runs too.
 */
export async function checkWorkers(db: Database, account: string, digest: string | null): Promise<Diagnosis> {
  const { running, late, waiting, ageSeconds, lastEndedAs: last } = await readWorkerCounts(db, account);
  const beat = `latest heartbeat ${Math.round(ageSeconds ?? 0)} s ago`;
  if (running === 0 && waiting > 0)
    return warn(
      "workers",
      `${waiting} waiting until the API accepts the account, ${beat}`,
      "see the check token; if the API accepts it, `storehouse status` says which operation it refuses",
    );
  if (running === 0)
    return warn(
      "workers",
      last === null || last === "stopped"
        ? "no worker is running"
        : `no worker is running; the last one ended as ${last}`,
      "start one with `storehouse worker`, unless your own scheduler runs `storehouse sync`",
    );
  const found = `${running + waiting} in the ledger, ${beat}`;
  if (late > 0)
    return warn(
      "workers",
      `${found}, ${late} without a heartbeat for more than ${lateSeconds} s`,
      "see the worker's log; another worker takes over its slices",
    );
  const outdated = digest === null ? [] : await readOutdatedWorkers(db, account, digest);
  if (outdated.length === 0) return pass("workers", found);
  const names = listed(outdated.map(({ workerId, host }) => `${workerId} on ${host}`));
  return warn(
    "workers",
    `${found}; the crontab or the settings of ${names} differ from those here`,
    "if they were changed since it started, restart it",
  );
}

/** Whether someone has agreed that a worker spends credits on what the crontab plans. */
export async function checkAgreement(
  db: Database,
  { readNotAgreed }: Pick<ScheduleFile, "readNotAgreed">,
): Promise<Diagnosis> {
  const lacking = await readNotAgreed(db);
  if (lacking === null) return pass("agreement", "everything that the crontab plans is agreed to");
  return warn(
    "agreement",
    `nobody has agreed that a worker spends credits on ${listed(lacking.datasets)}`,
    lacking.next,
  );
}
