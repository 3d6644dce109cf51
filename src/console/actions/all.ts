import type { AnyAction } from "../define-action.ts";
import { cancelPlanAction } from "./cancel-plan.ts";
import { fillAction } from "./fill.ts";
import { heldAction } from "./held.ts";
import { retryCellsAction } from "./retry-cells.ts";
import { keywordsAction } from "./keywords.ts";
import { listedKeywordsAction } from "./listed-keywords.ts";
import { retryAction } from "./retry.ts";
import { stopAction } from "./stop.ts";

/** Every action of the console. */
export const actions: readonly AnyAction[] = [
  fillAction,
  retryCellsAction,
  retryAction,
  stopAction,
  cancelPlanAction,
  heldAction,
  keywordsAction,
  listedKeywordsAction,
];
