import type { AccountStop } from "../credits/account-stop.ts";
import { creditOutlook, type CreditDemand } from "./credit-outlook.ts";
import { incidentKinds, type IncidentKind } from "./kinds.ts";
import type { Lateness } from "./lateness.ts";

/** Unknown fields of one operation that first came on one day (UTC). */
export type UnknownFields = { readonly operation: string; readonly since: string; readonly fields: readonly string[] };

/** Slices of one dataset that failed with the same error and have no attempts left. */
export type FailedGroup = {
  readonly dataset: string;
  readonly code: string;
  readonly slices: number;
  /** The error message of one of them. */
  readonly example: string;
};

/** A problem that a check finds. There is one open incident at a time for the same kind, subject and account. */
export type Problem = {
  readonly kind: IncidentKind;
  /** What it is about; empty where the kind is enough. */
  readonly subject: string;
  /** The account that it is about, by the hash of its key; empty where it is about the warehouse. */
  readonly accountId: string;
  /** A sentence with figures, and what to do next. */
  readonly summary: string;
  readonly detail: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
};

/** Adds the next step of its kind to a problem's summary. */
function problem({ summary, ...rest }: Problem): Problem {
  return { ...rest, summary: `${summary}; ${incidentKinds[rest.kind].next}` };
}

/** Failed slices, one problem for each dataset and error code. */
export function failedProblems(groups: readonly FailedGroup[]): readonly Problem[] {
  return groups.map(({ dataset, code, slices, example }) =>
    problem({
      kind: "slices_failed",
      subject: `${dataset} ${code}`,
      accountId: "",
      summary: `${counted(slices, "slice")} of ${dataset} failed with ${code}: ${cut(example)}`,
      detail: { dataset, error_code: code, slices },
    }),
  );
}

/** Datasets whose newest day is older than their freshness limit. */
export function lateProblems(datasets: readonly Lateness[]): readonly Problem[] {
  return datasets
    .filter(({ ageMs, limitMs }) => ageMs > limitMs)
    .map(({ dataset, ageMs, limitMs, newestDay }) => {
      const newest = newestDay === null ? "no day is loaded yet" : `its newest day is ${newestDay}`;
      return problem({
        kind: "dataset_stale",
        subject: dataset,
        accountId: "",
        summary: `${dataset} is late: ${newest}, ${hours(ageMs)} ago; its limit is ${hours(limitMs)}`,
        detail: { dataset, newest_day: newestDay, age_hours: inHours(ageMs), limit_hours: inHours(limitMs) },
      });
    });
}

/** An account whose credits run out before the reset. */
export function creditProblems(accountId: string, allowance: CreditDemand | null, now: number): readonly Problem[] {
  const outlook = allowance && creditOutlook(allowance, now);
  if (allowance === null || outlook === null || outlook.short === 0) return [];
  const { usable, wanted, perHour, hoursToReset, waiting, short, outAt } = outlook;
  const whole = (credits: number) => Math.round(credits).toLocaleString("en-US");
  const out = outAt === null ? "" : `, they run out about ${minuteOf(outAt)}`;
  return [
    problem({
      kind: "credits_short",
      subject: "",
      accountId,
      summary:
        `${whole(allowance.remaining)} of ${whole(allowance.total)} credits are left, ${whole(usable)} of them above the floor of the class daily; ` +
        `${whole(wanted)} are needed in the ${Math.ceil(hoursToReset)} h until the reset at ${minuteOf(allowance.resetsAt)} ` +
        `(${whole(waiting)} for slices in the queue; the last day took ${Math.round(perHour * 10) / 10} an hour): ${whole(short)} too few${out}`,
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

/** Fields of answers that the contract does not name. */
export function driftProblems(drifts: readonly UnknownFields[]): readonly Problem[] {
  return drifts.map(({ operation, since, fields }) =>
    problem({
      kind: "contract_drift",
      subject: `${operation} ${since}`,
      accountId: "",
      summary: `answers of ${operation} contain ${counted(fields.length, "unknown field")} since ${since}: ${cut(fields.join(", "))}`,
      detail: { operation, since, fields: fields.slice(0, 20) },
    }),
  );
}

/** Operations whose last charge is not the documented price. */
export function costProblems(
  costs: readonly { readonly operation: string; readonly documented: number; readonly learned: number }[],
): readonly Problem[] {
  return costs
    .filter(({ documented, learned }) => documented !== learned)
    .map(({ operation, documented, learned }) =>
      problem({
        kind: "cost_changed",
        subject: operation,
        accountId: "",
        summary: `the API charges ${learned} a call for ${operation}; documented are ${documented}`,
        detail: { operation, documented, learned },
      }),
    );
}

/** The stop of all requests of an account. */
export function stopProblems(accountId: string, stopped: AccountStop | null): readonly Problem[] {
  if (stopped === null) return [];
  const { code, message, operation, dataset } = stopped;
  const detail = { error_code: code, operation, dataset };
  return [problem({ kind: "requests_stopped", subject: "", accountId, summary: cut(message), detail })];
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
