/*
 * A process may die of a slice (a body that takes all memory) or of anything else, and then its slices are innocent. Deaths beside others
 * prove nothing. After two of them a slice runs alone; only deaths during which it ran alone count against it. The second of those may
 * be chance as well, as where a machine restarts over and over: the slice then waits until that is likely to be over.
 */

/** Slices during which that many processes ended run alone: they are the suspects when the next one ends. */
export const suspectFrom = 2;

/** What becomes of a slice whose process died: it waits, runs again, or has failed as what ended the process. */
export type Verdict = { readonly isPoisoned: boolean; readonly waitMs: number };

/** So many processes may die while they run a slice alone before the slice counts as the cause. */
export const mostAlone = 3;

/** The wait before the attempt that decides. */
export const decidingWaitMs = 10 * 60_000;

/** The verdict over a slice after so many deaths during which it ran alone. */
export function verdictAfter(aloneDeaths: number, waitMs = decidingWaitMs): Verdict {
  if (aloneDeaths >= mostAlone) return { isPoisoned: true, waitMs: 0 };
  return { isPoisoned: false, waitMs: aloneDeaths === mostAlone - 1 ? waitMs : 0 };
}
