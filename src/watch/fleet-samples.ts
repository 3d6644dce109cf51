import { incidentKinds } from "./incident-kinds.ts";
import type { FleetFacts } from "./fleet-facts.ts";
import type { FleetMetric } from "./metric-list.ts";
import { creditClasses } from "../core/slice.ts";

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
