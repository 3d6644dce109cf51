import { appNamed } from "../postgres/app-named.ts";
import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { NamedScopes } from "../core/partition-group.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/**
 * True if other accounts of the warehouse have apps or countries (only the named ones, if any are named) that this process's account lacks:
 * marts show them, but its coverage does not.
 */
export async function doOtherAccountsHaveMore(
  db: Database,
  { apps, countries }: NamedScopes,
  settings: Pick<Settings, "portfolio">,
): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    with place as (
      select n.account, a.store, a.track_id, c.country_code
      from   core.tracked_country as n
      join   core.tracked_app as t on t.app_key = n.app_key and t.account = n.account and t.valid_to is null
      join   core.dim_app     as a on a.app_key = n.app_key
      join   core.dim_country as c on c.country_key = n.country_key
      where  n.valid_to is null
      union  all
      select o.account, o.store, o.track_id, o.member from core.configured_portfolio as o where o.part = 'country' and o.valid_to is null
    )
    select exists (
      select from place as p
      where  p.account <> ${accountOf(settings)}
      and    (${apps.length === 0} or ${appNamed(apps, { store: sql`p.store`, trackId: sql`p.track_id` })})
      and    (${countries.length === 0} or p.country_code = any (${countries.map((one) => one.toUpperCase())}::text[]))
      and    not exists (
        select from place as o
        where  o.account = ${accountOf(settings)} and o.store = p.store and o.track_id = p.track_id and o.country_code = p.country_code)) as more`.execute(
    db,
  );
  return rows[0]?.more === true;
}
