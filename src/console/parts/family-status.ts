import { latest } from "../../core/day.ts";
import { capital, count, countOf } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import type { families } from "../../datasets/shared/define-dataset.ts";
import type { CompleteDays } from "../../ledger/complete-days.ts";
import { unrequestedNext, unrequestedText, type UnrequestedDays } from "../../ledger/unrequested-days.ts";
import type { Tone } from "./badge.ts";

type Family = (typeof families)[number];

/** The names of the families for people. */
export const familyNames: Readonly<Record<Family, string>> = {
  rank: "Keyword ranks",
  reviews: "Ratings and reviews",
  category: "Categories and charts",
  visibility: "Visibility",
  search_ads: "Search ads",
  estimates: "Estimates",
};

/** Whether the figures of a family can be trusted: in a sentence, and as a colour. */
export type FamilyStatus = {
  readonly tone: Tone;
  readonly sentence: string;
  /** The day that all of it is complete to; null if a dataset has none yet. */
  readonly completeTo: string | null;
  readonly datasets: readonly string[];
};

/**
 * The input of a status: the datasets of the family that are on, how far they are complete, which are late, and which days no sync reaches.
 */
export type FamilyFacts = {
  readonly datasets: readonly string[];
  readonly days: readonly CompleteDays[];
  readonly late: ReadonlySet<string>;
  readonly unrequested: readonly UnrequestedDays[];
  /** Datasets of which anything was requested. */
  readonly requested: ReadonlySet<string>;
};

/** The status of a family: how far all of it is complete, with the datasets that are ahead. */
export function familyStatus({ datasets, days, late, unrequested, requested }: FamilyFacts): FamilyStatus {
  const own = days.filter(({ dataset }) => datasets.includes(dataset));
  const calm = (sentence: string) => ({ tone: "calm", sentence, completeTo: null, datasets }) as const;
  if (datasets.length === 0) return calm("Off: none of its datasets is on.");
  if (own.length === 0)
    return calm(datasets.some((one) => requested.has(one)) ? nothingDue : "Nothing has been requested yet.");
  // the day to which all of it is complete; datasets that are ahead are named
  const completeTo = own.map((one): string | null => one.completeTo).reduce(earlierIfBoth);
  const lateOnes = own.filter(({ dataset }) => late.has(dataset)).map(({ dataset }) => dataset);
  const failed = sumBy(own, (one) => one.failed);
  const unrequestedNote = unrequestedText(unrequested.filter(({ dataset }) => datasets.includes(dataset)));
  const notes = [
    lateOnes.length > 0 ? `${lateOnes.join(", ")} ${lateOnes.length === 1 ? "is" : "are"} late` : "",
    behindText(own),
    gapText(own),
    failed > 0 ? countOf(failed, "failed slice leaves a gap", "failed slices leave gaps") : "",
    unrequestedNote === null ? "" : `${unrequestedNote}: ${unrequestedNext}`,
  ].filter((text) => text !== "");
  const start = `${completeTo === null ? noDayText(own) : `Complete to ${completeTo}`}${aheadText(own, completeTo)}`;
  return {
    tone: lateOnes.length > 0 ? "bad" : notes.length > 0 || completeTo === null ? "warn" : "good",
    sentence: `${[start, ...notes].join("; ")}.`,
    completeTo,
    datasets,
  };
}

const nothingDue = "Nothing is due: what was requested has no data, or is no longer in the portfolio.";

function behindText(own: readonly CompleteDays[]): string {
  const behind = own.filter((one) => one.behind > 0);
  if (behind.length === 0) return "";
  const places = sumBy(behind, (one) => one.behind);
  const of = sumBy(behind, (one) => one.places);
  return `${behind.map(({ dataset }) => dataset).join(", ")} ${behind.length === 1 ? "is" : "are"} behind for ${count(places)} of ${count(of)} apps and countries`;
}

function gapText(own: readonly CompleteDays[]): string {
  const gaps = own.flatMap(({ dataset, newestPastGap }) =>
    newestPastGap === null ? [] : [{ dataset, newestPastGap }],
  );
  if (gaps.length === 0) return "";
  const newest = latest(gaps.map((one) => one.newestPastGap));
  return `${gaps.map(({ dataset }) => dataset).join(", ")} ${gaps.length === 1 ? "has a gap" : "have gaps"} before ${gaps.length === 1 ? "its" : "their"} newest day, ${newest}`;
}

function noDayText(own: readonly CompleteDays[]): string {
  const none = own.filter((one) => one.completeTo === null);
  const kinds = [...Map.groupBy(none, incompleteText)];
  const [only] = kinds;
  if (kinds.length === 1 && only !== undefined && none.length === own.length) return capital(only[0]);
  return kinds.map(([text, alike]) => `${alike.map(({ dataset }) => dataset).join(", ")} ${text}`).join(", ");
}

function incompleteText({ incompleteSince }: CompleteDays): string {
  return incompleteSince === null ? "not complete on any day yet" : `incomplete since ${incompleteSince} or earlier`;
}

/** Datasets that are complete to a later day than the one that all are complete to. */
function aheadText(own: readonly CompleteDays[], completeTo: string | null): string {
  return own
    .filter((one) => one.completeTo !== null && one.completeTo !== completeTo)
    .map((one) => `, ${one.dataset} to ${one.completeTo}`)
    .join("");
}

function earlierIfBoth(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return null;
  return a < b ? a : b;
}
