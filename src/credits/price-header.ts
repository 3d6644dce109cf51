/** A price of more than so many times the documented one is accepted only where the balance shows it. */
const mostTimesDocumented = 10;

/** What is known of the price of a call. Credits. */
export type PriceEvidence = {
  /** What the reply names. */
  readonly header: number;
  readonly documented: number;
  /** By how much the balance fell over the call; null where another call may have changed it as well. */
  readonly drop: number | null;
};

/** What is made of a price header: `isShown` where the balance fell by just that. */
export type PriceVerdict = { readonly isAccepted: boolean; readonly isShown: boolean };

/**
 * Judges the price that a reply names. One that the balance shows is always accepted. It is not accepted where it is negative,
 * nothing for an operation that has a price, more than ten times the documented price, more than the balance fell by, or where the
 * balance fell by the documented price. A balance that fell by more shows nothing: others spend from it as well. The documented price is
 * always accepted.
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

/** Reports of one deadline vary by a second or two; a later one is of another period. */
const sameDeadlineMs = 60_000;

/**
 * By how much the balance fell over a call that ran alone; null where either balance is unknown, where the call did not run alone, or
 * where the period changed or credits were bought.
 */
export function balanceDrop(
  before: ReportedBalance & { readonly inFlight: number; readonly overlapped: boolean },
  after: ReportedBalance,
): number | null {
  if (before.inFlight !== 1 || before.overlapped || before.remaining === null || after.remaining === null) return null;
  if (before.resetsAt === null || after.resetsAt === null) return null;
  if (Math.abs(before.resetsAt - after.resetsAt) > sameDeadlineMs || after.remaining > before.remaining) return null;
  return before.remaining - after.remaining;
}
