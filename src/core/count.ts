/** A number for people, thousands apart. */
export function count(number: number): string {
  return number.toLocaleString("en-US");
}

/** So many of a thing in words: "1 answer", "2,000 answers". `many` is the plural where an s does not make it. */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** The sum over some things of what `of` gives for each. */
export function sumBy<T>(all: Iterable<T>, of: (one: T) => number): number {
  let sum = 0;
  for (const one of all) sum += of(one);
  return sum;
}
