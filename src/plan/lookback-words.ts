import { count, countOf } from "../core/words.ts";
import { fewestCompared, type LearnedLookback } from "./learn-lookback.ts";

/** What the evidence shows about the lookback of a dataset, as a sentence. */
export function lookbackWords(learned: LearnedLookback, fixedDays: number): string {
  const fixed = countOf(fixedDays, "day");
  if (learned.kind === "moves_to_the_end") return `Days change up to the end of the fixed ${fixed}.`;
  if (learned.kind === "too_little")
    return `Nothing is learned yet: the fixed lookback of ${fixed} applies. Learning takes ${count(fewestCompared)} repeated requests for days older than the oldest that changed; so far there are ${count(learned.compared)}.`;
  const share = `${(100 * learned.bound).toFixed(1)} %`;
  return `Days no longer change after ${countOf(learned.days, "day")}, of the fixed ${fixed}: with 95 % confidence at most ${share} of older days still change (${count(learned.compared)} were requested again).`;
}
