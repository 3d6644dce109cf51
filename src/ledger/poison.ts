/*
 * A process may die because of a slice (a body that takes all memory), or for any other reason: then its slices are innocent. If a process
 * dies while it runs several slices, that proves nothing about any of them. After two such deaths a slice runs alone, and only deaths while
 * it ran alone count against it. Two of those may still be chance, for instance if a machine keeps restarting: the slice then waits until
 * that is likely to be over.
 */

/** A slice runs alone once this many processes have died while they ran it: it is a suspect when the next one dies. */
export const suspectFrom = 2;

/** After this many deaths of processes that ran it alone, a slice fails as their cause. */
export const mostAlone = 3;

/** The wait before the attempt that decides, in ms. */
export const decidingWaitMs = 10 * 60_000;
