/** Where ranks stand: 1 on top. `at` gives a share of the height, 0 for rank 1 and 1 for the worst that is shown. */
export type RankScale = {
  readonly worst: number;
  readonly ticks: readonly number[];
  readonly at: (rank: number) => number;
};

/** Up to this rank every place counts the same; beyond it, what happens near the top counts more. */
const mostLinear = 12;
const steps = [1, 2, 3, 5];

/** The scale for ranks down to `worst`: even, or logarithmic where they reach far down. */
export function rankScale(worst: number): RankScale {
  if (worst <= mostLinear) {
    const end = Math.max(5, worst);
    const every = end > 8 ? 2 : 1;
    const ticks = Array.from({ length: end }, (_, index) => index + 1).filter((rank) => (rank - 1) % every === 0);
    return { worst: end, ticks, at: (rank) => (rank - 1) / (end - 1) };
  }
  const ticks = logarithmic(worst);
  const end = ticks.at(-1) ?? worst;
  return { worst: end, ticks, at: (rank) => Math.log(rank) / Math.log(end) };
}

function logarithmic(worst: number): readonly number[] {
  const ticks: number[] = [];
  for (let power = 1; ; power *= 10)
    for (const step of steps) {
      ticks.push(step * power);
      if (step * power >= worst) return ticks;
    }
}
