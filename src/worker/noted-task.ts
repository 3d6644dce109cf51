import type { Task } from "graphile-worker";
import type { App } from "../app.ts";
import { StorehouseError } from "../core/errors.ts";
import { endFinding, raiseFinding } from "../credits/findings.ts";
import { isLostConnection } from "../postgres/database-errors.ts";

/** A line of the crontab that runs once a week says so again by then; one that was taken out of it says nothing more. */
const standsMs = 8 * 86_400_000;

/** A task that leaves a finding where its last try fails, which the next one that ends well takes back: nobody else would miss what it does. */
export function notedTask(
  { warehouse: { db }, clock }: App,
  { name, task, halted }: { readonly name: string; readonly task: Task; readonly halted: AbortSignal },
): Task {
  const finding = { kind: "task_failed", subject: name, accountId: "" };
  return async (payload, helpers) => {
    try {
      await task(payload, helpers);
    } catch (error) {
      const { attempts, max_attempts: most } = helpers.job;
      // a stop, and an outage that ends the session, are on record as such
      if (attempts >= most && !halted.aborted && !isLostConnection(error)) {
        const facts = { task: name, error_code: error instanceof StorehouseError ? error.code : "unexpected" };
        await raiseFinding(db, { ...finding, facts }, { now: clock.now(), forMs: standsMs }).catch(() => undefined);
      }
      throw error;
    }
    if (!halted.aborted) await endFinding(db, finding, clock.now());
  };
}
