import { count, countOf } from "../core/words.ts";
import { fewestCompared, type LearnedLookback } from "./learn-lookback.ts";

/** What evidence shows of the lookback of a dataset, as a sentence. */
export function lookbackWords(learned: LearnedLookback, fixedDays: number): string {
  const fixed = countOf(fixedDays, "day");
  if (learned.kind === "moves_to_the_end") return `Days move through to the end of the fixed ${fixed}.`;
  if (learned.kind === "too_little")
    return `Nothing is learned yet: ${count(fewestCompared)} days that are older than the oldest that moved must have been requested again, and ${count(learned.compared)} were. The fixed lookback of ${fixed} holds.`;
  const share = `${(100 * learned.bound).toFixed(1)} %`;
  return `Days stand after ${countOf(learned.days, "day")}, of the fixed ${fixed}: with 95 % confidence at most ${share} of older days still move (${count(learned.compared)} were requested again).`;
}
