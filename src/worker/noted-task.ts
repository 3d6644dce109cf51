import type { Task } from "graphile-worker";
import type { App } from "../app.ts";
import { dayMs } from "../core/day.ts";
import { StorehouseError } from "../core/errors.ts";
import { endFinding, raiseFinding, taskFinding } from "../credits/findings.ts";
import { isLostConnection } from "../postgres/database-errors.ts";

/** A line of the crontab that runs once a week says so again by then; one that was taken out of it says nothing more. */
const standsMs = 8 * dayMs;

/**
 * A task that leaves a finding where its last try fails, which the next one that ends well takes back: nobody else would miss what it does. A
 * process that ends over it, as without memory, says nothing: where it did at the tries before, the last one begins with the finding.
 */
export function notedTask(
  { warehouse: { db }, clock }: App,
  { name, task, halted }: { readonly name: string; readonly task: Task; readonly halted: AbortSignal },
): Task {
  const finding = taskFinding(name);
  const raise = (code: string) =>
    raiseFinding(
      db,
      { ...finding, facts: { task: name, error_code: code } },
      { now: clock.now(), forMs: standsMs },
    ).catch(() => undefined);
  return async (payload, helpers) => {
    const { attempts, max_attempts: most, last_error: lastError } = helpers.job;
    if (attempts > 1 && attempts >= most && lastError === null) await raise("process_died");
    try {
      await task(payload, helpers);
    } catch (error) {
      // a stop, and an outage that ends the session, are on record as such
      if (attempts >= most && !halted.aborted && !isLostConnection(error))
        await raise(error instanceof StorehouseError ? error.code : "unexpected");
      throw error;
    }
    if (!halted.aborted) await endFinding(db, finding, clock.now());
  };
}
