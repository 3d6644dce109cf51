import { addDays, day, type Day } from "../src/core/day.ts";

/** An account: apps, countries of each, keywords of each app and country, requested days. */
export type Account = {
  readonly apps: number;
  readonly countries: number;
  readonly keywords: number;
  readonly days: number;
  /** Devices for which each keyword is requested; one by default. */
  readonly devices?: 1 | 2;
};

/** The account that the figures are extrapolated to. */
export const large = { apps: 1_000, countries: 10, keywords: 300, days: 730 } as const satisfies Account;

/** How much is measured. The ledger is measured twice, to show what grows with it. */
export type ScaleSize = {
  readonly name: "full" | "small";
  readonly ledgers: readonly [Account, Account];
  /** Slices that wait at once when the queue is measured. */
  readonly queued: readonly number[];
  /** Slices that are claimed and ended at each of these depths. */
  readonly worked: number;
  /** Apps of the account whose ranks are in the facts, each with all its days. */
  readonly factApps: number;
  /** The portfolio whose marts are measured, and how many other apps were only seen. */
  readonly marts: { readonly account: Account; readonly strangers: number };
  /** The portfolio whose marts are queried in Postgres and in ClickHouse. */
  readonly engines: Account;
  /** The account for which a night is planned and queued, with its whole history. */
  readonly night: Account;
  /** How often each question is run; the median counts. */
  readonly rounds: number;
};

/** A size that takes ten minutes on two cores, and a small one that shows that everything runs. */
export const scaleSizes = {
  full: {
    name: "full",
    ledgers: [
      { ...large, apps: 50 },
      { ...large, apps: 100 },
    ],
    queued: [100_000, 1_000_000],
    worked: 50_000,
    factApps: 10,
    marts: { account: { apps: 2, countries: 10, keywords: 1370, days: 730 }, strangers: 100_000 },
    engines: { apps: 2, countries: 10, keywords: 34, days: 730, devices: 2 },
    night: large,
    rounds: 3,
  },
  small: {
    name: "small",
    ledgers: [
      { apps: 1, countries: 2, keywords: 150, days: 40 },
      { apps: 2, countries: 2, keywords: 150, days: 40 },
    ],
    queued: [200, 400],
    worked: 100,
    factApps: 1,
    marts: { account: { apps: 2, countries: 2, keywords: 20, days: 40 }, strangers: 500 },
    engines: { apps: 2, countries: 2, keywords: 20, days: 18, devices: 2 },
    // more than one shard
    night: { apps: 70, countries: 2, keywords: 100, days: 100 },
    rounds: 1,
  },
} as const satisfies Record<string, ScaleSize>;

/** The day that counts as today; the night before it is still to be planned. */
export const today: Day = day("2026-08-20");

/** Countries, in the order in which accounts of the bench use them. */
export const countryCodes = ["US", "JP", "DE", "GB", "FR", "BR", "KR", "IN", "IT", "ES"] as const;

/** Keywords that one call names. */
export const keywordsACall = 100;

/** The first day of an account's history. */
export function firstDayOf({ days }: Account): Day {
  return addDays(today, -days);
}

/** Slices in the ledger of an account: one call per night for each app, country and hundred keywords. */
export function slicesOf({ apps, countries, keywords, days }: Account): number {
  return apps * countries * Math.ceil(keywords / keywordsACall) * (days - 1);
}

/** Rows of ranks of an account if every request has an answer. */
export function ranksOf({ apps, countries, keywords, days, devices = 1 }: Account): number {
  return apps * countries * keywords * days * devices;
}

/**
 * The two-year portfolio with about this many ranks on both devices, to the nearest whole keyword: few apps with long lists, like the one
 * for the marts.
 */
export function accountOf(ranks: string): Account {
  const account = { ...scaleSizes.full.marts.account, devices: 2 } as const;
  const oneKeyword = ranksOf({ ...account, keywords: 1 });
  const wanted = Number(ranks.replaceAll(/[,_]/g, ""));
  if (!Number.isInteger(wanted) || wanted < oneKeyword)
    throw new Error(`--ranks takes a whole number from ${oneKeyword}, such as 5000000, not "${ranks}"`);
  const apps = Math.max(account.apps, Math.round(wanted / ranksOf({ ...account, apps: 1 })));
  return { ...account, apps, keywords: Math.round(wanted / ranksOf({ ...account, apps, keywords: 1 })) };
}
