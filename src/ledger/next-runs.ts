import { instant, sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";

/** The next run of a line of the crontab, and its price. Times in epoch-ms. */
export type NextRun = {
  readonly line: string;
  /** Empty for all datasets that are on. */
  readonly datasets: readonly string[];
  readonly at: number;
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
  /** The part that budgets put off. */
  readonly overBudget: { readonly slices: number; readonly credits: number };
  readonly pricedAt: number;
};

/** Replaces the stored next runs of an account. */
export async function writeNextRuns(db: Database, runs: readonly NextRun[], account: string): Promise<void> {
  const rows = JSON.stringify(
    runs.map((run) => ({
      ...run,
      over_budget_slices: run.overBudget.slices,
      over_budget_credits: run.overBudget.credits,
      at: new Date(run.at).toISOString(),
      priced_at: new Date(run.pricedAt).toISOString(),
    })),
  );
  await sql`
    with known as (
      select * from jsonb_to_recordset(${rows}::jsonb)
        as r (line text, datasets text[], at timestamptz, slices integer, requests integer, credits bigint, over_budget_slices integer, over_budget_credits bigint,
              priced_at timestamptz)
    ), gone as (
      delete from ops.next_run where account = ${account} and line_id not in (select line from known)
    )
    insert into ops.next_run (account, line_id, datasets, runs_at, slices, requests, credits, over_budget_slices, over_budget_credits, priced_at)
    select ${account}, line, datasets, at, slices, requests, credits, over_budget_slices, over_budget_credits, priced_at from known order by line
    on conflict (account, line_id) do update
    set datasets = excluded.datasets, runs_at = excluded.runs_at, slices = excluded.slices, requests = excluded.requests,
        credits = excluded.credits, over_budget_slices = excluded.over_budget_slices, over_budget_credits = excluded.over_budget_credits,
        priced_at = excluded.priced_at`.execute(db);
}

/** Future runs of an account, the next one first; none if no worker has planned lately. */
export async function readNextRuns(db: Database, now: number, account: string): Promise<readonly NextRun[]> {
  const { rows } = await sql<Omit<NextRun, "at" | "pricedAt"> & { at: Date; priced_at: Date }>`
    select line_id as line, datasets, runs_at as at, slices, requests, credits::float8 as credits,
           jsonb_build_object('slices', over_budget_slices, 'credits', over_budget_credits) as "overBudget", priced_at
    from   ops.next_run_price
    where  account = ${account} and runs_at > ${instant(now)}
    order  by runs_at, line_id`.execute(db);
  return rows.map(({ at, priced_at: pricedAt, ...run }) => ({
    ...run,
    at: at.getTime(),
    pricedAt: pricedAt.getTime(),
  }));
}
