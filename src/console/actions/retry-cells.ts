import { accountOf } from "../../config/config-of-account.ts";
import { apiAccess } from "../../config/config.ts";
import { countOf } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import { fail } from "../../core/errors.ts";
import { retryInForeground } from "../../foreground.ts";
import { reopenable } from "../../ledger/reopen.ts";
import { cellsAddress } from "../grid/filters.ts";
import { retryOf } from "../grid/selection.ts";
import { defineAction, runStarted } from "../define-action.ts";
import { cellsInput, chosenCells, cellsText, selectedCells } from "./fill.ts";

/** Requests the failed slices of a selection again, as `storehouse retry` does. */
export const retryCellsAction = defineAction({
  name: "retry-cells",
  label: "Retry",
  input: cellsInput,
  price: async (context, input) => {
    const { app } = context;
    apiAccess(app.config.environment);
    const selection = await selectedCells(context, input);
    const found = await reopenable(app.warehouse.db, {
      ...retryOf(selection),
      account: accountOf(app.config.settings),
    });
    if (found.length === 0) throw fail("nothing_to_retry");
    return {
      credits: sumBy(found, ({ credits }) => credits),
      binds: chosenCells(selection),
      about: { cells: cellsText(selection), ...input },
      says: `${countOf(
        sumBy(found, ({ slices }) => slices),
        "failed slice",
      )} of ${cellsText(selection)} requested again.`,
    };
  },
  run: async (context, input, agreed) => {
    const { app } = context;
    const selection = await selectedCells(context, input);
    const { datasets, ...which } = retryOf(selection);
    const what = `Retry of ${cellsText(selection)}`;
    const request = { datasets, bounds: {}, today: app.clock.today() };
    const retry = { request, maxCredits: agreed.credits, which };
    return runStarted(
      { what, work: (control) => retryInForeground(app, { ...control, ...retry }) },
      agreed,
      cellsAddress(input),
    );
  },
});
