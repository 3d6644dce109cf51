/** Where ranks stand, the best on top. `at` gives a share of the height, 0 for the first tick and 1 for the last one. */
export type RankScale = {
  readonly ticks: readonly number[];
  readonly at: (rank: number) => number;
};

/** Up to this rank every place counts the same; beyond it, what happens near the top counts more. */
const mostLinear = 12;
const steps = [1, 2, 3, 5];

/**
 * The scale for ranks from `best` to `worst`: even where all are near the top, else logarithmic. It begins at 1, or at half of the best rank where
 * that is far down.
 */
export function rankScale(best: number, worst: number): RankScale {
  if (worst <= mostLinear) {
    const end = Math.max(5, worst);
    const every = end > 8 ? 2 : 1;
    const ticks = Array.from({ length: end }, (_, index) => index + 1).filter((rank) => (rank - 1) % every === 0);
    return { ticks, at: (rank) => (rank - 1) / (end - 1) };
  }
  const ticks = logarithmic(best < farDown ? 1 : best / 2, worst);
  const [start, end] = [Math.log(ticks[0] ?? 1), Math.log(ticks.at(-1) ?? worst)];
  return { ticks, at: (rank) => (Math.log(rank) - start) / (end - start) };
}

const farDown = 20;

/** Round ranks, from the last one that is no worse than `from` to the first one that is no better than `to`. */
function logarithmic(from: number, to: number): readonly number[] {
  let ticks: number[] = [];
  for (let power = 1; ; power *= 10)
    for (const step of steps) {
      const rank = step * power;
      ticks = rank <= from ? [rank] : [...ticks, rank];
      if (rank >= to) return ticks;
    }
}
