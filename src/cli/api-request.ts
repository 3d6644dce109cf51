import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import type { App } from "../app.ts";
import { openIngest } from "../open-ingest.ts";
import { DeferError, fail, RetryError, StorehouseError } from "../core/errors.ts";
import { createBudget } from "../credits/budget.ts";
import { requestOnce, type CheckedAnswer } from "../ingest/request-once.ts";
import { checkBalance } from "../ingest/balance-check.ts";
import { databaseOutage, isLostConnection } from "../postgres/database-errors.ts";
import { withApi } from "./with-app.ts";
import { countOf, remark } from "./output.ts";
import { stopSignal } from "./stop-signal.ts";
import { timeText } from "./times.ts";

/** Sends one request to the API. Items of the answer that do not fit are reported on stderr; the rest is returned. */
export type SendRequest = <O extends Operation>(operation: O, params: Params) => Promise<CheckedAnswer<O>["value"]>;

/** What a command that sends a person's requests to the API works with. `stop` is aborted when the person interrupts it. */
export type ApiSession = { readonly app: App; readonly send: SendRequest; readonly stop: AbortSignal };

/** Opens the way to the API for one command, and closes it. What went wrong is thrown with a next step that fits a command. */
export async function withApiSession(work: (session: ApiSession) => Promise<void>): Promise<void> {
  await withApi(async (app) => {
    await using ingest = await openIngest(app, "command", createBudget(null));
    const stop = stopSignal();
    const send: SendRequest = async (operation, params) => {
      const { value, invalid } = await requestOnce(ingest.parts, { operation, params, signal: stop.signal });
      const [first] = invalid;
      if (first !== undefined)
        remark(`${countOf(invalid.length, "item")} of the answer did not fit and are left out: ${first.reason}.`);
      return value;
    };
    try {
      // a wrong token or address is reported before anything is paid for
      await checkBalance(ingest.parts, stop.signal);
      await work({ app, send, stop: stop.signal });
    } catch (error) {
      if (!stop.signal.aborted) throw forPeople(error);
      remark("Interrupted.");
      process.exitCode = 130;
    } finally {
      stop.dispose();
    }
  });
}

/** True for an error by which the service says that there is nothing: as no content, or as not found. */
export function saysNothing(error: unknown): error is StorehouseError {
  return error instanceof StorehouseError && (error.code === "no_content" || error.code === "not_found");
}

/** The answer, null where the service says that there is nothing. */
export async function ifAny<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (saysNothing(error)) return null;
    throw error;
  }
}

/** The error of a slice as the error of a command: nothing retries a command automatically. */
function forPeople(error: unknown): unknown {
  // the driver's own text says little and may say where
  if (isLostConnection(error)) return databaseOutage(error);
  if (!(error instanceof StorehouseError)) return error;
  if (error instanceof DeferError) {
    const { cost, remaining } = error.context;
    const when = error.until === null ? "after the next reset" : `after ${timeText(error.until)}`;
    return fail("allowance_spent", { cost, remaining, when }, error);
  }
  const mayPass = error instanceof RetryError || error.code === "unknown_shape";
  return mayPass ? fail("unanswered", { code: error.code, problem: error.problem }, error) : error;
}
