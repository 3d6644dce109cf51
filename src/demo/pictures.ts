import path from "node:path";
import type { App } from "../app.ts";
import { drawFile } from "../charts/draw.ts";
import { rankChart } from "../charts/rank-chart.ts";
import { readRanks } from "../charts/read-ranks.ts";
import { addDays, type Day } from "../core/day.ts";
import { projectRoot } from "../config/config.ts";
import { putFile } from "../core/files.ts";
import { drawCoverage } from "../cli/coverage-drawing.ts";

/** The folder of the pictures in the documentation. */
export const picturesFolder = path.join(projectRoot, "docs", "pictures");

/** A keyword of the demo's market that rises, falls and is lost for some days. */
const example = { app: "6446318020", country: "GB", keyword: "notes" } as const;

/** Draws the demo's ranks for one keyword, and their coverage from a month before the first day. */
export async function drawPictures(
  app: App,
  { folder, from }: { readonly folder: string; readonly from: Day },
): Promise<void> {
  const ranks = await readRanks(app.warehouse.db, { ...example, within: {} });
  await putFile(path.join(folder, "keyword-rank.svg"), await drawFile(rankChart(ranks)));
  const coverage = await drawCoverage(app, { dataset: "keyword_rank", from: addDays(from, -32) });
  await putFile(path.join(folder, "coverage.svg"), await drawFile(coverage));
}
