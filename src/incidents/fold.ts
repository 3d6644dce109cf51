import { dayMs } from "../core/day.ts";
import { kindNamed } from "./kinds.ts";
import { problem, type Problem } from "./problems.ts";

/** The parts of an open incident that folding needs. */
export type IncidentRow = {
  readonly kind: string;
  readonly subject: string;
  readonly accountId: string;
  readonly openedAt: Date;
};

/** A cause with its effects. */
type Cause = { readonly problem: Problem; readonly effects: readonly string[] };

/** Causes open incidents. Effects open none; if one is open already, it stays open. */
export type Folded = { readonly causes: readonly Cause[]; readonly effects: readonly Problem[] };

/**
 * Divides problems into causes and effects: a problem is an effect while a kind that can cause it is found or still open, or while another
 * problem explains its dataset. Problems of the warehouse may have a cause in any account; problems of an account only in itself or in the
 * warehouse. Many late datasets without a known cause have a common one.
 */
export function fold(found: readonly Problem[], open: readonly IncidentRow[]): Folded {
  const current = [...found, ...open];
  const isEffect = (one: Problem) =>
    one.isEffect === true ||
    current.some((cause) => causesOf(one.kind).includes(cause.kind) && concerns(cause, one)) ||
    found.some((cause) => explains(cause, one));
  const causes = gathered(found.filter((one) => !isEffect(one)));
  const effects = found.filter((one) => !causes.includes(one));
  return {
    effects,
    causes: causes.map((one) => ({
      problem: one,
      effects: effects.filter((effect) => isUnder(effect, one)).map(({ subject, kind }) => subject || kind),
    })),
  };
}

/** Whether a cause can concern a problem: a problem of an account cannot cause one of another account. */
function concerns(cause: Pick<Problem, "accountId">, { accountId }: Problem): boolean {
  return accountId === "" || cause.accountId === "" || cause.accountId === accountId;
}

/** If more datasets than this are late, they have one cause, even if no check knows it. */
const mostLate = 3;

/** The causes, with one problem in place of many late datasets. */
function gathered(causes: readonly Problem[]): readonly Problem[] {
  const late = causes.filter(({ kind }) => kind === "dataset_stale");
  if (late.length <= mostLate) return causes;
  const all = problem({
    kind: "datasets_stale",
    since: Math.min(...late.map(({ since }) => since ?? Number.POSITIVE_INFINITY)),
    facts: { datasets: late.map(({ subject }) => subject) },
  });
  return [...causes.filter((one) => !late.includes(one)), all];
}

function isUnder(one: Problem, cause: Problem): boolean {
  return causesOf(one.kind).includes(cause.kind) || explains(cause, one);
}

/** A failure that is much older than the lateness did not cause it: the dataset was on time despite it. */
const longestBefore = 3 * dayMs;

/**
 * True if failing slices are the reason why their dataset is late. A problem that is an effect itself opens no incident, so it must not
 * hide anything.
 */
function explains(cause: Problem, { kind, subject, since }: Problem): boolean {
  if (kind !== "dataset_stale" || cause.isEffect === true || cause.explains?.includes(subject) !== true) return false;
  return since === null || cause.since === null || cause.since >= since - longestBefore;
}

function causesOf(kind: string): readonly string[] {
  return kindNamed(kind)?.under ?? [];
}
