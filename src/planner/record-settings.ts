import { accountOf } from "../config/config-of-account.ts";
import { isOn, usesTrackedApps, type DatasetSettings, type Settings } from "../config/settings.ts";
import type { Scope } from "../core/slice.ts";
import type { Reach, Timing } from "../core/timing.ts";
import { datasets } from "../datasets/shared/all.ts";
import { noteDatasets, type TimingLine } from "../ledger/dataset-timings.ts";
import { emptyEarlyDaysOf } from "../plan/missing.ts";
import type { Database } from "../postgres/database.ts";
import { compareByHash } from "../postgres/plan-hints.ts";
import { settingsOf, timingWith } from "./dataset-settings.ts";
import { partitionsOf, type DatasetPlanning } from "./plan-chunks.ts";
import { datasetsOf, startsByShard } from "./plan-stream.ts";
import { learnedDays } from "./lookback.ts";
import { recordConfigured } from "./record-configured.ts";
import { recordGroups } from "./record-groups.ts";
import { recordUnread } from "./record-unread.ts";
import type { SyncRequest } from "./request.ts";

/** All timings of single scopes that the account has for some datasets. */
export type OwnTimings = { readonly datasets: readonly string[]; readonly lines: readonly TimingLine[] };

/** A request whose timings are recorded; `own` if the caller has already gone through everything that it is planned from. */
type Noting = {
  readonly request: SyncRequest;
  readonly settings: Settings;
  readonly own?: OwnTimings | undefined;
};

/**
 * Records what SQL needs of code and configuration, in a transaction of the caller, before a process plans work: when each dataset is
 * requested again and, for the datasets of the request, scopes with their own timing; groups of apps and keywords; what the configuration
 * lists; and accounts whose lists are no longer read.
 */
export async function recordSettings(db: Database, { request, settings, own: known }: Noting): Promise<void> {
  const names = datasetsOf(request, settings).map(({ name }) => name);
  const lookbacks = await learnedDays(db, { settings, today: request.today, names });
  const defaults = datasets.map(({ name, tables, timing }) => {
    const own = settingsOf({ name, tables }, settings);
    return lineOf(name, null, within(timingWith(timing, own, request.today), lookbacks.get(name)), own);
  });
  const own = known ?? (await readOwn(db, { ...request, only: {} }, settings));
  const readsNoList = isWithoutLists(settings);
  const lines = datasets.map((dataset) => {
    const { name, stage, itemsAreApps = false } = dataset;
    const isOff = settings.datasets[name]?.on === false || (stage === "portfolio" && readsNoList);
    return {
      dataset: name,
      stage,
      is_on: !isOff && isOn(dataset, settings),
      is_switched_off: isOff,
      items_are_apps: itemsAreApps,
      countries: settings.datasets[name]?.countries,
    };
  });
  await compareByHash(db, async () => {
    await recordGroups(db, settings.portfolio.groups);
    await recordConfigured(db, settings.portfolio, request.today);
    await recordUnread(db, settings, request.today);
    const of = { account: accountOf(settings), planned: own.datasets, today: request.today };
    await noteDatasets(db, lines, [...defaults, ...own.lines], of);
  });
}

/** True if the lists of accounts do not count, because the portfolio is configured. */
function isWithoutLists(settings: Settings): boolean {
  const isOnly = accountOf(settings) === "" && Object.keys(settings.accounts).length === 0;
  return isOnly && !usesTrackedApps(settings);
}

async function readOwn(db: Database, request: SyncRequest, settings: Settings): Promise<OwnTimings> {
  const lines: TimingLine[] = [];
  for await (const starts of startsByShard(db, request, settings)) lines.push(...ownTimings(starts));
  return { datasets: datasetsOf(request, settings).map(({ name }) => name), lines };
}

/** The timings of single scopes, from what some datasets are planned from. */
export function ownTimings(starts: readonly DatasetPlanning[]): readonly TimingLine[] {
  return starts.flatMap((start) =>
    partitionsOf(start).flatMap(({ scope, timing }) =>
      timing === undefined
        ? []
        : [lineOf(start.dataset.name, scope, timingWith(timing, start.settings, start.request.today), start.settings)],
    ),
  );
}

/** A timing with the learned lookback; sample nights request more, but this makes no day stale earlier. */
function within(timing: Timing, lookbackDays: number | undefined): Timing {
  if (timing.kind !== "series" || lookbackDays === undefined) return timing;
  return { ...timing, lookbackDays: Math.min(timing.lookbackDays, lookbackDays) };
}

/** The names of the figures of a timing in SQL, except those that SQL computes or does not need. */
const figures = {
  settleDays: "settle_days",
  lookbackDays: "lookback_days",
  historyDays: "history_days",
  firstDay: "first_day",
  packDays: "pack_days",
  packIsFull: "pack_is_full",
  emptyHoldsDays: "empty_holds_days",
  emptyUntilDays: "empty_until_days",
} as const satisfies Record<Exclude<keyof Reach, "keptFrom" | "moved">, keyof TimingLine>;

/** The parts of a timing that SQL needs. */
export function lineOf(
  dataset: string,
  scope: Scope | null,
  timing: Timing,
  { keep_months: keepMonths }: DatasetSettings,
): TimingLine {
  if (timing.kind === "snapshot") return { dataset, scope, kind: timing.kind, refresh_days: timing.refreshDays };
  const known = Object.entries(figures).map(([own, name]) => [name, timing[own as keyof typeof figures]]);
  return {
    dataset,
    scope,
    kind: timing.kind,
    ...Object.fromEntries(known),
    empty_early_days: emptyEarlyDaysOf(timing),
    keep_months: keepMonths,
  };
}
