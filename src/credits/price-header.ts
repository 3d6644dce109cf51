/** A price of more than this many times the documented one is accepted only if the balance shows it. */
const mostTimesDocumented = 10;

/** What is known about the price of a call. Credits. */
export type PriceEvidence = {
  /** The price in the reply. */
  readonly header: number;
  readonly documented: number;
  /** How much the balance fell during the call; null if another call may have changed it too. */
  readonly drop: number | null;
};

/** The verdict on a price header: `isShown` if the balance fell by exactly that. */
export type PriceVerdict = { readonly isAccepted: boolean; readonly isShown: boolean };

/**
 * Judges the price that a reply names. A price that the balance shows is always accepted, and so is the documented price. Any other price
 * is not accepted if it is negative, zero for an operation that has a price, more than ten times the documented price, or more than the
 * balance fell by, or if the balance fell by the documented price. A balance that fell by more shows nothing: others spend from it too.
 */
export function judgePrice({ header, documented, drop }: PriceEvidence): PriceVerdict {
  if (header >= 0 && header === drop) return { isAccepted: true, isShown: true };
  if (header === documented) return { isAccepted: true, isShown: false };
  const isAbsurd =
    header < 0 || (header === 0 && documented > 0) || header > mostTimesDocumented * Math.max(1, documented);
  const isContradicted = drop !== null && (header > drop || drop === documented);
  return { isAccepted: !isAbsurd && !isContradicted, isShown: false };
}

/** A balance before or after a call; `resetsAt` in epoch-ms. */
type ReportedBalance = { readonly remaining: number | null; readonly resetsAt: number | null };

/** Reports of one deadline vary by a second or two; a later one belongs to another period. */
const samePeriodMs = 60_000;

/**
 * How much the balance fell during a call that ran alone; null if either balance is unknown, if the call did not run alone, or if the
 * period changed or credits were bought.
 */
export function balanceDrop(
  before: ReportedBalance & { readonly inFlight: number; readonly overlapped: boolean },
  after: ReportedBalance,
): number | null {
  if (before.inFlight !== 1 || before.overlapped || before.remaining === null || after.remaining === null) return null;
  if (before.resetsAt === null || after.resetsAt === null) return null;
  if (Math.abs(before.resetsAt - after.resetsAt) > samePeriodMs || after.remaining > before.remaining) return null;
  return before.remaining - after.remaining;
}
