import { triedAgainText } from "../core/retry-times.ts";
import type { ApiTrouble, LastRun, UnfinishedSync } from "../ledger/status.ts";
import { unrequestedText, type UnrequestedDays } from "../ledger/unrequested-days.ts";
import { isServed, type WorkerCounts } from "../ledger/worker-counts.ts";
import { beyondPeriodCodes, budgetWaitCodes } from "../core/waiting-codes.ts";
import { countOf, listed, minuteOf } from "../core/words.ts";
import { sumBy } from "../core/sum.ts";
import { lockWaitText, type LockWait } from "../postgres/lock-waits.ts";

/** What the verdict of the morning is computed from. */
export type VerdictFacts = ApiTrouble & {
  readonly incidents: number;
  readonly workers: WorkerCounts;
  /** Failed slices that are not requested again automatically, and those that are. */
  readonly failed: number;
  readonly failedForNow: number;
  /** When the first of those is requested again; null if there is none. */
  readonly nextTryAt: Date | null;
  readonly lostDays: number;
  /** Answers about the portfolio that are held, while no worker's checks report them. */
  readonly held: number;
  /** Datasets whose newest day is too old while no worker runs. */
  readonly late: readonly string[];
  /** Slices that wait or run, and how many of them a living process runs. */
  readonly open: number;
  readonly running: number;
  /** True if a living process works on a run of the account. */
  readonly isRunUnderWay: boolean;
  /** How many of the waiting slices are deferred, by error. */
  readonly deferred: readonly { readonly code: string; readonly slices: number }[];
  /** How many datasets have slices, and for how many of them nothing is available: each slice is skipped. */
  readonly datasets: number;
  readonly unavailable: number;
  /** Those of them that list what the account tracks. */
  readonly lists: number;
  /** True if the account tracks nothing, so that nothing else is requested. */
  readonly isPortfolioEmpty: boolean;
  /** The latest run that had something to do. */
  readonly lastRun: Pick<LastRun, "outcome"> | null;
  /** The latest sync that was broken off and not followed by one of the same datasets. */
  readonly unfinishedSync: UnfinishedSync | null;
  /** A lock that a process waits for while another session of the database holds it; null if there is none. */
  readonly lockWait: LockWait | null;
  /** The newest day that any dataset has answered. */
  readonly newestDay: string | null;
};

/**
 * The state of everything in a line: `bad` if a person must act, `warn` if something is being fixed automatically, `calm` before anything
 * was requested.
 */
export type Verdict = { readonly state: "good" | "calm" | "warn" | "bad"; readonly text: string };

/** The verdict: all problems if there are any; otherwise what is in progress; otherwise that everything is fine. */
export function verdictOf(facts: VerdictFacts): Verdict {
  const isUntouched = facts.datasets === 0 && facts.refusedSince === null && facts.outage === null;
  if (isUntouched && facts.incidents === 0 && !wasAborted(facts))
    return { state: "calm", text: "Nothing has been requested yet." };
  const bad = badOf(facts);
  const warn = warnOf(facts);
  if (bad.length > 0) return { state: "bad", text: `Needs attention: ${[...bad, ...warn].join("; ")}.` };
  if (warn.length > 0) return notComplete(warn.join("; "));
  if (facts.open > 0)
    return { state: "good", text: `OK: ${countOf(facts.open, "slice waits or runs", "slices wait or run")}.` };
  const until = facts.newestDay === null ? "" : `, up to ${facts.newestDay}`;
  const loaded = countOf(facts.datasets - facts.unavailable, "dataset is", "datasets are");
  const without =
    facts.unavailable === 0
      ? ""
      : `; ${facts.unavailable} ${facts.unavailable === 1 ? "has" : "have"} no data available`;
  return { state: "good", text: `OK: ${loaded} loaded${until}${without}.` };
}

function notComplete(text: string): Verdict {
  return { state: "warn", text: `Not complete yet: ${text}.` };
}

/** The verdict with days that no sync reaches any more; unchanged if they are unknown (null), since reading them may take long. */
export function verdictWithUnrequested(verdict: Verdict, found: readonly UnrequestedDays[] | null): Verdict {
  const text = unrequestedText(found ?? []);
  if (text === null) return verdict;
  if (verdict.state === "good" || verdict.state === "calm") return notComplete(text);
  return { ...verdict, text: `${verdict.text.replace(/\.$/, "")}; ${text}.` };
}

/** A family of datasets and how far it is complete; `bad` if one of its datasets is late. */
type FamilyTone = { readonly name: string; readonly tone: string };

/** The verdict with how far families are complete, which requires reading the whole ledger: it is never good while one is late. */
export function verdictWithFamilies(verdict: Verdict, families: readonly FamilyTone[]): Verdict {
  const late = families.filter(({ tone }) => tone === "bad").map(({ name }) => name);
  if (late.length === 0 || verdict.state === "bad") return verdict;
  const others = verdict.state !== "warn" ? "" : ` ${verdict.text}`;
  return {
    state: "bad",
    text: `Needs attention: ${late.join(", ")} ${late.length === 1 ? "is" : "are"} late.${others}`,
  };
}

/** If a worker runs, the reason that stopped a run is an incident for as long as it lasts. */
function wasAborted({ workers, lastRun }: VerdictFacts): boolean {
  return workers.running === 0 && lastRun?.outcome === "aborted";
}

const tooExpensiveCodes: readonly string[] = beyondPeriodCodes;

function badOf(facts: VerdictFacts): readonly string[] {
  const { incidents, workers, failed, lostDays, held, late, datasets, unavailable, refusedSince } = facts;
  const tooExpensive = sumBy(facts.deferred, ({ code, slices }) => (tooExpensiveCodes.includes(code) ? slices : 0));
  return [
    refusedSince === null ? "" : `the API has refused all requests of the account since ${minuteOf(refusedSince)}`,
    wasAborted(facts) ? "the last run was aborted" : "",
    datasets > 0 && unavailable === datasets ? "no requested data is available" : "",
    incidents > 0 ? countOf(incidents, "incident is open", "incidents are open") : "",
    workerTrouble(workers),
    lateText(late),
    tooExpensive > 0
      ? countOf(
          tooExpensive,
          "slice needs more credits than a whole period has",
          "slices need more credits than a whole period has",
        )
      : "",
    failed > 0
      ? countOf(
          failed,
          "slice failed and is not requested again automatically",
          "slices failed and are not requested again automatically",
        )
      : "",
    lostDays > 0 ? countOf(lostDays, "day is lost", "days are lost") : "",
    held > 0 ? countOf(held, "answer about the portfolio is held", "answers about the portfolio are held") : "",
  ].filter((text) => text !== "");
}

function lateText(late: readonly string[]): string {
  return late.length === 0 ? "" : `${listed(late)} ${late.length === 1 ? "is" : "are"} late`;
}

const endWords = {
  interrupted: "was interrupted",
  aborted: "was aborted",
  limited: "ended at the credits agreed to",
} as const satisfies Record<UnfinishedSync["endedAs"], string>;

function warnOf(facts: VerdictFacts): readonly string[] {
  const { failedForNow, nextTryAt, deferred, open, running, isRunUnderWay, workers, unfinishedSync, lockWait } = facts;
  const { outage, refusedSince } = facts;
  const isRun = running > 0 || isRunUnderWay || isServed(workers);
  return [
    // a refusal is a response
    outage === null || refusedSince !== null ? "" : outageText(outage),
    listsText(facts),
    // slices that had not started were cancelled: no slice shows that they are missing
    !isRun && unfinishedSync !== null && !(unfinishedSync.endedAs === "aborted" && wasAborted(facts))
      ? `sync ${unfinishedSync.runId} ${endWords[unfinishedSync.endedAs]}, and the rest has not been requested since`
      : "",
    !isRun && open > 0
      ? `${countOf(open, "slice waits", "slices wait")} and no process runs ${open === 1 ? "it" : "them"}`
      : "",
    lockWait === null ? "" : lockWaitText(lockWait),
    nextTryAt !== null
      ? `${countOf(failedForNow, "failed slice is", "failed slices are")} ${triedAgainText(nextTryAt)}`
      : "",
    ...(isRun ? waitTexts(deferred) : []),
  ].filter((text) => text !== "");
}

function listsText({ isPortfolioEmpty, lists, datasets }: VerdictFacts): string {
  if (isPortfolioEmpty) return "the account tracks no app";
  return lists > 0 && lists === datasets ? "only the lists of the portfolio have been requested" : "";
}

function outageText({ isNow, since, seenAt }: NonNullable<ApiTrouble["outage"]>): string {
  return isNow
    ? `the API has not responded since ${minuteOf(since)}`
    : `the API did not respond at ${minuteOf(seenAt)}, when it was last tried`;
}

/** What deferred slices wait for, by error; credits for any other error. */
const awaited: Readonly<Record<string, string>> = {
  ...Object.fromEntries(budgetWaitCodes.map((code) => [code, "a budget"])),
  api_unavailable: "the API",
  day_over: "its turn",
};

function waitTexts(deferred: VerdictFacts["deferred"]): readonly string[] {
  const others = deferred.filter(({ code }) => !tooExpensiveCodes.includes(code));
  const by = Map.groupBy(others, ({ code }) => awaited[code] ?? "credits");
  return [...by].map(([what, own]) => {
    const slices = sumBy(own, (one) => one.slices);
    return countOf(slices, `slice waits for ${what}`, `slices wait for ${what}`);
  });
}

/** A warehouse without any worker so far, or whose last worker was stopped by a person, is updated by other means. */
function workerTrouble({ running, late, waiting, lastEndedAs }: WorkerCounts): string {
  if (running > late) return "";
  if (waiting > 0) return "the worker waits until the API accepts the account";
  if (running > 0) return "no worker has a recent heartbeat";
  return lastEndedAs === null || lastEndedAs === "stopped"
    ? ""
    : `no worker is running; the last one ended as ${lastEndedAs}`;
}
