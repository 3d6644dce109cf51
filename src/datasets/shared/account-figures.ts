import type { InvalidItem } from "../../api/read-answer.ts";
import type { Slice } from "../../core/slice.ts";
import { holds } from "../../core/window.ts";
import { extraOf } from "../../load/table.ts";
import { readInstant } from "./instants.ts";

/** A figure of one of the account's apps: its day, its country (ALL for the total), and what the answer says beside it. */
type Figure<P> = {
  readonly point: P;
  readonly day: string;
  readonly country: string;
  readonly extra: string | null;
};

const known = ["date", "countryCode", "country", "units", "androidStoreVisits"];

/** The points of an answer by day and country. A point without a country is about the one that was asked for, else about all. */
export function accountFigures<P extends { readonly date: number | string }>(
  { scope, window }: Slice,
  points: readonly P[],
  countryOf: (point: P) => string | null | undefined,
): { readonly figures: readonly Figure<P>[]; readonly invalid: readonly InvalidItem[] } {
  const asked = scope["country"];
  const figures: Figure<P>[] = [];
  const invalid: InvalidItem[] = [];
  for (const point of points) {
    const { day } = readInstant(point.date);
    const country = (countryOf(point) ?? asked ?? "ALL").toUpperCase();
    if (!holds(window, day)) invalid.push({ reason: "a day that was not asked for", item: point });
    else if (asked !== undefined && country !== asked)
      invalid.push({ reason: "a country that was not asked for", item: point });
    else figures.push({ point, day, country, extra: extraOf(point, known) });
  }
  return { figures, invalid };
}
