import path from "node:path";
import type { App } from "../app.ts";
import { coverageChart, knownWindow } from "../charts/coverage-chart.ts";
import { drawnFile } from "../charts/draw.ts";
import { rankChart } from "../charts/rank-chart.ts";
import { readRanks } from "../charts/read-ranks.ts";
import { addDays, type Day } from "../core/day.ts";
import { projectRoot } from "../config/config.ts";
import { fail } from "../core/errors.ts";
import { cellsOfScopes } from "../planner/gaps.ts";
import { putFile } from "../core/files.ts";
import { scopeCoverageFor } from "../cli/gap-options.ts";

/** The folder of the pictures that the documentation shows. */
export const picturesFolder = path.join(projectRoot, "docs", "pictures");

/** A keyword of the demo's market that rises, falls and is lost for some days. */
const example = { app: "6446318020", country: "GB", keyword: "notes" } as const;

/** Draws the demo's ranks of one keyword, and the coverage of its days from a month before the first one. */
export async function drawPictures(
  app: App,
  { folder, from }: { readonly folder: string; readonly from: Day },
): Promise<void> {
  const ranks = await readRanks(app.warehouse.db, { ...example, within: {} });
  await putFile(path.join(folder, "keyword-rank.svg"), await drawnFile(rankChart(ranks)));
  const dataset = "keyword_rank";
  const all = await scopeCoverageFor(app, { dataset: [dataset], app: [], country: [], from: addDays(from, -32) });
  const days = cellsOfScopes(all);
  const window = knownWindow(days);
  if (window === null) throw fail("nothing_to_draw", { problem: "the demo is empty", hint: "run it again" });
  const about = "all apps, all countries";
  const coverage = await drawnFile(coverageChart({ dataset, about, window, days }));
  await putFile(path.join(folder, "coverage.svg"), coverage);
}
