import type { z } from "zod";
import type { Settings } from "../config/settings.ts";
import { addDays, day, type Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { SandboxOptions } from "../sandbox/sandbox.ts";
import { nightClock, type NightClock } from "./week.ts";

/** What a demo loads from which market. Its current day is fixed, so that every run shows the same figures. */
export type DemoShow = {
  readonly today: Day;
  readonly market: NonNullable<SandboxOptions["market"]>;
  /** Names of datasets; all that are on if empty. */
  readonly datasets: readonly string[];
  /** Only the first day: the newest days wait until they are packed, as in an ordinary sync. */
  readonly bounds: Pick<Window, "start">;
  readonly settings: z.input<typeof Settings>;
  /** The folder of its database: synthetic data of one market never meets those of another. */
  readonly folder: string;
  /** What is loaded, in words. */
  readonly words: string;
  /** Further options of the service. */
  readonly sandbox?: SandboxOptions;
  /** The clock of a show that is loaded night by night, up to the day of this machine. */
  readonly nights?: NightClock;
};

/** Every dataset on, with the first example of each option that has one, so that all operations are called. */
export const everythingOn = {
  datasets: Object.fromEntries(datasets.map(({ name, options }) => [name, { on: true, options: examplesOf(options) }])),
};

function examplesOf(options: Dataset["options"]): Record<string, unknown> {
  const examples = Object.entries(options?.shape ?? {}).flatMap(([name, schema]): [string, unknown][] => {
    const [first] = ((schema as z.ZodType).meta()?.examples as readonly unknown[] | undefined) ?? [];
    return first === undefined ? [] : [[name, first]];
  });
  return Object.fromEntries(examples);
}

/** Keyword ranks alone, of a whole market. */
export const rankShow: DemoShow = show({
  today: day("2026-11-01"),
  days: 60,
  market: { apps: 8 },
  datasets: ["keyword_rank"],
  settings: {},
  folder: "demo",
  what: "8 synthetic apps in 6 countries, 60 days of keyword ranks",
});

/**
 * Every dataset, of a small market: the data on the page of marts. The levels of reports include search terms, which they do not by
 * default.
 */
export const everythingShow: DemoShow = show({
  today: day("2026-08-20"),
  days: 35,
  market: { apps: 3, countries: ["US", "JP"], keywordsPerApp: 8, organicKeywords: 20 },
  datasets: [],
  settings: {
    portfolio: {
      groups: {
        apps: { habits: ["6446318020"] },
        keywords: { lists: ["to-do, list", "タスク"], testing: ["a/b testing"] },
      },
    },
    datasets: {
      ...everythingOn.datasets,
      search_ads_report: { on: true, options: { levels: ["CAMPAIGN", "AD_GROUP", "KEYWORD", "SEARCH_TERM"] } },
    },
    credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 0 } },
  },
  folder: "demo-everything",
  what: "3 synthetic apps in 2 countries, every dataset, 35 days",
});

const weekClock = nightClock();

/**
 * A small market, loaded in seven nights: the datasets that are on by default or that a page of the console shows, with something to fix in
 * the console.
 */
export const weekShow: DemoShow = {
  ...show({
    today: weekClock.today(),
    days: 42,
    market: { apps: 4, countries: ["US", "GB"], keywordsPerApp: 12, organicKeywords: 12 },
    datasets: [],
    // some days of charts wait for the next day of their budget
    settings: {
      health: { port: "off" },
      credits: { budgets: { charts: { datasets: ["category_rank"], credits_a_day: 10 } } },
    },
    folder: "demo-week",
    what: "4 synthetic apps in 2 countries, a week of nights with the default datasets",
  }),
  sandbox: { accounts: [{ token: "sandbox-token", total: 30_000, periodHours: 30 * 24 }] },
  nights: weekClock,
};

type ShowOfDays = Omit<DemoShow, "bounds" | "words"> & { readonly days: number; readonly what: string };

function show({ days, what, ...rest }: ShowOfDays): DemoShow {
  const { today } = rest;
  const words = `${what} up to ${addDays(today, -1)}`;
  return { ...rest, bounds: { start: addDays(today, -days) }, words };
}
