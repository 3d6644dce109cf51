import type { Slice } from "../core/slice.ts";

/**
 * Places among the steps of a slice (see run-slice.ts) at which a test kills the process. Each names what has just happened; `in the load` is
 * inside the open transaction.
 */
export const crashPoints = ["after answer", "after landing", "in the load", "after commit", "before the end"] as const;

/** One of the places; `in a shard` is inside the open transaction that plans a shard of a scheduled run. */
export type CrashPoint = (typeof crashPoints)[number] | "in a shard";

/** Called at each crash point, with the slice that it concerns, if any. Only tests set a hook, and it may never return. */
export type CrashHook = (point: CrashPoint, slice?: Slice) => void | Promise<void>;
