import type { AccountStop } from "../credits/account-stop.ts";
import { incidentKinds, finding, type Finding, type IncidentKind } from "./kinds.ts";
import type { StandingDrift } from "./contract-drift.ts";
import { creditOutlook, type Allowance } from "./credit-outlook.ts";

/** Slices of one dataset that failed for good with the same error. */
export type FailedGroup = {
  readonly dataset: string;
  readonly code: string;
  readonly slices: number;
  /** The error of one of them, in words. */
  readonly example: string;
};

/** How old the newest day of a dataset is, against its limit; ms. */
export type Lateness = {
  readonly dataset: string;
  readonly ageMs: number;
  readonly limitMs: number;
  /** Null when nothing ever came. */
  readonly newestDay: string | null;
};

/** Slices that failed for good. */
export function failedFindings(groups: readonly FailedGroup[]): readonly Finding[] {
  return groups.map(({ dataset, code, slices, example }) =>
    finding({
      kind: "slices_failed",
      subject: `${dataset} ${code}`,
      accountId: "",
      summary: `${counted(slices, "slice")} of ${dataset} failed with ${code}: ${cut(example)}`,
      detail: { dataset, error_code: code, slices },
    }),
  );
}

/** Datasets whose newest day is older than their limit. */
export function lateFindings(datasets: readonly Lateness[]): readonly Finding[] {
  return datasets
    .filter(({ ageMs, limitMs }) => ageMs > limitMs)
    .map(({ dataset, ageMs, limitMs, newestDay }) => {
      const newest = newestDay === null ? "nothing came yet" : `its newest day is ${newestDay}`;
      return finding({
        kind: "dataset_stale",
        subject: dataset,
        accountId: "",
        summary: `${dataset} is late: ${newest}, ${hours(ageMs)} ago, and its limit is ${hours(limitMs)}`,
        detail: { dataset, newest_day: newestDay, age_hours: inHours(ageMs), limit_hours: inHours(limitMs) },
      });
    });
}

/** The allowance of an account, when it will not last to its reset. */
export function creditFindings(accountId: string, allowance: Allowance | null, now: number): readonly Finding[] {
  const outlook = allowance && creditOutlook(allowance, now);
  if (allowance === null || outlook === null || outlook.short === 0) return [];
  const { usable, wanted, perHour, hoursToReset, waiting, short, outAt } = outlook;
  const whole = (credits: number) => Math.round(credits).toLocaleString("en-US");
  const out = outAt === null ? "" : `, out of them about ${minuteOf(outAt)}`;
  return [
    finding({
      kind: "credits_short",
      subject: "",
      accountId,
      summary:
        `${whole(allowance.remaining)} of ${whole(allowance.total)} credits are left, ${whole(usable)} of them above the floor and free ` +
        `for the newest days; ${whole(wanted)} are wanted in the ${Math.ceil(hoursToReset)} h to the reset at ${minuteOf(allowance.resetsAt)} ` +
        `(${whole(waiting)} wait, ${Math.round(perHour * 10) / 10} an hour over the last day): ${whole(short)} short${out}`,
      detail: {
        remaining: allowance.remaining,
        total: allowance.total,
        usable,
        wanted,
        waiting,
        credits_per_hour: Math.round(perHour * 100) / 100,
        short,
        resets_at: new Date(allowance.resetsAt).toISOString(),
        out_at: outAt === null ? null : new Date(outAt).toISOString(),
      },
    }),
  ];
}

/** Fields that an operation's answers hold and the contract does not name. */
export function driftFindings(drifts: readonly StandingDrift[]): readonly Finding[] {
  return drifts.map(({ operation, since, fields }) =>
    finding({
      kind: "contract_drift",
      subject: `${operation} ${since}`,
      accountId: "",
      summary: `answers of ${operation} hold ${counted(fields.length, "field")} that nobody knows, since ${since}: ${cut(fields.join(", "))}`,
      detail: { operation, since, fields: fields.slice(0, 20) },
    }),
  );
}

/** Operations that were last charged other than documented. */
export function costFindings(
  costs: readonly { readonly operation: string; readonly documented: number; readonly learned: number }[],
): readonly Finding[] {
  return costs
    .filter(({ documented, learned }) => documented !== learned)
    .map(({ operation, documented, learned }) =>
      finding({
        kind: "cost_changed",
        subject: operation,
        accountId: "",
        summary: `${operation} costs ${learned} a call and is documented at ${documented}`,
        detail: { operation, documented, learned },
      }),
    );
}

/** All asking has stopped. */
export function stoppedFindings(accountId: string, stopped: AccountStop | null): readonly Finding[] {
  if (stopped === null) return [];
  const { code, message, operation, dataset } = stopped;
  const detail = { error_code: code, operation, dataset };
  return [finding({ kind: "asking_stopped", subject: "", accountId, summary: cut(message), detail })];
}

/** The heading of a kind; of a newer version's, its name. */
export function titleOf(kind: string): string {
  return kind in incidentKinds ? incidentKinds[kind as IncidentKind].title : kind;
}

function cut(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 299).toWellFormed()}…`;
}

function counted(count: number, one: string): string {
  return `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;
}

function inHours(ms: number): number {
  return Math.round(ms / 360_000) / 10;
}

function hours(ms: number): string {
  const h = Math.floor(ms / 3_600_000);
  return h < 72 ? `${h} h` : `${Math.floor(h / 24)} days`;
}

function minuteOf(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
