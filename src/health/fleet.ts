import { readSliceSums, type SliceSums } from "../ledger/slice-sums.ts";
import { accountOf } from "../config/config-of-account.ts";
import { instant, sql } from "../postgres/sql.ts";
import { dayOf } from "../core/day.ts";
import { creditClasses } from "../core/slice.ts";
import { readCallerUse, type CallerUse } from "../credits/caller-use.ts";
import { type AccountState, readAccount } from "../credits/account.ts";
import { readPeriodSpend } from "../credits/report.ts";
import type { CheckParts } from "../incidents/check-parts.ts";
import { incidentKinds } from "../incidents/kinds.ts";
import { latenessOf, readOwnPackDays, type Lateness } from "../incidents/lateness.ts";
import { sharedQueue } from "../ledger/shared-queue.ts";
import { workerKinds } from "../ledger/workers.ts";
import type { FleetMetric } from "./metric-list.ts";
import { sumBy } from "../core/sum.ts";

/** Figures of all workers of a database together, from the ledger. */
export type FleetFigures = {
  readonly states: readonly SliceSums[];
  readonly lateness: readonly Lateness[];
  readonly account: AccountState | null;
  /** Name of the account; empty for that of API_TOKEN. */
  readonly accountName: string;
  /** Credits booked in the current period. */
  readonly spent: readonly { readonly class: string; readonly credits: number }[];
  /** Slices that a worker may claim now, and for how long the oldest of them has been due. */
  readonly queue: readonly { readonly class: string; readonly slices: number; readonly ageSeconds: number }[];
  /** Processes that have not ended, and the age of the oldest latest heartbeat. */
  readonly workers: readonly { readonly kind: string; readonly count: number; readonly heartbeatAge: number }[];
  readonly runs: readonly { readonly kind: string; readonly outcome: string; readonly endedAt: Date }[];
  readonly incidents: readonly { readonly kind: string; readonly count: number }[];
  /** What callers of the gateway used and saved on the day. */
  readonly callers: readonly CallerUse[];
  readonly databaseBytes: number;
};

/** Reads the figures, one query after the other: a scrape uses one connection. */
export async function readFleet(parts: CheckParts): Promise<FleetFigures> {
  const { db, clock, accountId } = parts;
  const now = instant(clock.now());
  const rowsOf = async <T>(query: ReturnType<typeof sql<T>>) => (await query.execute(db)).rows;
  const states = await readSliceSums(db);
  const account = await readAccount(db, accountId);
  return {
    states,
    lateness: latenessOf(states, { ...parts, ownPackDays: await readOwnPackDays(db, clock.now()) }),
    account,
    accountName: accountOf(parts.settings),
    spent: await readPeriodSpend(db, accountId, account),
    queue: await rowsOf(sql<FleetFigures["queue"][number]>`
      select class, count(*)::float8 as slices,
             greatest(0, extract(epoch from ${now} - min(coalesce(due_at, created_at))))::float8 as "ageSeconds"
      from   ops.slice
      -- those of a foreground process are for that process alone
      where  queue_id <= ${sharedQueue}::bigint and (state in ('pending', 'deferred') and due_at <= ${now} or state = 'pending' and due_at is null)
      group  by class`),
    workers: await rowsOf(sql<FleetFigures["workers"][number]>`
      select kind, count(*)::float8 as count, greatest(0, extract(epoch from now() - min(heartbeat_at)))::float8 as "heartbeatAge"
      from   ops.worker
      where  stopped_at is null
      group  by kind`),
    runs: await rowsOf(sql<FleetFigures["runs"][number]>`
      select kind, coalesce(outcome, '') as outcome, max(ended_at) as "endedAt"
      from   ops.run
      where  ended_at is not null
      group  by 1, 2`),
    incidents: await rowsOf(sql<FleetFigures["incidents"][number]>`
      select kind, count(*)::float8 as count from ops.incident where closed_at is null group by kind`),
    callers: await readCallerUse(db, dayOf(clock.now())),
    databaseBytes:
      (await rowsOf(sql<{ size: number }>`select pg_database_size(current_database())::float8 as size`))[0]?.size ?? 0,
  };
}

/** One value of a metric. */
export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/** The figures as values of each metric. Classes and kinds without slices or incidents are 0, so that an alert can see them rise. */
export function fleetSamples(figures: FleetFigures, readAt: number): Readonly<Record<FleetMetric, readonly Sample[]>> {
  const { states, account } = figures;
  // to Prometheus an empty label is no label
  const whose = figures.accountName === "" ? {} : { account: figures.accountName };
  const ofAccount = (value: number | null | undefined) => single(value, whose);
  return {
    storehouse_slices: states.map(({ dataset, state, slices }) => ({ labels: { dataset, state }, value: slices })),
    storehouse_rows: byDataset(states, ({ rows }) => rows),
    storehouse_rejects: byDataset(states, ({ rejects }) => rejects),
    storehouse_freshness_seconds: figures.lateness.map(({ dataset, ageMs }) => ({
      labels: { dataset },
      value: ageMs / 1000,
    })),
    storehouse_freshness_limit_seconds: figures.lateness.map(({ dataset, limitMs }) => ({
      labels: { dataset },
      value: limitMs / 1000,
    })),
    storehouse_credits_allowance: ofAccount(account?.total),
    storehouse_credits_left: ofAccount(account?.remaining),
    storehouse_credits_held: ofAccount(account?.held),
    storehouse_credits_spent: [...Map.groupBy(figures.spent, (line) => line.class)].map(([name, lines]) => ({
      labels: { ...whose, class: name },
      value: sumBy(lines, ({ credits }) => credits),
    })),
    storehouse_credits_reset_timestamp_seconds: ofAccount(account?.resetsAt == null ? null : account.resetsAt / 1000),
    storehouse_queue_slices: ofEach("class", creditClasses, figures.queue, ({ slices }) => slices),
    storehouse_queue_age_seconds: ofEach("class", creditClasses, figures.queue, ({ ageSeconds }) => ageSeconds),
    storehouse_workers: ofEach("kind", workerKinds, figures.workers, ({ count }) => count),
    storehouse_worker_heartbeat_age_seconds: figures.workers.map(({ kind, heartbeatAge }) => ({
      labels: { kind },
      value: heartbeatAge,
    })),
    storehouse_run_end_timestamp_seconds: figures.runs.map(({ kind, outcome, endedAt }) => ({
      labels: { kind, outcome },
      value: endedAt.getTime() / 1000,
    })),
    storehouse_gateway_calls: figures.callers.flatMap(({ caller, hits, joined, requests }) =>
      samplesBy("answered", { hit: hits, joined, sent: requests }, { caller }),
    ),
    storehouse_gateway_credits: figures.callers.flatMap(({ caller, charged, saved }) =>
      samplesBy("kind", { charged, saved }, { caller }),
    ),
    storehouse_incidents_open: ofEach("kind", Object.keys(incidentKinds), figures.incidents, ({ count }) => count),
    storehouse_database_bytes: single(figures.databaseBytes),
    storehouse_ledger_read_timestamp_seconds: single(readAt / 1000),
  };
}

function single(value: number | null | undefined, labels: Sample["labels"] = {}): readonly Sample[] {
  return value == null ? [] : [{ labels, value }];
}

/** A value for each name, with labels that they share. */
function samplesBy(
  label: string,
  values: Readonly<Record<string, number>>,
  shared: Sample["labels"],
): readonly Sample[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { ...shared, [label]: name }, value }));
}

function byDataset<T extends { readonly dataset: string }>(
  states: readonly T[],
  value: (state: T) => number,
): readonly Sample[] {
  return [...Map.groupBy(states, ({ dataset }) => dataset)].map(([dataset, own]) => ({
    labels: { dataset },
    value: sumBy(own, value),
  }));
}

/** A value for each known name (0 if there is none), and for every other name that was read. */
function ofEach<L extends string, T extends Readonly<Record<L, string>>>(
  label: L,
  known: readonly string[],
  found: readonly T[],
  value: (one: T) => number,
): readonly Sample[] {
  const names = new Set([...known, ...found.map((one) => one[label])]);
  return [...names].map((name) => {
    const one = found.find((candidate) => candidate[label] === name);
    return { labels: { [label]: name }, value: one === undefined ? 0 : value(one) };
  });
}
