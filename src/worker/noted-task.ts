import type { Task } from "graphile-worker";
import type { App } from "../app.ts";
import { dayMs } from "../core/day.ts";
import { messageOf, StorehouseError } from "../core/errors.ts";
import { endFinding, raiseFinding, raiseFindingLater, taskFinding } from "../ledger/findings.ts";
import { isLostConnection } from "../postgres/database-errors.ts";

/** A weekly task renews its finding within this time; if its line is removed from the crontab, the finding ends. */
const standsMs = 8 * dayMs;

/** What a task throws while another process, such as a person's command, does its work; that process ends the finding if it does all of it. */
const elsewhere: readonly string[] = ["publish_under_way", "export_under_way"];
/**
 * Then the task is tried again: that process may do only a part of its work, and the next line of the crontab may be a week away.
 * This holds also if a line runs sooner: a time at which no worker runs is skipped, and work that is done twice costs little.
 */
const againMs = 10 * 60_000;
/** Later than the next run of a daily task: that process may hang, or do a part of the work whenever the task is tried. */
const elsewhereMs = 1.5 * dayMs;

/** A task of the crontab. */
type NotedTask = {
  readonly name: string;
  readonly task: Task;
  readonly halted: AbortSignal;
};

/**
 * A task that leaves a finding if its last try fails; its next success ends the finding. Nothing else would show that its work is not done.
 * A process that dies in the task (out of memory, for instance) cannot leave a finding, so the last try writes it at its start if the
 * earlier tries ended that way.
 */
export function notedTask(
  { warehouse: { db }, clock, log }: Pick<App, "warehouse" | "clock" | "log">,
  { name, task, halted }: NotedTask,
): Task {
  const finding = taskFinding(name);
  const of = (code: string) => ({ ...finding, facts: { task: name, error_code: code } });
  const noted = (raised: Promise<void>) =>
    raised.catch((error: unknown) => {
      // the error of the task counts
      if (!isLostConnection(error)) log.warn({ task: name, problem: messageOf(error) }, "task.not_noted");
    });
  const raise = (code: string) => noted(raiseFinding(db, of(code), { now: clock.now(), forMs: standsMs }));
  const raiseLater = (code: string) =>
    noted(raiseFindingLater(db, of(code), { now: clock.now(), afterMs: elsewhereMs, forMs: standsMs }));
  return async (payload, helpers) => {
    const { attempts, max_attempts: most, last_error: lastError, priority } = helpers.job;
    if (attempts > 1 && attempts >= most && lastError === null) await raise("process_died");
    try {
      await task(payload, helpers);
    } catch (error) {
      if (error instanceof StorehouseError && elsewhere.includes(error.code)) {
        log.info({ task: name, code: error.code }, "task.under_way");
        await raiseLater(error.code);
        const queueName = await helpers.getQueueName();
        const asInLine = { priority, maxAttempts: most, ...(queueName === null ? {} : { queueName }) };
        const runAt = new Date(clock.now() + againMs);
        // a key of its own, so that it does not replace the next job of the crontab
        await helpers.addJob(name, {}, { ...asInLine, jobKey: `${name} again`, runAt });
        return;
      }
      // a stop, and an outage that ends the session, are recorded elsewhere
      if (attempts >= most && !halted.aborted && !isLostConnection(error))
        await raise(error instanceof StorehouseError ? error.code : "unexpected");
      throw error;
    }
    if (!halted.aborted) await endFinding(db, finding, clock.now());
  };
}
