/** A limit on what one run may spend, kept by the one process that runs it. */
export interface Budget {
  /** Sets credits aside; false when the limit would be passed. */
  take(credits: number): boolean;
  /** Replaces what was set aside by what was charged. */
  settle(taken: number, charged: number): void;
  /** Credits that may still be set aside; Infinity without a limit. */
  left(): number;
}

/** A budget of `limit` credits, without limit when null. */
export function createBudget(limit: number | null): Budget {
  let gone = 0;
  const most = limit ?? Number.POSITIVE_INFINITY;
  return {
    take: (credits) => {
      if (gone + credits > most) return false;
      gone += credits;
      return true;
    },
    settle: (taken, charged) => {
      gone += charged - taken;
    },
    left: () => most - gone,
  };
}
