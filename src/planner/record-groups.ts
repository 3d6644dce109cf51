import type { Settings } from "../config/settings.ts";
import { storeOf } from "../core/store.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

type Groups = Settings["portfolio"]["groups"];

/** Copies the groups of the configuration to the warehouse, for marts; unchanged ones are not written. */
export async function recordGroups(db: Database, { apps, keywords }: Groups): Promise<void> {
  const listed = membersOf(apps).map(({ group, member }) => ({
    group_name: group,
    store: storeOf(member),
    track_id: member,
  }));
  const words = membersOf(keywords).map(({ group, member }) => ({ group_name: group, keyword: member }));
  await sql`
    with wanted as (
      select distinct * from jsonb_to_recordset(${JSON.stringify(listed)}::jsonb) as w (group_name text, store text, track_id text)
    ), gone as (
      delete from core.grouped_app as g where not exists (select from wanted as w where (w.group_name, w.store, w.track_id) = (g.group_name, g.store, g.track_id)))
    insert into core.grouped_app select * from wanted on conflict do nothing`.execute(db);
  await sql`
    with wanted as (
      select distinct * from jsonb_to_recordset(${JSON.stringify(words)}::jsonb) as w (group_name text, keyword text)
    ), gone as (
      delete from core.grouped_keyword as g where not exists (select from wanted as w where (w.group_name, w.keyword) = (g.group_name, g.keyword)))
    insert into core.grouped_keyword select * from wanted on conflict do nothing`.execute(db);
}

function membersOf(groups: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(groups).flatMap(([group, members]) => members.map((member) => ({ group, member })));
}
