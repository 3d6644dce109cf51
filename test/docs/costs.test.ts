import { expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { accountSizes, appDatasets, searchAdsDatasets, sizeWords } from "../../src/docs/costs.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { pageAt } from "../support/pages.ts";

/** The credits of a row on the generated page of costs: first and month of each size. */
function creditsOf(row: string): readonly string[] {
  const line =
    pageAt("docs/reference/costs.md")
      .text.split("\n")
      .find((one) => one.startsWith(`| ${row}`)) ?? "";
  return line
    .split(" | ")
    .slice(1)
    .map((cell) => cell.replace(" |", ""));
}

const number = (text = ""): number => Number(text.replaceAll(",", ""));

test("README has the credits of the page of costs, which the planner works out", () => {
  const { text } = pageAt("README.md");
  const cells = creditsOf("**all of these**");
  const withAds = creditsOf("**with search ads**");
  for (const [index, size] of accountSizes.entries()) {
    const [first, month] = cells.slice(2 * index);
    const addedFirst = number(withAds[2 * index]) - number(first);
    expect(text).toContain(`| ${sizeWords(size)} | ${first} | ${month} |`);
    const added = number(withAds[2 * index + 1]) - number(month);
    expect(text).toContain(
      `search-ads account adds ${addedFirst} to the first sync and ${added.toLocaleString("en-US")} a month`,
    );
  }
});

test("the page of credits has every class with its default floor", () => {
  const { text } = pageAt("docs/credits.md");
  for (const [name, share] of Object.entries(Settings.parse({}).credits.floors))
    expect(text).toMatch(new RegExp(String.raw`^\| \`${name}\` \| .+ \| ${Math.round(100 * share)} % \|$`, "m"));
});

test("what needs connected search ads and what does not is together what is on by default", () => {
  const on = datasets.filter((dataset) => dataset.on).map(({ name }) => name);
  expect([...appDatasets, ...searchAdsDatasets].sort()).toEqual(on.sort());
});
