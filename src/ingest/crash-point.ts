import type { Slice } from "../core/slice.ts";

/**
 * Places in the story of a slice at which a kill is told apart from a kill elsewhere. Each names what has just happened; `in the
 * load` lies inside the open transaction. The moment after a request was sent is not ours to name: the HTTP client tells it.
 */
export const crashPoints = ["after answer", "after landing", "in the load", "after commit", "before the end"] as const;

/** One of the places. */
export type CrashPoint = (typeof crashPoints)[number];

/** Called at each place in turn, with the slice where one alone is meant. Only tests pass one, and theirs may never return. */
export type CrashHook = (point: CrashPoint, slice?: Slice) => void | Promise<void>;
