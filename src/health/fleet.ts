import { sql } from "../postgres/sql.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { creditClasses } from "../core/slice.ts";
import { type AccountState, readAccount } from "../credits/account.ts";
import type { Lateness } from "../incidents/findings.ts";
import { incidentKinds } from "../incidents/kinds.ts";
import { latenessOf, readStates, type StateFacts } from "../incidents/lateness.ts";
import type { Database } from "../postgres/database.ts";
import type { FleetMetric } from "./metric-list.ts";

/** What all workers of a database share, as it stands in the ledger. */
export type FleetFacts = {
  readonly states: readonly StateFacts[];
  readonly lateness: readonly Lateness[];
  readonly account: AccountState | null;
  /** Credits booked in the running period. */
  readonly spent: readonly { readonly class: string; readonly credits: number }[];
  /** Slices that may be taken now, and for how long the oldest of them could have been. */
  readonly queue: readonly { readonly class: string; readonly slices: number; readonly ageSeconds: number }[];
  /** Processes that have not ended, and how long ago the one was heard of that is silent for longest. */
  readonly workers: readonly { readonly kind: string; readonly count: number; readonly silentSeconds: number }[];
  readonly runs: readonly { readonly kind: string; readonly outcome: string; readonly endedAt: Date }[];
  readonly incidents: readonly { readonly kind: string; readonly count: number }[];
  readonly databaseBytes: number;
};

/** What reading the facts takes. */
export type FleetParts = {
  readonly db: Database;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly accountId: string;
};

/** Reads them, one query after the other: a scrape takes one connection, however much there is to read. */
export async function readFleet({ db, settings, clock, accountId }: FleetParts): Promise<FleetFacts> {
  const now = sql`${new Date(clock.now()).toISOString()}::timestamptz`;
  const rowsOf = async <T>(query: ReturnType<typeof sql<T>>) => (await query.execute(db)).rows;
  const states = await readStates(db);
  const account = await readAccount(db, accountId);
  const periodStart =
    account?.resetsAt == null || account.periodHours === null
      ? null
      : new Date(account.resetsAt - account.periodHours * 3_600_000).toISOString();
  return {
    states,
    lateness: latenessOf(states, settings, clock),
    account,
    spent: await rowsOf(sql<FleetFacts["spent"][number]>`
      select class, sum(cost)::float8 as credits
      from   ops.request
      where  account_id = ${accountId} and received_at >= coalesce(${periodStart}::timestamptz, ${now} - interval '30 days')
      group  by class`),
    queue: await rowsOf(sql<FleetFacts["queue"][number]>`
      select class, count(*)::float8 as slices,
             greatest(0, extract(epoch from ${now} - min(coalesce(due_at, created_at))))::float8 as "ageSeconds"
      from   ops.slice
      where  state = 'pending' and coalesce(due_at, '-infinity') <= ${now}
      group  by class`),
    workers: await rowsOf(sql<FleetFacts["workers"][number]>`
      select kind, count(*)::float8 as count, greatest(0, extract(epoch from now() - min(heartbeat_at)))::float8 as "silentSeconds"
      from   ops.worker
      where  stopped_at is null
      group  by kind`),
    runs: await rowsOf(sql<FleetFacts["runs"][number]>`
      select kind, coalesce(outcome, '') as outcome, max(ended_at) as "endedAt"
      from   ops.run
      where  ended_at is not null
      group  by 1, 2`),
    incidents: await rowsOf(sql<FleetFacts["incidents"][number]>`
      select kind, count(*)::float8 as count from ops.incident where closed_at is null group by kind`),
    databaseBytes:
      (await rowsOf(sql<{ size: number }>`select pg_database_size(current_database())::float8 as size`))[0]?.size ?? 0,
  };
}

/** One value of a metric. */
export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/** The facts as values of each metric. Classes and kinds of incidents are told at 0 too, so that an alert sees them begin. */
export function fleetSamples(facts: FleetFacts, readAt: number): Readonly<Record<FleetMetric, readonly Sample[]>> {
  const { states, account } = facts;
  return {
    storehouse_slices: states.map(({ dataset, state, slices }) => ({ labels: { dataset, state }, value: slices })),
    storehouse_rows_total: byDataset(states, ({ rows }) => rows),
    storehouse_rejects_total: byDataset(states, ({ rejects }) => rejects),
    storehouse_freshness_seconds: facts.lateness.map(({ dataset, ageMs }) => ({
      labels: { dataset },
      value: ageMs / 1000,
    })),
    storehouse_freshness_limit_seconds: facts.lateness.map(({ dataset, limitMs }) => ({
      labels: { dataset },
      value: limitMs / 1000,
    })),
    storehouse_credits_allowance: single(account?.total),
    storehouse_credits_left: single(account?.remaining),
    storehouse_credits_held: single(account?.held),
    storehouse_credits_spent: facts.spent.map((spent) => ({ labels: { class: spent.class }, value: spent.credits })),
    storehouse_credits_reset_timestamp_seconds: single(account?.resetsAt == null ? null : account.resetsAt / 1000),
    storehouse_queue_slices: ofEach("class", creditClasses, facts.queue, ({ slices }) => slices),
    storehouse_queue_age_seconds: ofEach("class", creditClasses, facts.queue, ({ ageSeconds }) => ageSeconds),
    storehouse_workers: ofEach("kind", ["worker", "sync", "command"], facts.workers, ({ count }) => count),
    storehouse_worker_silence_seconds: facts.workers.map(({ kind, silentSeconds }) => ({
      labels: { kind },
      value: silentSeconds,
    })),
    storehouse_run_end_timestamp_seconds: facts.runs.map(({ kind, outcome, endedAt }) => ({
      labels: { kind, outcome },
      value: endedAt.getTime() / 1000,
    })),
    storehouse_incidents_open: ofEach("kind", Object.keys(incidentKinds), facts.incidents, ({ count }) => count),
    storehouse_database_bytes: single(facts.databaseBytes),
    storehouse_facts_timestamp_seconds: single(readAt / 1000),
  };
}

function single(value: number | null | undefined): readonly Sample[] {
  return value == null ? [] : [{ labels: {}, value }];
}

function byDataset<T extends { readonly dataset: string }>(
  states: readonly T[],
  value: (state: T) => number,
): readonly Sample[] {
  return [...Map.groupBy(states, ({ dataset }) => dataset)].map(([dataset, own]) => ({
    labels: { dataset },
    value: own.reduce((sum, state) => sum + value(state), 0),
  }));
}

/** A value for each of the known names, 0 where there is nothing, and for any other name that came. */
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
