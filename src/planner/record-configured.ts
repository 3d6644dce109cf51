import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { storeOf } from "../core/store.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/** The service takes keywords of fewer than 255 characters, and an index holds no text of thousands. */
const longestMember = 500;

/**
 * Records which apps, countries and keywords the configuration lists for an account, as periods: the file says what is listed, but not
 * since when. Unchanged entries are not written; an entry that left and returned on the same day never left.
 */
export async function recordConfigured(db: Database, portfolio: Settings["portfolio"], today: Day): Promise<void> {
  const wanted = JSON.stringify(membersOf(portfolio));
  const account = portfolio.account ?? "";
  // column by column: comparing whole rows would make Postgres compare each row with every other
  const isMember = sql`(m.store, m.track_id, m.part, m.member) = (w.store, w.track_id, w.part, w.member)`;
  await sql`
    with wanted as (
      select distinct * from jsonb_to_recordset(${wanted}::jsonb) as w (store text, track_id text, part text, member text)
    ), gone as (
      update core.configured_portfolio as m set valid_to = greatest(m.valid_from, ${today}::date)
      where  m.valid_to is null and m.account = ${account}
      and    not exists (select from wanted as w where ${isMember})
    ), back as (
      update core.configured_portfolio as m set valid_to = null
      where  m.valid_to = ${today}::date and m.account = ${account} and exists (select from wanted as w where ${isMember})
    )
    insert into core.configured_portfolio (store, track_id, part, member, valid_from, account)
    select w.*, ${today}::date, ${account} from wanted as w
    where  not exists (select from core.configured_portfolio as m
                       where  m.account = ${account} and (m.valid_to is null or m.valid_to = ${today}::date) and ${isMember})
    on     conflict do nothing`.execute(db);
}

function membersOf({ source, apps }: Settings["portfolio"]) {
  if (source === "account") return [];
  return apps.flatMap(({ id, countries, keywords }) => {
    const app = { store: storeOf(id), track_id: id };
    return [
      { ...app, part: "app", member: "" },
      ...countries.map((country) => ({ ...app, part: "country", member: country })),
      ...keywords
        .filter(({ length }) => length <= longestMember)
        .map((keyword) => ({ ...app, part: "keyword", member: keyword })),
    ];
  });
}
