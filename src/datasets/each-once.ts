/** Items without those that say the same as one before them, field by field. */
export function eachOnce<T>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
