import { projectRoot, type Config } from "../src/config/config.ts";
import { Settings } from "../src/config/settings.ts";
import { datasets } from "../src/datasets/shared/all.ts";
import { firstDayOf, type Account } from "./scale-size.ts";
import { benchToken, portfolioApps, type Work } from "./work.ts";

/** How a run of the bench sends requests to the service. */
export type Way = { readonly pace: number; readonly concurrency: number };

/** A pace that never binds. */
export const noPace = 1_000_000;

/** Requests under way at once when nothing else binds. */
export const wide = 256;

/** Settings with the apps of the work, which fetch only their ranks. */
export function settingsOf(work: Work, way: Way) {
  const others = datasets.filter(({ name }) => name !== "keyword_rank");
  return {
    portfolio: { source: "config", apps: portfolioApps(work) },
    datasets: {
      ...Object.fromEntries(others.map(({ name }) => [name, { on: false }])),
      keyword_rank: { history_days: work.days },
    },
    api: { requests_per_second: way.pace, concurrency: way.concurrency },
  } as const;
}

/** The configuration of a process that is measured. */
export function configOf(at: { readonly api: string; readonly database: string }, work: Work, way: Way): Config {
  const settings = settingsOf(work, { ...way, pace: 1 });
  const parsed = Settings.parse(settings);
  return {
    environment: { API_BASE_URL: at.api, API_TOKEN: benchToken, DATABASE_URL: at.database, LOG_LEVEL: "silent" },
    // a pace that does not bind is above the limit for a file
    settings: { ...parsed, api: { ...parsed.api, requests_per_second: way.pace } },
    home: projectRoot,
  };
}

/** Settings with which two years are planned, not only the newest days. */
export function nightSettings(account: Account): Settings {
  return Settings.parse({ datasets: { keyword_rank: { start: firstDayOf(account) } } });
}
