import type { AnyAction } from "../define-action.ts";
import { keywordsAction } from "./keywords.ts";
import { retryAction } from "./retry.ts";
import { stopAction } from "./stop.ts";

/** Every action of the console. */
export const actions: readonly AnyAction[] = [retryAction, stopAction, keywordsAction];
