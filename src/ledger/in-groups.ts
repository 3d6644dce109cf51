import type { PartitionGroup } from "../core/partition-group.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";

/** SQL: whether a slice belongs to one of the groups. `slice` is the name of the relation that has its `dataset` and `scope`. */
export function isInGroups(groups: readonly PartitionGroup[], slice: string): SqlFragment {
  const part = (name: string) => sql`coalesce(${sql.ref(`${slice}.scope`)} ->> ${sql.lit(name)}, '')`;
  const all = (of: (group: PartitionGroup) => string | null) => groups.map((group) => of(group) ?? "");
  return sql`(${sql.ref(`${slice}.dataset`)}, ${part("store")}, ${part("app")}, ${part("country")}) in (
    select * from unnest(${all(({ dataset }) => dataset)}::text[], ${all(({ store }) => store)}::text[],
                         ${all(({ trackId }) => trackId)}::text[], ${all(({ country }) => country)}::text[]))`;
}
