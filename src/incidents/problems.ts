import { remainingCredits } from "../api/operations/account.ts";
import { floorCredits } from "../core/floors.ts";
import type { AccountStop } from "../credits/account-stop.ts";
import type { WrongPrice } from "../credits/costs.ts";
import type { HeldAnswer } from "../ledger/held-answers.ts";
import { creditOutlook, type CreditDemand } from "./credit-outlook.ts";
import type { FactsOf, IncidentKind } from "./kinds.ts";
import type { Lateness } from "./lateness.ts";

/** A problem that a check finds. There is one open incident at a time for the same kind, subject and account. */
export type Problem<K extends IncidentKind = IncidentKind> = {
  readonly kind: K;
  /** What it is about; empty if the kind is enough. */
  readonly subject: string;
  /** The account that it is about, by the hash of its key; empty if it is about the warehouse. */
  readonly accountId: string;
  /** When it began, in epoch-ms; null if only its incident shows that. */
  readonly since: number | null;
  /** True if each failed later try moves `since`: its incident keeps the time at which it opened. */
  readonly isTriedAgain?: boolean;
  readonly facts: FactsOf<K>;
  /** Datasets that are late because of it. */
  readonly explains?: readonly string[];
  /** True if another problem of the same check is its cause. */
  readonly isEffect?: boolean;
};

/**
 * Makes a problem; its facts must fit its kind. Without a subject it is about its kind as a whole, without an account about the warehouse.
 */
export function problem<K extends IncidentKind>({
  subject = "",
  accountId = "",
  since = null,
  ...rest
}: Partial<Problem<K>> & Pick<Problem<K>, "kind" | "facts">): Problem {
  return { subject, accountId, since, ...rest };
}

/** Unknown fields of one operation that first came on one day (UTC). */
export type UnknownFields = { readonly operation: string; readonly since: string; readonly fields: readonly string[] };

/** Datasets whose newest day is older than their freshness limit. */
export function lateProblems(datasets: readonly Lateness[], now: number): readonly Problem[] {
  return datasets
    .filter(({ ageMs, limitMs }) => ageMs > limitMs)
    .map(({ dataset, ageMs, limitMs, newestDay }) =>
      problem({
        kind: "dataset_stale",
        subject: dataset,
        since: now - (ageMs - limitMs),
        facts: { dataset, newest_day: newestDay, age_hours: inHours(ageMs), limit_hours: inHours(limitMs) },
      }),
    );
}

/** Slices that wait for credits, other than history. */
export type WaitingForCredits = { readonly slices: number; readonly wanted: number; readonly since: Date | null };

/** An account without credits for slices that wait, or whose credits run out before the reset. */
export function creditProblems(
  accountId: string,
  { allowance, waiting }: { readonly allowance: CreditDemand | null; readonly waiting: WaitingForCredits },
  now: number,
): readonly Problem[] {
  if (allowance === null) return [];
  const { remaining, total, held, floors } = allowance;
  const resetsAt = new Date(allowance.resetsAt).toISOString();
  const found: Problem[] = [];
  // credits were bought before the reset: the next scheduled run resumes what waits
  const floor = floorCredits(total, Math.max(floors.snapshot, floors.daily, floors.lookback));
  if (waiting.slices > 0 && waiting.wanted > remaining - held - floor)
    found.push(
      problem({
        kind: "credits_exhausted",
        accountId,
        since: waiting.since?.getTime() ?? null,
        facts: { remaining, total, slices: waiting.slices, wanted: waiting.wanted, resets_at: resetsAt },
      }),
    );
  const outlook = creditOutlook(allowance, now);
  if (outlook === null || outlook.short === 0) return found;
  const { usable, wanted, perHour, short, outAt } = outlook;
  found.push(
    problem({
      kind: "credits_short",
      accountId,
      facts: {
        remaining,
        total,
        usable,
        wanted,
        waiting: outlook.waiting,
        credits_per_hour: Math.round(perHour * 100) / 100,
        short,
        resets_at: resetsAt,
        out_at: outAt === null ? null : new Date(outAt).toISOString(),
      },
    }),
  );
  return found;
}

/** Fields of answers that the contract does not name. */
export function driftProblems(drifts: readonly UnknownFields[]): readonly Problem[] {
  return drifts.map(({ operation, since, fields }) =>
    problem({
      kind: "contract_drift",
      subject: `${operation} ${since}`,
      facts: { operation, since, fields: fields.slice(0, 20), field_count: fields.length },
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
        facts: { operation, documented, learned },
      }),
    );
}

/** Answers of an account that are held because they would remove most of its portfolio. */
export function heldProblems(accountId: string, answers: readonly HeldAnswer[]): readonly Problem[] {
  return answers.map(({ dataset, scope, day, current, closing, heldAt }) => {
    const about = [dataset, scope["store"], scope["app"], scope["country"]]
      .filter((one) => one !== undefined)
      .join(" ");
    return problem({
      kind: "answer_held",
      subject: about,
      accountId,
      since: heldAt.getTime(),
      facts: { about, day, current, closing },
    });
  });
}

/** Prices in replies that are not accepted. */
export function wrongPriceProblems(
  prices: readonly (WrongPrice & { readonly documented: number })[],
): readonly Problem[] {
  return prices.map(({ operation, header, drop, documented }) =>
    problem({
      kind: "price_wrong",
      subject: operation,
      facts: { operation, header, documented, balance_drop: drop },
    }),
  );
}

/** The stop of all requests of an account. */
export function stopProblems(accountId: string, stopped: AccountStop | null): readonly Problem[] {
  if (stopped === null) return [];
  const { code, operation, dataset, subject = "", since } = stopped;
  // without balance checks nothing is requested
  const refused = operation === remainingCredits.id ? "" : operation;
  const facts = { error_code: code, operation: refused, dataset, subject };
  return [problem({ kind: "requests_stopped", subject: "", accountId, since: since?.getTime() ?? null, facts })];
}

function inHours(ms: number): number {
  return Math.round(ms / 360_000) / 10;
}
