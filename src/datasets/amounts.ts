/** A measure that comes as a number or as its digits, as a number; null where there is none. */
export function amountOf(value: number | string | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** An id that comes as a number or as text, as text; null where there is none. */
export function idOf(value: number | string | null | undefined): string | null {
  return value === null || value === undefined || value === "" ? null : String(value);
}
