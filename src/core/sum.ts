/** The sum of `of` over all elements. */
export function sumBy<T>(all: Iterable<T>, of: (one: T) => number): number {
  let sum = 0;
  for (const one of all) sum += of(one);
  return sum;
}
