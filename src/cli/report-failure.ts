import { CommanderError } from "commander";
import { AbortError, DeferError, fail, StorehouseError, UsageError } from "../core/errors.ts";
import { remark } from "./output.ts";

/**
 * Reports a failure to the person in one line and returns the exit code: 2 for settings, arguments and token, 3 for credits, 130 for
 * a stop, 1 for the rest. Modules that only a failure needs are imported here, so that other starts do not load them.
 */
export async function reportFailure(
  failure: unknown,
  say: (line: string) => void | Promise<void> = sayHidden,
): Promise<number> {
  // commander has printed what is wrong; only the exit code is left, which is 2 for usage errors
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : 2;
  const error = failure instanceof StorehouseError ? failure : await withoutDriverText(failure);
  if (error instanceof StorehouseError) {
    const { exitCodes } = await import("./exit-codes.ts");
    await say(error.message);
    if (error instanceof DeferError) return exitCodes.deferred;
    if (error.code === "stopped") return exitCodes.interrupted;
    return error instanceof UsageError || error instanceof AbortError ? exitCodes.aborted : exitCodes.failed;
  }
  // a fault of the program: its developers need the trace, which holds neither address nor token
  await say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}

/** The error of a database or a disk, in our words: the driver's own text says little and may contain the address. */
async function withoutDriverText(failure: unknown): Promise<unknown> {
  if (isUnwritten(failure)) return fail("unwritable_file", { file: "the output", cause: failure.code }, failure);
  const { databaseInterrupted, databaseOutage, isInterrupted, isLostConnection, isMissingRight } =
    await import("../postgres/database-errors.ts");
  if (isLostConnection(failure)) return databaseOutage(failure);
  if (isInterrupted(failure)) return databaseInterrupted(failure);
  return isMissingRight(failure) ? fail("rights_missing", { problem: failure.message }, failure) : failure;
}

/** True if output, or a file without a specific error, could not be written: the disk is full or broken. */
function isUnwritten(failure: unknown): failure is Error & { readonly code: string } {
  if (!(failure instanceof Error) || !("syscall" in failure) || !("code" in failure)) return false;
  return failure.syscall === "write" && ["ENOSPC", "EDQUOT", "EFBIG", "EIO"].includes(String(failure.code));
}

/** Prints a line about a failure without the secrets that it may contain. */
async function sayHidden(line: string): Promise<void> {
  const { hideSecrets } = await import("./environment.ts");
  remark(hideSecrets(line));
}

/** Reports an error that was not caught like any other: the runtime would print it with all its properties. */
export function reportCrashes(): void {
  process.on("uncaughtException", (error) => void reportCrash(error));
}

async function reportCrash(error: unknown): Promise<void> {
  await reportFailure(error);
  process.exit(1);
}
