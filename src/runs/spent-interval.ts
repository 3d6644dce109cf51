/** Adding up the cost of requests may take at most a twentieth of the time: in a long run it takes ten times as long as counting slices. */
const sumShare = 20;
/** The sum is at most this part of the run old: a short run that has spent something says so at once. */
const oldestShare = 4;
const longestMs = 5_000;

/** How long after a sum of the credits that a run has spent the next one is due. `ranMs`: how long it had run; `tookMs`: what the sum took. */
export function spentIntervalMs({ ranMs, tookMs }: { readonly ranMs: number; readonly tookMs: number }): number {
  return Math.max(tookMs * (sumShare - 1), Math.min(longestMs, ranMs / oldestShare));
}
