/** The sum over some things of what `of` gives for each. */
export function sumBy<T>(all: Iterable<T>, of: (one: T) => number): number {
  let sum = 0;
  for (const one of all) sum += of(one);
  return sum;
}
