import { hasReset, type AccountState } from "../credits/account.ts";
import type { BudgetUse } from "../credits/budgets.ts";
import { textOfAccount, type OpenIncident } from "../incidents/open-incidents.ts";
import type { NextRun } from "../ledger/next-runs.ts";
import { unrequestedNext, unrequestedText, type UnrequestedDays } from "../ledger/unrequested-days.ts";
import { outcomeWords, type LastRun } from "../ledger/status.ts";
import type { OutdatedWorker, WorkerCounts } from "../ledger/worker-counts.ts";
import type { NotAgreed } from "../worker/agreed-lines.ts";
import { lockWaitNext, lockWaitText, type LockWait } from "../postgres/lock-waits.ts";
import { useWords } from "../core/credit-budget.ts";
import { hourMs } from "../core/day.ts";
import type { Fact } from "./fact-list.ts";
import { count, countOf, durationText, listed } from "../core/words.ts";
import { timeText } from "./times.ts";

/** What the facts above the datasets are made from. */
export type StatusFacts = {
  readonly now: number;
  /** The name of the account that they are about. */
  readonly own: string;
  readonly account: AccountState | null;
  readonly budgets: readonly BudgetUse[];
  readonly nextRuns: readonly NextRun[];
  readonly workers: WorkerCounts;
  readonly incidents: readonly OpenIncident[];
  readonly lastRun: LastRun | null;
  readonly lockWait: LockWait | null;
  /** Days that a sync no longer reaches; null if reading them takes too long. */
  readonly unrequested: readonly UnrequestedDays[] | null;
  /** What the crontab plans and the running workers leave out. */
  readonly notAgreed: NotAgreed | null;
  /** Running workers whose crontab or settings differ from those that this command reads. */
  readonly outdatedWorkers: readonly OutdatedWorker[];
};

/** The facts of `storehouse status`, in the order in which a person needs them. */
export function statusFacts(facts: StatusFacts): readonly Fact[] {
  return [
    ["credits", creditsText(facts)],
    ["budgets", budgetsText(facts)],
    ["next run", nextRunText(facts)],
    ["workers", workersText(facts.workers)],
    ["other settings", outdatedText(facts.outdatedWorkers)],
    ["not agreed", facts.notAgreed && notAgreedText(facts.notAgreed)],
    ["incidents", incidentsText(facts)],
    ["last run", facts.lastRun && textOfAccount(facts.lastRun.account, facts.own, lastRunText(facts.lastRun))],
    ["lock", facts.lockWait && `${lockWaitText(facts.lockWait)}; ${lockWaitNext(facts.lockWait)}`],
    ["not requested", notRequestedText(facts.unrequested)],
  ];
}

/** What workers leave out, and how to agree to it. */
export function notAgreedText({ datasets, next }: NotAgreed): string {
  return `workers leave out ${listed(datasets)}, since nobody has agreed to that: ${next}`;
}

function notRequestedText(found: StatusFacts["unrequested"]): string | null {
  if (found === null)
    return "not checked here, because it takes long; `storehouse gaps` shows days that no sync requests any more";
  const text = unrequestedText(found);
  return text === null ? null : `${text}; ${unrequestedNext}`;
}

function creditsText({ account, now }: StatusFacts): string {
  if (account?.total == null || account.remaining === null)
    return "not reported yet; `storehouse credits` checks the balance for free";
  const { total, remaining, held, resetsAt, observedAt } = account;
  if (hasReset(account, now))
    return `reset to ${count(total)} at ${timeText(account.resetsAt)}; \`storehouse credits\` checks the balance for free`;
  const parts = [
    `${count(remaining)} of ${count(total)} left`,
    held > 0 ? `${count(held)} of them held` : "",
    resetsAt === null ? "" : `until ${timeText(resetsAt)}, in ${durationText(resetsAt - now)}`,
  ];
  const text = parts.filter((part) => part !== "").join(", ");
  const isOld = observedAt !== null && now - observedAt > oldMs;
  return isOld ? `${text}; reported ${durationText(now - observedAt)} ago` : text;
}

function budgetsText({ budgets }: StatusFacts): string | null {
  if (budgets.length === 0) return null;
  return budgets.map((use) => useWords({ ...use, isUsedUp: use.refusedAt !== null })).join("\n");
}

/** A worker learns the balance with every answer. */
const oldMs = hourMs;

function nextRunText({ nextRuns, now }: StatusFacts): string {
  if (nextRuns.length === 0) return "no worker has announced one; `storehouse schedule` prices the crontab";
  const next = nextRuns.slice(0, 1);
  // a frequent line that costs nothing says little about the credits to come
  const costing = next.every(({ credits }) => credits === 0) ? nextRuns.find(({ credits }) => credits > 0) : undefined;
  return [...next, ...(costing === undefined ? [] : [costing])]
    .map(({ line, at, slices, credits, overBudget }) => {
      const putOff =
        overBudget.slices === 0 ? "" : `, of which budgets defer about ${countOf(overBudget.credits, "credit")}`;
      const price =
        slices === 0
          ? "nothing is due then"
          : `about ${countOf(credits, "credit")} for ${countOf(slices, "slice")}${putOff}`;
      return `${line} at ${timeText(at)}, in ${durationText(at - now)}: ${price}`;
    })
    .join("\n");
}

function workersText({ running, late, waiting, ageSeconds, lastEndedAs }: WorkerCounts): string {
  const beat = ageSeconds === null ? "" : `, latest heartbeat ${durationText(ageSeconds * 1000)} ago`;
  const parts = [
    running - late > 0 ? `${count(running - late)} running` : "",
    late > 0 ? `${count(late)} without a recent heartbeat` : "",
    waiting > 0 ? `${count(waiting)} waiting until the API accepts the account` : "",
  ].filter((part) => part !== "");
  if (parts.length > 0) return `${parts.join(", ")}${beat}`;
  const end = lastEndedAs === "stopped" ? "was stopped" : `ended as ${lastEndedAs}`;
  return `none is running${lastEndedAs === null ? "" : `; the last one ${end}`}; \`storehouse worker\` starts one`;
}

function outdatedText(workers: readonly OutdatedWorker[]): string | null {
  if (workers.length === 0) return null;
  const named = workers.map(
    ({ workerId, host, startedAt }) => `worker ${workerId} on ${host}, started at ${timeText(startedAt.getTime())}`,
  );
  return `${listed(named)}: the crontab or the settings differ from those that this command reads; if they were changed since, a restart makes them count`;
}

function incidentsText({ incidents, now }: StatusFacts): string {
  if (incidents.length === 0) return "none open";
  return incidents
    .map(({ summary, openedAt }) => `${summary} (open for ${durationText(now - openedAt.getTime())})`)
    .join("\n");
}

function lastRunText({ runId, kind, startedAt, endedAt, outcome, error, ...run }: LastRun): string {
  const took = endedAt === null ? "" : `, ${durationText(endedAt.getTime() - startedAt.getTime())}`;
  const planned = `${countOf(run.plannedSlices, "slice")}, ${countOf(run.plannedCredits, "credit")} planned, ${count(run.bookedCredits)} spent`;
  return `${kind} ${runId} at ${timeText(startedAt)}${took}: ${outcomeWords(outcome)}; ${planned}${error === null ? "" : `\n${error}`}`;
}
