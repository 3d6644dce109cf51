/** The limit on the credits of one run (`--max-credits`, or what is left of a plan's price), kept by the process that runs it. */
export interface RunLimit {
  /** Takes credits for one call; false if they would exceed the limit. */
  take(credits: number): boolean;
  /** Replaces the credits taken with the credits charged. */
  settle(taken: number, charged: number): void;
  /** Credits that may still be taken; Infinity without a limit. */
  left(): number;
}

/** A limit of `limit` credits; none when null. */
export function createRunLimit(limit: number | null): RunLimit {
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
