/** The layout of ranks: the ticks, the scale of the library, and the position of a rank, from 0 at the top to 1 at the bottom. */
type RankScale = {
  readonly ticks: readonly number[];
  readonly scale: {
    readonly type: "linear" | "log";
    readonly domain: readonly [number, number];
    readonly reverse: true;
  };
  readonly at: (rank: number) => number;
};

/** Up to this rank the scale is linear; beyond it, changes near the top have more room. */
const mostLinear = 12;
const steps = [1, 2, 3, 5];
/** From this rank on, a scale begins at half of the best rank and not at 1, so that changes have room. */
const farDown = 6;

/** The scale for these ranks, the best on top: linear if all are near the top, else logarithmic. */
export function rankTicks(ranks: readonly number[]): RankScale {
  const worst = ranks.reduce((most, rank) => Math.max(most, rank), 1);
  const best = ranks.reduce((least, rank) => Math.min(least, rank), worst);
  return worst <= mostLinear ? linear(worst) : logarithmic(best < farDown ? 1 : best / 2, worst);
}

function linear(worst: number): RankScale {
  const end = Math.max(5, worst);
  const every = end > 8 ? 2 : 1;
  const ticks = Array.from({ length: end }, (_, index) => index + 1).filter((rank) => (rank - 1) % every === 0);
  return { ticks, scale: { type: "linear", domain: [1, end], reverse: true }, at: (rank) => (rank - 1) / (end - 1) };
}

/** A scale of round ranks, from the last one that is no worse than `from` to the first one that is no better than `to`. */
function logarithmic(from: number, to: number): RankScale {
  let ticks: number[] = [];
  for (let power = 1; (ticks.at(-1) ?? 0) < to; power *= 10)
    for (const step of steps) {
      const rank = step * power;
      ticks = rank <= from ? [rank] : [...ticks, rank];
      if (rank >= to) break;
    }
  const [start, end] = [ticks[0] ?? 1, ticks.at(-1) ?? to];
  const span = Math.log(end / start);
  return {
    ticks,
    scale: { type: "log", domain: [start, end], reverse: true },
    at: (rank) => Math.log(rank / start) / span,
  };
}
