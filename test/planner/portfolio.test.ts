import { expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import type { PortfolioApp } from "../../src/core/portfolio.ts";
import { portfolioOf } from "../../src/planner/portfolio.ts";

const app = (keywords: readonly string[]): PortfolioApp => ({
  store: "ios",
  trackId: "42",
  tracked: true,
  countries: [{ country: "US", keywords, keywordCount: keywords.length }],
});

const settings = (source: "account" | "config" | "both") =>
  Settings.parse({ portfolio: { source, apps: [{ id: "42", countries: ["US", "DE"], keywords: ["c", "b"] }] } })
    .portfolio;

test("distinguishes the keywords that the account tracks from those of the configuration alone", () => {
  const { apps } = portfolioOf([app(["b", "a"])], settings("both"));
  expect(apps).toEqual([
    {
      store: "ios",
      trackId: "42",
      tracked: true,
      countries: [
        { country: "DE", keywords: ["b", "c"], tracked: [], keywordCount: null },
        { country: "US", keywords: ["a", "b", "c"], tracked: ["a", "b"], keywordCount: 2 },
      ],
    },
  ]);
});

test("knows no tracked keyword where only the configuration counts", () => {
  const { apps } = portfolioOf([app(["a"])], settings("config"));
  expect(apps.flatMap(({ countries }) => countries.flatMap(({ tracked }) => tracked))).toEqual([]);
});

test("a keyword of dots that no request can name is in no portfolio", () => {
  const { apps } = portfolioOf([app(["b", ".", "..", "..."])], settings("account"));
  expect(apps[0]?.countries[0]).toMatchObject({ keywords: ["...", "b"], tracked: ["...", "b"] });
});
