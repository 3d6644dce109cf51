/** Some names, and how many more there are: "a, b, c and 4 more". */
export function listed(names: readonly string[], most = 3): string {
  const named = names.slice(0, most).join(", ");
  return names.length > most ? `${named} and ${names.length - most} more` : named;
}

/** A text of at most so many characters; where it was longer an ellipsis is the last one. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

/** A text that begins with a capital letter. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** An instant (ISO text, date or epoch-ms) to the minute: `2026-11-22 10:05`, in UTC. */
export function utcMinute(instant: string | number | Date): string {
  return new Date(instant).toISOString().slice(0, 16).replace("T", " ");
}

/** The same as a sentence says it: `2026-11-22 10:05 UTC`. */
export function minuteOf(instant: string | number | Date): string {
  return `${utcMinute(instant)} UTC`;
}
