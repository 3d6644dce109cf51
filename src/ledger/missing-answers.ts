import { sql } from "kysely";
import type { Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../warehouse/database.ts";
import { goneBefore } from "./dropped-months.ts";

/** Slices whose answer was loaded and is stored no more, and the first and last day that they stand for. */
export type MissingAnswers = { readonly slices: number; readonly from: Day | null; readonly to: Day | null };

/** Counts the loaded slices of a dataset whose answers were pruned; only windows that touch `within`, and not those whose days were dropped. An answer without a body was never stored. */
export async function missingAnswers(db: Database, dataset: string, within: Partial<Window>): Promise<MissingAnswers> {
  const { rows } = await sql<MissingAnswers>`
    select count(*)::float8 as slices, min(s.window_start) as "from", max(s.window_end - 1) as "to"
    from   ops.slice as s
    where  s.dataset = ${dataset} and s.state in ('loaded', 'empty') and s.error_code is null
    and    s.window_end > ${within.start ?? "-infinity"}::date and s.window_start < ${within.end ?? "infinity"}::date
    and    coalesce(${goneBefore}, date '-infinity') < s.window_end
    and    not exists (select from raw.answer as a where a.slice_id = s.slice_id)`.execute(db);
  return rows[0] ?? { slices: 0, from: null, to: null };
}
