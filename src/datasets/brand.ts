/** The track id of the app that a keyword is the name of; null where it is none, which the service also tells as empty text. */
export function brandOf(told: string | number | null | undefined): string | null {
  return told == null || told === "" ? null : String(told);
}
