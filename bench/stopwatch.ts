/** Milliseconds on a clock that only runs forward: for measurements, never for timestamps. */
export function now(): number {
  return performance.now();
}

/** Runs `work` and returns how long it took, in ms. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const from = now();
  const result = await work();
  return { result, ms: now() - from };
}
