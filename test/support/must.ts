/** The value, which a test knows to be there. */
export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("the test expected a value");
  return value;
}
