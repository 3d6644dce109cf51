import type { Glance } from "./app-glance.ts";
import { count, print, remark } from "./output.ts";

/** Prints an app at a glance, a fact a line; what could not be had goes to stderr. */
export function printGlance(glance: Glance): void {
  const width = Math.max(...factsOf(glance).map(([name]) => name.length));
  for (const [name, value] of factsOf(glance)) print(`${name.padEnd(width)}  ${value}`);
  for (const { part, code, problem } of glance.unavailable) remark(`No ${part}: ${code}: ${problem}.`);
}

type Fact = readonly [name: string, value: string];

function factsOf({ store, trackId, detail, match, badge, unavailable }: Glance): readonly Fact[] {
  const isMissing = (part: string) => unavailable.some((one) => one.part === part);
  const told = (detail ?? {}) as Readonly<Record<string, unknown>>;
  const facts: readonly (readonly [string, string | null])[] = [
    ["app", `${store} ${trackId}`],
    ["name", textOf(told["name"])],
    ["developer", textOf(told["developerName"] ?? told["developerId"])],
    ["category", textOf(told["categoryName"] ?? told["category"] ?? told["categoryId"])],
    ["price", textOf(told["price"])],
    ["rating", ratingOf(told)],
    ["version", textOf(told["version"])],
    ["installs", textOf(told["installRange"])],
    ["countries", countriesOf(told["availableCountries"])],
    ["removed", told["removed"] === true ? "yes" : null],
    ["other store", isMissing("match") ? null : (match ?? "no such app is known")],
    ["advertises", badge === null ? null : yesOrNo(badge.appAdvertiser)],
    ["shows advertisements", badge === null ? null : yesOrNo(badge.appPublisher)],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function textOf(value: unknown): string | null {
  return typeof value === "number" || (typeof value === "string" && value !== "") ? String(value) : null;
}

function ratingOf(told: Readonly<Record<string, unknown>>): string | null {
  const rating = textOf(told["userRatingAverage"] ?? told["userRating"]);
  const ratings = told["userRatingCount"] ?? told["numUserRating"];
  if (rating === null) return null;
  return typeof ratings === "number" ? `${rating} of ${count(ratings)} ratings` : rating;
}

function countriesOf(countries: unknown): string | null {
  return Array.isArray(countries) && countries.length > 0 ? `${countries.length}: ${countries.join(" ")}` : null;
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}
