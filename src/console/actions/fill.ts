import { z } from "zod";
import { accountIdIn, type App } from "../../app.ts";
import { apiAccess } from "../../config/config.ts";
import { countOf, minuteOf } from "../../core/words.ts";
import { fail } from "../../core/errors.ts";
import { groupKey } from "../../core/partition-group.ts";
import { planInForeground } from "../../foreground.ts";
import { cancelBeyondPrices } from "../../ledger/cancel-slices.ts";
import { makePlan, pricePlan } from "../../planner/backfill-plan.ts";
import type { BackfillRequest } from "../../planner/backfill-request.ts";
import { finishWords, readOutlook } from "../../planner/work-outlook.ts";
import type { SyncResult } from "../../runs/run-parts.ts";
import type { RunControl } from "../background-runs.ts";
import { endsOf, filtersOf, cellsAddress, gridInput, selectionInput } from "../grid/filters.ts";
import { filtered, readRows } from "../grid/read-grid.ts";
import { fillRequest, selectionOf, tooLarge, type Selection } from "../grid/selection.ts";
import { defineAction, runStarted, type ActionContext } from "../define-action.ts";
import { windowText } from "../../core/window.ts";

/** The fields of a form about cells of the grid. */
export const cellsInput = gridInput.omit({ offset: true }).extend(selectionInput.shape);

/** The selection that a form names. Throws `console_bad_input` if the portfolio no longer has it. */
export async function selectedCells({ app }: ActionContext, input: z.output<typeof cellsInput>): Promise<Selection> {
  const ends = endsOf(input);
  const filters = filtersOf(input);
  const rows = ends === null ? [] : filtered(await readRows(app, app.warehouse.db, filters.datasets), filters);
  const selection = ends === null ? null : selectionOf(rows, ends);
  if (selection === null)
    throw fail("console_bad_input", { problem: "the portfolio no longer has these cells: select again" });
  const problem = tooLarge(selection);
  if (problem !== null) throw fail("console_bad_input", { problem });
  return selection;
}

/** The cells of a selection, to which an agreement is bound: rows between its two ends change with the portfolio. */
export function chosenCells({ groups, window }: Selection): readonly unknown[] {
  return [groups.map(groupKey), window];
}

/** A selection in words. */
export function cellsText({ groups, window }: Selection): string {
  return `${countOf(groups.length, "partition")}, ${windowText(window)}`;
}

/** Fills the missing cells of a selection by a backfill plan, as `storehouse backfill` does. */
export const fillAction = defineAction({
  name: "fill",
  label: "Fill",
  input: cellsInput.extend({ credit_limit: z.coerce.number().int().min(1) }),
  // as before each plan: else the price would leave these cells out as under way
  prepare: ({ app }) => cancelBeyondPrices(app.warehouse.db),
  price: async (context, input) => {
    const { app } = context;
    apiAccess(app.config.environment);
    const selection = await selectedCells(context, input);
    const { config, warehouse, clock } = app;
    const requested = fillRequest(selection, input.credit_limit);
    const { sum, leftOut } = await pricePlan(warehouse.db, { requested, settings: config.settings, clock });
    if (sum === null)
      throw fail("console_bad_input", {
        problem: leftOut.slices > 0 ? "nothing fits within this limit of credits" : "no cells are missing there",
      });
    const accountId = await accountIdIn(warehouse.db, config);
    const outlook = await readOutlook({ db: warehouse.db, settings: config.settings, clock, accountId }, sum.lines);
    return {
      credits: sum.credits,
      binds: chosenCells(selection),
      about: { cells: cellsText(selection), ...input },
      says: `A backfill of ${cellsText(selection)}: ${countOf(sum.slices, "slice")}, ${countOf(sum.requests, "request")}.${leftOut.slices > 0 ? ` ${countOf(leftOut.slices, "slice")} for ${countOf(leftOut.credits, "credit")} do not fit and are left out.` : ""} ${finishWords(outlook, minuteOf).join(" ")}`,
    };
  },
  run: async (context, input, agreed) => {
    const selection = await selectedCells(context, input);
    const what = `Backfill of ${cellsText(selection)}`;
    const requested = fillRequest(selection, agreed.credits);
    return runStarted(
      { what, work: (control) => planAndRun(context.app, requested, control) },
      agreed,
      cellsAddress(input),
    );
  },
});

/** Plans as part of the run: if two people agree at once, the second is refused before a plan is stored that would never run. */
async function planAndRun(app: App, requested: BackfillRequest, control: RunControl): Promise<SyncResult> {
  const { config, warehouse, clock } = app;
  const { plan } = await makePlan(warehouse.db, { requested, settings: config.settings, clock });
  if (plan === null) throw fail("console_bad_input", { problem: "no cells are missing there any longer" });
  return planInForeground(app, { ...control, plan, maxCredits: plan.credits });
}
