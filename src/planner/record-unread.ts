import { accountOf } from "../config/config-of-account.ts";
import { usesTrackedApps, type Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { isGivenUp } from "../ledger/workers.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/**
 * Records since when the lists of accounts are no longer read. This is the account of the settings if its portfolio is only configured.
 * With the account of API_TOKEN, which alone knows all accounts, it is also each account that the configuration no longer has and that no
 * process has worked with for a day: it may have a separate configuration. What they track stays as last read.
 */
export async function recordUnread(db: Database, settings: Settings, today: Day): Promise<void> {
  const account = accountOf(settings);
  const configured = account === "" ? Object.keys(settings.accounts) : null;
  const isRead = usesTrackedApps(settings);
  await sql`
    with listed as (
      select distinct t.account, t.account <> ${account} or not ${isRead}::boolean as is_unread
      from   core.tracked_app as t
      where  t.account = ${account}
      or     t.account <> '' and t.account <> all (${configured}::text[])
             and ${isGivenUp(sql`t.account`)}
    )
    insert into ops.unread_account as u (account, unread_since)
    select l.account, ${today}::date from listed as l
    where  l.is_unread
    on conflict (account) do update set unread_since = excluded.unread_since where u.unread_since is null`.execute(db);
  if (!isRead) return;
  await sql`
    update ops.unread_account set unread_since = null where account = ${account} and unread_since is not null`.execute(
    db,
  );
}
