/*
 * A process may die of a slice (a body that takes all memory) or of anything else, and then its slices are innocent. Deaths beside others
 * prove nothing. After two of them a slice runs alone; only deaths during which it ran alone count against it. The second of those may
 * be chance as well, as where a machine restarts over and over: the slice then waits until that is likely to be over.
 */

/** Slices during which that many processes ended run alone: they are the suspects when the next one ends. */
export const suspectFrom = 2;

/** At so many deaths of processes that ran it alone a slice has failed as their cause. */
export const mostAlone = 3;

/** The wait before the attempt that decides, in ms. */
export const decidingWaitMs = 10 * 60_000;
