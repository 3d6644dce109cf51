import { triedAgainText } from "../core/retry-times.ts";
import { RetryError } from "../core/errors.ts";
import type { SyncResult } from "../runs/run-parts.ts";
import { tooDearWords } from "../plan/budget-words.ts";
import { sumBy } from "../core/sum.ts";
import { print, remark } from "./output.ts";
import { alongsideWords } from "./progress.ts";
import { count, countOf } from "../core/words.ts";
import { timeText } from "./times.ts";

/** The exit codes for the help of commands that run slices. */
export const exitHelp =
  "\nExit codes: 0 all loaded, 1 some slices failed or the API could not be reached, 2 usage, settings or token, 3 stopped by credits, slices of an earlier run wait, or part of the plan was cancelled and is missing, 130 interrupted.";

/** What differs between the commands: how to continue after an interruption, and the message when the limit of the run is spent. */
export type RunWords = {
  readonly goOn: string;
  /** What continues when credits are available again; a sync or a worker if left out. */
  readonly onCredits?: string;
  /** The message if there was nothing to run. */
  readonly nothingToRun?: string;
  /** `slicesLeft` as "1 slice is" or "12 slices are"; `isBegun` is false when not even one was requested. */
  readonly runLimitSpent: (slicesLeft: string, isBegun: boolean) => string;
};

/** Prints how a run in the foreground ended and what to do next. */
export function printResult({ outcome, progress, leftOut, left, error }: SyncResult, words: RunWords): void {
  const { open, failed, skipped, deferred, alongside } = progress;
  const total = progress.total - alongside;
  const facts = [
    `${count(total - open - failed - skipped)} of ${countOf(total, "slice")} loaded`,
    `${countOf(progress.credits, "credit")} spent`,
  ];
  if (alongside > 0) facts.push(alongsideWords(alongside));
  if (skipped > 0) facts.push(`${count(skipped)} skipped`);
  if (failed > 0) facts.push(`${count(failed)} failed`);
  const nothingFits = total === 0 && outcome === "deferred";
  if (total > 0) print(`${facts.join(", ")}.`);
  else if (!nothingFits)
    print(
      outcome === "loaded"
        ? (words.nothingToRun ?? "Everything requested that can be fetched is loaded; no credits spent.")
        : `${left.runningElsewhere > 0 ? `Another process is fetching what is missing (${countOf(left.runningElsewhere, "slice")})` : "Nothing new to request"}; no credits spent.`,
    );
  if (error !== null) remark(error.message);
  if (error?.code === "forbidden" && typeof error.context["operation"] === "string")
    print(`What was refused comes last the next time: ${words.goOn}.`);
  if (error instanceof RetryError) print(`The API was unavailable: what was fetched is loaded; ${words.goOn}.`);
  for (const dataset of left.unavailable)
    print(
      left.held?.includes(dataset) === true
        ? `The answer about ${dataset} is held, because it leaves out most members of its list, and changes nothing: \`storehouse held\` shows it. It is requested again the next day, and applied if that answer is the same; \`storehouse held --apply\` applies it now.`
        : `No data of ${dataset} is available: see \`storehouse status\`; are API_BASE_URL and api.store_words right? \`storehouse retry --skipped\` requests skipped slices again now; a sync does so when they are due.`,
    );
  if (left.failedBefore > 0)
    print(
      `${countOf(left.failedBefore, "slice failed earlier and is not loaded", "slices failed earlier and are not loaded")}${left.nextTryAt == null ? "" : `: ${triedAgainText(left.nextTryAt, timeText(left.nextTryAt))}`}.`,
    );
  if (failed + left.failedBefore > 0)
    print("`storehouse failures` says why; `storehouse retry` runs failed slices again.");
  if (outcome === "deferred") {
    const tooDear = left.tooDear ?? [];
    const waiting = deferred - sumBy(tooDear, ({ slices }) => slices);
    const beyondLimit = progress.nextDueAt === null ? waiting + leftOut : leftOut;
    if (progress.nextDueAt !== null && waiting > 0) print(waitWords(waiting, progress.nextDueAt, words.onCredits));
    for (const wait of tooDear) print(`${tooDearWords(wait)}.`);
    if (beyondLimit > 0) print(words.runLimitSpent(countOf(beyondLimit, "slice is", "slices are"), total > 0));
  }
  if (outcome === "interrupted") print(`Interrupted: what was fetched is loaded; ${words.goOn}.`);
}

function waitWords(
  slices: number,
  nextDueAt: number,
  onCredits = "run it again then, or leave it to `storehouse worker`",
): string {
  return `Stopped by credits: ${countOf(slices, "slice waits", "slices wait")}. It can continue at ${timeText(nextDueAt)}: ${onCredits}. \`storehouse credits\` shows what the credits that are left are kept for.`;
}
