import { describe, expect, test } from "vitest";
import { operationById, operations } from "../../src/api/operations/all.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import { sampleOf } from "../support/answer-fields.ts";
import { documentedFields } from "../support/api-fields.ts";

/** The fields without which an item, or a whole answer, says nothing, typed in by hand; services leave out any other one, or send null for it. */
const table = `
ios.keyword-ranking ios.keyword-history | [].trackId [].keyword [].date [].appKind
android.keyword-ranking android.keyword-history | [].trackId [].keyword [].date
ios.top-keywords android.top-keywords | [].keyword
ios.keyword-metadata android.keyword-metadata ios.keyword-apps android.keyword-apps | keyword
ios.organic-keywords android.organic-keywords | trackId date rankings[].keyword
ios.organic-impression-share android.organic-impression-share | keyword keywordShares[].shareParameterId
ios.share-of-category android.share-of-category | keyword keywordShares[].shareParameterId
ios.app-detail android.app-detail | trackId
ios.app-simple android.app-simple ios.developer-apps android.developer-apps | [].trackId
ios.version-list android.version-list ios.version-list-detailed android.version-list-detailed | [].versionDate
ios.reviews android.reviews | [].id [].date [].rating
ios.reviews-v2 android.reviews-v2 | content[].reviewId content[].date content[].rating
ios.review-analysis android.review-analysis | [].word
ios.download-revenue dashboard.sales-metrics dashboard.retention-history | [].date
ios.featuring | cards[].date
ios.top-charts | trackIds[]
android.top-charts | [].trackId [].rank
ios.category-ranking ios.global-category-rankings android.global-category-rankings | trackId ranksByCategory{}{}[].rankingType ranksByCategory{}{}[].rankingsByDate[].date
android.category-ranking | trackId ranksByCategoryNames[].categoryName ranksByCategoryNames[].rankings[].rankingType ranksByCategoryNames[].rankings[].ranksByDate[].date
ios.visibility-history android.visibility-history | [].trackId [].scores{}[].date
ad-intelligence.top-advertisers | data[].trackId
ad-intelligence.check-badge | appAdvertiser appPublisher
ad-intelligence.creative-dimension-distribution | imageCreative[].name videoCreative[].name htmlCreative[].name
ad-intelligence.language-distribution | [].name
ad-intelligence.network-distribution | [].title
ad-intelligence.publisher-dimension-distribution | {}[].dimensions
search-ads-insight.paid-keywords | shares[].keyword
search-ads-insight.paying-apps | shares[].trackId
search-ads.integrations | [][].id [][].orgId
search-ads.mmp-integrations | [].trackId [].integrations[].trackerType
search-ads.goals | [].id [].eventList[].id
search-ads.apps | [].trackId
search-ads.bid-history-logs | [].entityId [].date
search-ads.top-apps-report | [].keywordData.keyword [].appData[].trackId
dashboard.apps | [].trackId
dashboard.daily-keyword-rankings | [].keyword
dashboard.keyword-spot | [].locale
dashboard.keyword-estimation | results[].keyword
dashboard.keyword-estimation-history | results[].date
`;

/**
 * Lists, maps and objects without which the shape of an answer, or of an item, is unknown: if they counted as empty, a field with a new name
 * would lose its rows. A list or map that is null is empty.
 */
const wholes = `
ios.organic-keywords android.organic-keywords | rankings
ios.organic-impression-share android.organic-impression-share ios.share-of-category android.share-of-category | keywordShares
ios.reviews-v2 android.reviews-v2 | content
ios.monthly-download-revenue | countryBreakDown
ios.featuring | cards
ios.top-charts | trackIds
ios.category-ranking ios.global-category-rankings android.global-category-rankings | ranksByCategory ranksByCategory{}{}[].rankingsByDate
android.category-ranking | ranksByCategoryNames ranksByCategoryNames[].rankings ranksByCategoryNames[].rankings[].ranksByDate
ios.visibility-history android.visibility-history | [].scores
ad-intelligence.creatives ad-intelligence.top-advertisers | data
search-ads-insight.paid-keywords search-ads-insight.paying-apps | shares
search-ads.reports | [].tableData
search-ads.top-apps-report | [].keywordData
dashboard.keyword-estimation dashboard.keyword-estimation-history | results
`;

function fieldsById(text: string): ReadonlyMap<string, readonly string[]> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.flatMap((line) => {
      const [ids = "", fields = ""] = line.split(" | ");
      return ids.split(" ").map((id) => [id, fields.split(" ")] as const);
    }),
  );
}

const needed = fieldsById(table);
const neededWholes = fieldsById(wholes);

const stepsOf = (field: string) => [...field.matchAll(/\[\]|\{\}|[^.[\]{}]+/g)].map(([step]) => step);

/** The lists, maps and objects with a name that contain the fields: `a[].b[].c` is in `a` and in `a[].b`. */
function wholesOf(fields: readonly string[]): readonly string[] {
  const around = fields.flatMap((field) =>
    [...field.matchAll(/(?<=\w)[.[{]/g)].map(({ index }) => field.slice(0, index)),
  );
  return [...new Set(around)];
}

/** A value in which the field that the steps lead to is null, or left out where `isGone`. */
function without(value: unknown, [step, ...rest]: readonly string[], isGone: boolean): unknown {
  if (step === undefined) return null;
  if (step === "[]") return Array.isArray(value) ? value.map((inner) => without(inner, rest, isGone)) : value;
  const fields = Object.entries(value as object).flatMap(([name, inner]): (readonly [string, unknown])[] => {
    if (step !== "{}" && name !== step) return [[name, inner]];
    return rest.length === 0 && isGone ? [] : [[name, without(inner, rest, isGone)]];
  });
  return Object.fromEntries(fields);
}

/** True where an answer is read as it is, with nothing left out. */
function isRead(id: string, answer: unknown): boolean {
  const operation = operationById(id);
  const body = operation.envelope === "data" ? { data: answer, success: true } : answer;
  try {
    return readAnswer(operation, Buffer.from(JSON.stringify(body))).invalid.length === 0;
  } catch {
    return false;
  }
}

test("the fields that are needed are fields of the contract", () => {
  const unknown = [...needed].filter(([id, fields]) => fields.some((field) => !documentedFields(id).includes(field)));
  expect(unknown, "not in test/support/api-fields.ts").toEqual([]);
});

const documented = operations.map(({ id }) => [id, documentedFields(id)] as const);

describe.each(documented.filter(([, fields]) => fields.length > 0))("an answer of %s", (id, fields) => {
  const sample = sampleOf(operationById(id));
  const own = needed.get(id) ?? [];

  test.each([
    ["null in", false],
    ["the lack of", true],
  ])("is read with %s any field but those that it is nothing without", (_, isGone) => {
    const refused = fields.filter((field) => {
      // a list of values may be missing as a whole, and so may a map of them
      const steps = stepsOf(own.includes(field) ? field : field.replace(/(\[\]|\{\})$/, ""));
      return !isRead(id, without(sample, steps, isGone));
    });
    expect(
      refused,
      `the table of test/api/empty-fields.test.ts lists for ${id} the fields that its schema does not let be null or missing`,
    ).toEqual(own);
  });

  test.each([
    ["null in", false],
    ["the lack of", true],
  ])("is read with %s any list, map or object but those without which its shape is unknown", (_, isGone) => {
    const isObject = (whole: string) => fields.some((field) => field.startsWith(`${whole}.`));
    const refused = wholesOf(fields).filter((whole) => !isRead(id, without(sample, stepsOf(whole), isGone)));
    expect(
      refused.toSorted(),
      `the table of wholes in test/api/empty-fields.test.ts lists for ${id} those that its schema does not let be missing`,
    ).toEqual((neededWholes.get(id) ?? []).filter((whole) => isGone || isObject(whole)).toSorted());
  });
});
