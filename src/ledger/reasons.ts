import type { Day } from "../core/day.ts";
import type { PartitionGroup } from "../core/partition-group.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { isInGroups } from "./in-groups.ts";
import { hasSameList } from "./same-scope.ts";

/** Why slices are not loaded: those of one dataset with one state and error. Days are the first and the last day of the slices. */
export type Reason = {
  readonly dataset: string;
  readonly state: string;
  /** Null for slices that are pending or running: the error of an earlier attempt is no reason. */
  readonly code: string | null;
  /** The text of the newest of them; null for the same slices. */
  readonly message: string | null;
  readonly slices: number;
  readonly firstDay: Day;
  readonly lastDay: Day;
  /** The newest one of them, for `storehouse show`. */
  readonly sliceId: string;
  /** When the first of them is requested again automatically, or starts; null if none is. */
  readonly dueAt: Date | null;
};

/**
 * Why cells of some partitions and days are not loaded: slices that wait, failed, are unavailable or lost, by state and error, except those
 * whose days a newer slice of the same partition and list has answered or will request.
 */
export async function readReasons(
  db: Database,
  { groups, window }: { readonly groups: readonly PartitionGroup[]; readonly window: Window },
): Promise<readonly Reason[]> {
  const { rows } = await sql<Reason>`
    select s.dataset, s.state, e.code, (array_agg(e.message order by s.slice_id desc))[1] as message, count(*)::int as slices,
           min(s.window_start) as "firstDay", max(s.window_end) - 1 as "lastDay", max(s.slice_id) as "sliceId", min(s.due_at) as "dueAt"
    from   ops.slice_log as s
    -- what will be requested again has the error of its last attempt, with a next step that is no longer right
    cross  join lateral (
      select case when s.state not in ('pending', 'running') then s.error_code end as code,
             case when s.state not in ('pending', 'running') then s.error_message end as message) as e
    where  s.state in ('pending', 'running', 'deferred', 'skipped', 'failed', 'lost') and ${isInGroups(groups, "s")}
    and    s.window_start < ${window.end}::date and s.window_end > ${window.start}::date
    and    not exists (select from ops.slice_log as n
                       where  ${hasSameList("n", "s")} and n.window_end >= s.window_end and n.window_start <= s.window_start and n.slice_id > s.slice_id)
    group  by s.dataset, s.state, e.code
    order  by array_position(array['failed', 'lost', 'deferred', 'pending', 'running', 'skipped'], s.state), slices desc, s.dataset, e.code`.execute(
    db,
  );
  return rows;
}
