import { openIngest } from "../open-ingest.ts";
import { DeferError, fail, RetryError, StorehouseError } from "../core/errors.ts";
import { createRunLimit } from "../credits/run-limit.ts";
import { checkBalance } from "../ingest/balance-check.ts";
import { databaseOutage, isLostConnection } from "../postgres/database-errors.ts";
import { apiSession, type ApiSession, type SessionParts } from "../person/api-session.ts";
import { exitCodes } from "./exit-codes.ts";
import { withApi } from "./with-app.ts";
import { remark } from "./output.ts";
import { count, countOf } from "../core/words.ts";
import { stopSignal } from "./stop-signal.ts";
import { timeText } from "./times.ts";

/** Opens an API session for one command, and closes it. An error is thrown with a next step that fits a command. */
export async function withApiSession(work: (session: ApiSession) => Promise<void>): Promise<void> {
  await withApi(async (app) => {
    await using ingest = await openIngest(app, "command", createRunLimit(null));
    using stop = stopSignal();
    const onInvalid: SessionParts["onInvalid"] = (invalid) =>
      remark(
        `${countOf(invalid.length, "item")} of the answer ${invalid.length === 1 ? "is" : "are"} invalid and left out: ${invalid[0]?.reason ?? ""}.`,
      );
    try {
      // a wrong token or address is reported before anything is paid for
      await checkBalance(ingest.parts, stop.signal);
      await work(apiSession({ app, ingest, stop: stop.signal, onInvalid }));
    } catch (error) {
      if (!stop.signal.aborted) throw forPeople(error);
      remark("Interrupted.");
      process.exitCode = exitCodes.interrupted;
    }
  });
}

/** The error of a slice as the error of a command: nothing retries a command automatically. */
function forPeople(error: unknown): unknown {
  // the driver's own text says little and may contain the address
  if (isLostConnection(error)) return databaseOutage(error);
  if (!(error instanceof StorehouseError)) return error;
  if (error instanceof DeferError) {
    const { cost, remaining } = error.context;
    const isTooFew = typeof cost === "number" && typeof remaining === "number";
    const problem = isTooFew
      ? `it takes ${countOf(cost, "credit")}, and ${count(remaining)} of the allowance are left`
      : "the API says so";
    const when = error.until === null ? "after the next reset" : `after ${timeText(error.until)}`;
    return fail("allowance_spent", { problem, when }, error);
  }
  const mayPass = error instanceof RetryError || error.code === "unknown_shape";
  return mayPass ? fail("unanswered", { code: error.code, problem: error.problem }, error) : error;
}
