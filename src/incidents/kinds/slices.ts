import { triedAgainText } from "../../core/retry-times.ts";
import { accountWords } from "../../config/config-of-account.ts";
import { defineKind, type Wording } from "./define-kind.ts";
import { codeWords } from "./service.ts";
import { countOf, listed, minuteOf } from "../../core/words.ts";

const stopped = ["api_unavailable", "requests_stopped"] as const;

/** Text about failed slices: whether and when they are requested again. */
function nextTry(at: string | null): string {
  return at === null
    ? "their data is missing until it is requested again"
    : `their data is missing until they are ${triedAgainText(at)}`;
}

/** ` of account acme and the account of API_TOKEN`; empty if all is of the account that has no name. */
function ofAccounts(accounts: readonly string[]): string {
  return accounts.every((account) => account === "") ? "" : ` of ${listed(accounts.map(accountWords))}`;
}

/** The command that prices a retry, of the first account that has something to retry, with these options. */
function retryOf([account = "", ...others]: readonly string[], options = ""): Pick<Wording, "command" | "does"> {
  const command = `storehouse retry --dry-run${options}`;
  return {
    command: account === "" ? command : `STOREHOUSE_ACCOUNT=${account} ${command}`,
    does: `shows what requesting ${others.length === 0 ? "them" : `those of ${accountWords(account)}`} now costs`,
  };
}

/** Data that is missing or late. */
export const sliceKinds = {
  slices_failed: defineKind<{
    datasets: readonly string[];
    error_code: string;
    accounts: readonly string[];
    slices: number;
    next_try_at: string | null;
  }>({
    title: "Slices failed",
    says: "slices failed with the same error, and so did their first automatic retry, if they have one: one incident per dataset, or one for all if more than three datasets fail in the same way; closed when they are loaded",
    weight: "trouble",
    mend: "retry",
    under: stopped,
    wording: ({ datasets, error_code: code, accounts, slices, next_try_at: next }, since) => ({
      happened: `${countOf(slices, "slice")} of ${listed(datasets)}${ofAccounts(accounts)} ${slices === 1 ? "has" : "have"} failed since ${since} (${codeWords(code)})`,
      means: nextTry(next),
      ...retryOf(accounts, datasets.length === 1 ? ` --dataset ${datasets[0]}` : ""),
    }),
    example: { datasets: ["keyword_rank"], error_code: "server_error", accounts: [""], slices: 3, next_try_at: null },
  }),
  app_failing: defineKind<{
    app: string;
    store: string;
    name: string | null;
    datasets: readonly string[];
    error_codes: readonly string[];
    accounts: readonly string[];
    slices: number;
    next_try_at: string | null;
  }>({
    title: "An app fails",
    says: "slices of one app failed in two or more datasets: one incident for the app; closed when they are loaded",
    weight: "trouble",
    mend: "retry",
    under: stopped,
    wording: ({ app, store, name, datasets, error_codes: codes, accounts, slices, next_try_at: next }, since) => ({
      happened: `${countOf(slices, "slice")} of the ${store === "ios" ? "iOS" : "Android"} app ${name === null ? app : `${name} (${app})`}${ofAccounts(accounts)} ${slices === 1 ? "has" : "have"} failed since ${since}, in ${countOf(datasets.length, "dataset")} (${listed(codes)})`,
      means: nextTry(next),
      ...retryOf(accounts),
    }),
    example: {
      app: "1000001",
      store: "ios",
      name: "Lumi: Habit Garden",
      datasets: ["app_rating", "keyword_rank", "review"],
      error_codes: ["server_error"],
      accounts: [""],
      slices: 8,
      next_try_at: null,
    },
  }),
  datasets_stale: defineKind<{ datasets: readonly string[] }>({
    title: "Many datasets are late",
    says: "more than three datasets are late and nothing else explains it: one incident for all of them; closed when three or fewer are",
    weight: "trouble",
    mend: "coverage",
    wording: ({ datasets }, since) => ({
      happened: `${countOf(datasets.length, "dataset")} are late, the first since ${since} (${listed(datasets)})`,
      means: "days of each are missing, and data that is only available on its own day is lost",
      command: "storehouse doctor",
      does: "checks the workers, the API and the schedule",
    }),
    example: { datasets: ["app_rating", "keyword_rank", "review", "top_chart", "visibility"] },
  }),
  day_at_risk: defineKind<{ datasets: readonly string[]; cells: number; lost_at: string }>({
    title: "Snapshots are at risk",
    says: "snapshots are not loaded after two thirds of the time in which they can be requested (16 hours of the day for a daily one): one incident for all of them; closed when they are loaded or lost",
    weight: "trouble",
    mend: "coverage",
    under: [...stopped, "no_worker", "credits_exhausted"],
    wording: ({ datasets, cells, lost_at: at }, since) => ({
      happened: `${countOf(cells, "snapshot")} of ${listed(datasets)} ${cells === 1 ? "has" : "have"} been due since ${since} and ${cells === 1 ? "is" : "are"} not loaded`,
      means: `they can be requested until ${minuteOf(at)}, and are lost for good after that`,
      command: "storehouse status",
      does: "shows what they wait for",
    }),
    example: { datasets: ["app_rating"], cells: 12, lost_at: "2026-11-22T00:00:00Z" },
  }),
  day_lost: defineKind<{ datasets: readonly string[]; days: readonly string[]; cells: number; cells_ever: number }>({
    title: "Days are lost",
    says: "snapshots were not requested in time, so they can no longer be fetched: one incident for all of them; closed one day after the last one",
    weight: "note",
    mend: "coverage",
    wording: ({ datasets, days, cells, cells_ever: ever }, since) => ({
      happened: `${countOf(cells, "snapshot")} of ${listed(datasets)} for ${listed(days)} ${cells === 1 ? "has" : "have"} been lost since ${since}`,
      means: `they can no longer be fetched, and ${countOf(ever, "snapshot")} ${ever === 1 ? "is" : "are"} lost in all`,
      // by name, since a dataset that is off is shown only so
      command: `storehouse gaps --state lost --from ${days[0] ?? ""} --dataset ${datasets.join(",")}`,
      does: "shows the new ones by app and country",
    }),
    example: { datasets: ["app_rating"], days: ["2026-11-21"], cells: 12, cells_ever: 12 },
  }),
  dataset_stale: defineKind<{ newest_day: string | null; age_hours: number; limit_hours: number; dataset: string }>({
    title: "A dataset is late",
    says: "the newest day of a dataset is older than its freshness limit, and the dataset is scheduled, or is on and was loaded before; closed when a newer day is loaded",
    weight: "trouble",
    mend: "coverage",
    under: [...stopped, "no_worker", "credits_exhausted"],
    wording: ({ dataset, newest_day: newest, limit_hours: limit }, since) => ({
      happened: `the dataset ${dataset} has been late since ${since}: ${newest === null ? "no day is loaded yet" : `its newest day is ${newest}`}`,
      means: `a newer day is usually loaded within ${limit < 72 ? `${limit} h` : `${Math.floor(limit / 24)} days`}, so days are missing`,
      command: `storehouse gaps --dataset ${dataset}`,
      does: "shows which",
    }),
    example: { newest_day: "2026-11-19", age_hours: 60.5, limit_hours: 54, dataset: "keyword_rank" },
  }),
};
