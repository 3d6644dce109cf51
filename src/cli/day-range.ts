import { noBreak } from "../core/text-width.ts";

/** Days for a narrow column: `2026-11-02 to 11-21`; a single day if both are the same. */
export function dayRange(first: string, last: string): string {
  if (first === last) return first;
  const end = first.slice(0, 4) === last.slice(0, 4) ? last.slice(5) : last;
  return `${first} to ${end}`.replaceAll(" ", noBreak);
}
