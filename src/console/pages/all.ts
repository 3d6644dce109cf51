import type { AnyPage } from "../define-page.ts";
import { answerPage } from "./answer.ts";
import { auditPage } from "./audit.ts";
import { calculatorPage } from "./calculator.ts";
import { coverageCellsPage, coveragePage, coverageSelectionPage } from "./coverage.ts";
import { creditsPage } from "./credits.ts";
import { keywordsPage } from "./keywords.ts";
import { listedPage } from "./listed.ts";
import { portfolioPage } from "./portfolio.ts";
import { drawingStylesPage } from "./drawing-styles.ts";
import { exploreCsvPage, explorePage } from "./explore.ts";
import { runPage } from "./run.ts";
import { runsPage } from "./runs.ts";
import { slicePage } from "./slice.ts";
import { todayPage } from "./today.ts";

/** Every page of the console, in the order of the navigation. */
export const pages: readonly AnyPage[] = [
  todayPage,
  coveragePage,
  coverageCellsPage,
  coverageSelectionPage,
  runsPage,
  runPage,
  slicePage,
  answerPage,
  creditsPage,
  calculatorPage,
  portfolioPage,
  keywordsPage,
  listedPage,
  auditPage,
  explorePage,
  exploreCsvPage,
  drawingStylesPage,
];

/** The entries of the navigation. */
export function navigationEntries(): readonly Pick<AnyPage, "path" | "title">[] {
  return pages.filter(({ inNavigation }) => inNavigation === true);
}
