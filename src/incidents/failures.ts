import { problem, type Problem } from "./problems.ts";
import { sumBy } from "../core/sum.ts";

/** Slices of one account and app (null: of no app) in one dataset that failed with the same error and have no attempts left. */
export type FailedGroup = {
  readonly dataset: string;
  readonly code: string;
  readonly store: string | null;
  readonly app: string | null;
  readonly name: string | null;
  /** Whose `retry` requests them; empty for that of API_TOKEN. */
  readonly account: string;
  readonly slices: number;
  readonly since: Date;
  /** When one of them is requested again automatically; null if none is. */
  readonly nextTryAt: Date | null;
};

/** An app that fails in this many datasets is a separate cause, unless more than `mostApps` do: then the API is. */
const datasetsOfAnApp = 2;
const mostApps = 3;
/** If more datasets than this fail with one error, they have one cause. */
const mostDatasets = 3;

/**
 * Failed slices by cause: an app that fails in several datasets, an error that many datasets share, or else a dataset with an error.
 * Problems that a larger cause explains are its effects.
 */
export function failedProblems(groups: readonly FailedGroup[]): readonly Problem[] {
  const failing = [...Map.groupBy(groups, ({ store, app }) => (app === null ? "" : `${store ?? ""} ${app}`))].filter(
    ([app, own]) => app !== "" && datasetsIn(own).length >= datasetsOfAnApp,
  );
  const apps = failing.length > mostApps ? [] : failing;
  const ofApps = new Set(apps.flatMap(([, own]) => own));
  const rest = groups.filter((group) => !ofApps.has(group));
  const codes = [...Map.groupBy(rest, codeOf)].filter(([, own]) => datasetsIn(own).length > mostDatasets);
  const explained = new Set([...ofApps, ...codes.flatMap(([, own]) => own)]);
  const parts = [...Map.groupBy(groups, ({ dataset, code }) => `${dataset} ${code}`)];
  return [
    ...apps.map(([app, own]) => appProblem(app, own)),
    ...codes.map(([code, own]) => codeProblem(code, own)),
    ...parts.map(([subject, part]) => {
      const own = part.filter((group) => !explained.has(group));
      return own.length > 0 ? codeProblem(subject, own) : { ...codeProblem(subject, part), isEffect: true };
    }),
  ];
}

const codeOf = ({ code }: FailedGroup) => code;

function datasetsIn(groups: readonly FailedGroup[]): readonly string[] {
  return [...new Set(groups.map(({ dataset }) => dataset))].sort();
}

function accountsIn(groups: readonly FailedGroup[]): readonly string[] {
  return [...new Set(groups.map(({ account }) => account))].sort();
}

function appProblem(subject: string, own: readonly FailedGroup[]): Problem {
  const [first] = own;
  const datasets = datasetsIn(own);
  return problem({
    kind: "app_failing",
    subject,
    since: sinceOf(own),
    isTriedAgain: true,
    explains: datasets,
    facts: {
      app: first?.app ?? "",
      store: first?.store ?? "",
      name: first?.name ?? null,
      datasets,
      error_codes: [...new Set(own.map(codeOf))].sort(),
      accounts: accountsIn(own),
      slices: sumBy(own, ({ slices }) => slices),
      next_try_at: nextTry(own),
    },
  });
}

function codeProblem(subject: string, part: readonly FailedGroup[]): Problem {
  const datasets = datasetsIn(part);
  return problem({
    kind: "slices_failed",
    subject,
    since: sinceOf(part),
    isTriedAgain: true,
    explains: datasets,
    facts: {
      datasets,
      error_code: part[0]?.code ?? "",
      accounts: accountsIn(part),
      slices: sumBy(part, ({ slices }) => slices),
      next_try_at: nextTry(part),
    },
  });
}

function sinceOf(groups: readonly FailedGroup[]): number {
  return Math.min(...groups.map(({ since }) => since.getTime()));
}

function nextTry(groups: readonly FailedGroup[]): string | null {
  const times = groups.flatMap(({ nextTryAt }) => (nextTryAt === null ? [] : [nextTryAt.getTime()]));
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}
