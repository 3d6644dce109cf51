import { count, countOf } from "../../core/count.ts";
import type { families } from "../../datasets/shared/define-dataset.ts";
import type { CompleteDays } from "../../ledger/complete-days.ts";
import type { Tone } from "./badge.ts";

type Family = (typeof families)[number];

/** What people call the families. */
export const familyNames: Readonly<Record<Family, string>> = {
  rank: "Keyword ranks",
  reviews: "Ratings and reviews",
  category: "Categories and charts",
  visibility: "Visibility",
  search_ads: "Search ads",
  estimates: "Estimates",
};

/** Whether the figures of a family can be trusted: in a sentence, and as a colour. */
export type FamilyStanding = {
  readonly tone: Tone;
  readonly sentence: string;
  /** The day that it is complete to; null where nothing is loaded. */
  readonly completeTo: string | null;
  readonly datasets: readonly string[];
};

/** What a standing is worked out from: the datasets of the family that are on, how far they are complete, and which are late. */
export type FamilyFacts = {
  readonly datasets: readonly string[];
  readonly days: readonly CompleteDays[];
  readonly late: ReadonlySet<string>;
};

/** The standing of a family: how far it is complete, with the datasets that are complete to an earlier day. */
export function familyStanding({ datasets, days, late }: FamilyFacts): FamilyStanding {
  const own = days.filter(({ dataset }) => datasets.includes(dataset));
  const calm = (sentence: string) => ({ tone: "calm", sentence, completeTo: null, datasets }) as const;
  if (datasets.length === 0) return calm("Off: none of its datasets is on.");
  if (own.length === 0) return calm("Nothing is requested yet.");
  const completeTo = own.map((one): string | null => one.completeTo).reduce(later);
  const lateOnes = own.filter(({ dataset }) => late.has(dataset)).map(({ dataset }) => dataset);
  const failed = sum(own, (one) => one.failed);
  const notes = [
    lateOnes.length > 0 ? `${lateOnes.join(", ")} ${lateOnes.length === 1 ? "is" : "are"} late` : "",
    behindText(own),
    failed > 0 ? countOf(failed, "slice failed", "slices failed") : "",
  ].filter((text) => text !== "");
  const start =
    completeTo === null ? "Not complete on any day yet" : `Complete to ${completeTo}${exceptions(own, completeTo)}`;
  return {
    tone: lateOnes.length > 0 ? "bad" : notes.length > 0 || completeTo === null ? "warn" : "good",
    sentence: `${[start, ...notes].join("; ")}.`,
    completeTo,
    datasets,
  };
}

function behindText(own: readonly CompleteDays[]): string {
  const behind = own.filter((one) => one.behind > 0);
  if (behind.length === 0) return "";
  const places = sum(behind, (one) => one.behind);
  const of = sum(behind, (one) => one.places);
  return `${behind.map(({ dataset }) => dataset).join(", ")} ${behind.length === 1 ? "is" : "are"} behind for ${count(places)} of ${count(of)} apps and countries`;
}

/** Datasets that are complete to an earlier day, by their own rhythm or because they are behind. */
function exceptions(own: readonly CompleteDays[], completeTo: string): string {
  const others = own.filter((one) => one.completeTo !== completeTo);
  return others
    .map((one) => `, ${one.dataset} ${one.completeTo === null ? "on no day yet" : `to ${one.completeTo}`}`)
    .join("");
}

function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}

function sum(all: readonly CompleteDays[], of: (one: CompleteDays) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
