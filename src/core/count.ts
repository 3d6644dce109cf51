/** A number for people, thousands apart. */
export function count(number: number): string {
  return number.toLocaleString("en-US");
}

/** So many of a thing in words: "1 answer", "2,000 answers". `many` is the plural where an s does not make it. */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}
