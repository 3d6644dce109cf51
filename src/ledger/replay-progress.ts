import { sql } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";

/** Identifies a replay: its days, how it treats pruned answers, and the digest of the program that reads them. */
export type ReplayKey = { readonly within: Partial<Window>; readonly keepPruned: boolean; readonly program: string };

/** How far an interrupted replay of a dataset came: the day before which everything is rebuilt, null if all of it is. */
export type ReplayProgress = { readonly rebuiltTo: Day | null };

/** How far an earlier, interrupted replay of the same kind came; null if there was none. */
export async function replayProgress(db: Database, dataset: string, key: ReplayKey): Promise<ReplayProgress | null> {
  const { rows } = await sql<ReplayProgress>`
    select nullif(rebuilt_to, 'infinity') as "rebuiltTo"
    from   ops.replay
    where  dataset = ${dataset} and keep_pruned = ${key.keepPruned} and program = ${key.program}
    and    within_start is not distinct from ${key.within.start ?? null}::date
    and    within_end is not distinct from ${key.within.end ?? null}::date`.execute(db);
  return rows[0] ?? null;
}

/** Notes how far a replay came; `rebuiltTo` is null if all of the dataset is rebuilt. To be called in the transaction that rebuilds. */
export async function noteReplay(
  transaction: Database,
  dataset: string,
  { key, rebuiltTo }: { readonly key: ReplayKey; readonly rebuiltTo: Day | null },
): Promise<void> {
  await sql`
    insert into ops.replay (dataset, within_start, within_end, keep_pruned, program, rebuilt_to)
    values (${dataset}, ${key.within.start ?? null}, ${key.within.end ?? null}, ${key.keepPruned}, ${key.program},
            ${rebuiltTo ?? "infinity"}::date)
    on conflict (dataset) do update
    set within_start = excluded.within_start, within_end = excluded.within_end, keep_pruned = excluded.keep_pruned,
        program = excluded.program, rebuilt_to = excluded.rebuilt_to`.execute(transaction);
}

/** Deletes the recorded progress of replays of datasets. */
export async function forgetReplays(db: Database, datasets: readonly string[]): Promise<void> {
  await sql`delete from ops.replay where dataset = any (${[...datasets]}::text[])`.execute(db);
}

/** Days at which a dataset can be cut, each the first of a month: no window of a slice crosses one. In order. */
export async function cutDaysOf(db: Database, dataset: string, within: Partial<Window>): Promise<readonly Day[]> {
  const { rows } = await sql<{ day: Day }>`
    with started as (
      select window_start, max(window_end) as window_end
      from   ops.slice
      where  dataset = ${dataset}
      and    window_end > ${within.start ?? "-infinity"}::date and window_start < ${within.end ?? "infinity"}::date
      group  by window_start
    ), reached as (
      select window_start, max(window_end) over (order by window_start rows between unbounded preceding and 1 preceding) as until
      from   started
    )
    select distinct on (date_trunc('month', window_start)) window_start as day
    from   reached
    where  until <= window_start and window_start > ${within.start ?? "-infinity"}::date
    order  by date_trunc('month', window_start), window_start`.execute(db);
  return rows.map(({ day }) => day);
}
