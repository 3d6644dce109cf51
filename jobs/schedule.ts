import type { Settings } from "../src/config/settings.ts";

/** The settings of a worker, and the datasets that its crontab plans. */
export type Schedule = { readonly settings: Settings; readonly datasets: readonly string[] };
