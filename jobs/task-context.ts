import type { Config } from "../src/config/config.ts";
import type { Settings } from "../src/config/settings.ts";
import type { Warehouse } from "../src/postgres/database.ts";

/** The settings of a worker, the datasets that its crontab plans, and its database for tasks that read tables as a whole. */
export type TaskContext = {
  readonly settings: Settings;
  readonly datasets: readonly string[];
  readonly config: Config;
  readonly warehouse: Warehouse;
};
