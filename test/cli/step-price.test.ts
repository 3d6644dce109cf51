import { expect, test } from "vitest";
import { fallbackLines, startQuestion, stepWords } from "../../src/cli/step-price.ts";
import type { NextStep } from "../../src/runs/next-step.ts";

const work = [{ dataset: "search_ads_report", slices: 1, requests: 1, credits: 20 }];
const step: NextStep = { stage: "market", work, slices: 1, requests: 1, credits: 20 };
const fallbacks = [{ dataset: "search_ads_report", credits: 600, where: "its reports name no day" }];

test("of answers that have pages a price is the least, with the reason beside it, and another way has no price that is the most", () => {
  const [dataset = ""] = work.map((one) => one.dataset);
  expect(stepWords(step, { atLeast: [dataset], priced: true, requestsPerSecond: 3 })).toMatch(
    /at least 20 credits\.\nThe number of pages of an answer of search_ads_report is a guess .* Up to 100 pages are paid for .*: .*\nsearch_ads_report: a report has a row for each of its days, .* many times the credits of a report of one page\.$/,
  );
  expect(fallbackLines({ ...step, atLeast: [dataset] }, fallbacks)).toEqual([
    "620 credits or more if search_ads_report uses its fallback: 600 more where its reports name no day.",
  ]);
});

test("of other answers the price is what it is, and another way costs so much at most", () => {
  expect(stepWords(step, { atLeast: [], priced: true, requestsPerSecond: 3 })).not.toMatch(/at least|How many pages/);
  expect(fallbackLines({ ...step, atLeast: [] }, fallbacks)).toEqual([
    "Up to 620 credits if search_ads_report uses its fallback: 600 more where its reports name no day.",
  ]);
});

test("names how long a step takes before anyone agrees to it", () => {
  const long = { ...step, work: work.map((one) => ({ ...one, requests: 2_004 })), requests: 2_004 };
  expect(stepWords(long, { atLeast: [], priced: true, requestsPerSecond: 3 }).replaceAll("\u00a0", " ")).toContain(
    "\nIt takes at least 11 min at 3 requests a second. Interrupt it at any time: the same command continues.",
  );
  expect(stepWords(step, { atLeast: [], priced: true, requestsPerSecond: 3 })).not.toContain("takes at least");
});

test("the last question before a worker starts fits a line at any price", () => {
  expect(`${startQuestion(123_456_789)} (y/N) `.length).toBeLessThanOrEqual(80);
  expect([startQuestion(1), startQuestion(0)]).toEqual([
    "Start the worker, and spend 1 credit now, then night by night?",
    "Start the worker, and spend night by night?",
  ]);
});
