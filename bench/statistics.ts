/** The middle of the figures, and the least and greatest. */
export type Spread = { readonly median: number; readonly least: number; readonly greatest: number };

/** Median and spread of at least one figure. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    greatest: at(sorted.length - 1),
  };
}
