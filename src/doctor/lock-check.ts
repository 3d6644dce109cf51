import type { Database } from "../postgres/database.ts";
import { lockWaitNext, lockWaitText, readLockWait } from "../postgres/lock-waits.ts";
import { pass, warn, type Diagnosis } from "./diagnosis.ts";

/** Whether a process of Storehouse has waited for a lock for longer than usual, and which session holds it. */
export async function checkLocks(db: Database): Promise<Diagnosis> {
  const wait = await readLockWait(db);
  if (wait === null) return pass("locks", "no process is waiting for one");
  return warn("locks", lockWaitText(wait), lockWaitNext(wait));
}
