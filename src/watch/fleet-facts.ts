import { sql } from "kysely";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { readAccount, type AccountState } from "../credits/account.ts";
import type { Database } from "../warehouse/database.ts";
import { latenessOf, readStates, type StateFacts } from "./dataset-facts.ts";
import type { Lateness } from "./findings.ts";

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
