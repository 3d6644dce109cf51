import type { App } from "../app.ts";
import { coverageChart, knownWindow } from "../charts/coverage-chart.ts";
import type { Drawing } from "../charts/draw.ts";
import type { Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import { cellsOfScopes } from "../planner/gaps.ts";
import { scopeCoverageFor } from "./gap-options.ts";

/** What is drawn: the cells of a dataset, or of one app or country if one is named. */
type DrawnCells = {
  readonly dataset: string;
  readonly app?: string | undefined;
  readonly country?: string | undefined;
  readonly from?: Day;
  readonly to?: Day;
};

/** The coverage of a dataset as a calendar. Throws if none of its cells is in the portfolio. */
export async function drawCoverage(app: App, { dataset, app: id, country, ...days }: DrawnCells): Promise<Drawing> {
  const [apps, countries] = [id === undefined ? [] : [id], country === undefined ? [] : [country]];
  const scopes = await scopeCoverageFor(app, { ...days, dataset: [dataset], app: apps, country: countries });
  const cells = cellsOfScopes(scopes);
  const window = knownWindow(cells);
  if (window === null)
    throw fail("nothing_to_draw", {
      problem: `the portfolio has no cell of ${dataset} on these days`,
      hint: "`storehouse sync` reads the portfolio; `storehouse datasets` shows when the dataset is requested",
    });
  const about = [id ?? "all apps", country ?? "all countries"].join(", ");
  return coverageChart({ dataset, about, window, days: cells });
}
