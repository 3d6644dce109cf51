/** Anything deeper counts as one: values of pages are lists of flat rows. */
const deepest = 4;

/** About how many texts and numbers a value holds: for a list, the number in its first entry times its length. */
export function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / 64);
  if (typeof value !== "object" || value === null || depth === deepest) return 1;
  if (value instanceof Map) return 1 + value.size * sizeOf(value.values().next().value, depth + 1);
  if (Array.isArray(value)) return 1 + value.length * sizeOf(value[0], depth + 1);
  return Object.values(value).reduce<number>((sum, part) => sum + sizeOf(part, depth + 1), 1);
}
