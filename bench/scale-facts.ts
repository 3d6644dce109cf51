import type pg from "pg";
import { addDays, addMonths, monthStart, type Day } from "../src/core/day.ts";
import { keywordRank } from "../src/datasets/keyword-rank.ts";
import { createPartitions } from "../src/load/partitions.ts";
import { isSummed, rebuildSums } from "../src/load/sums.ts";
import type { Table } from "../src/load/table.ts";
import type { Database } from "../src/postgres/database.ts";
import { firstDayOf, today, type Account } from "./scale-size.ts";

const [ranks] = keywordRank.tables as readonly [Table];

/**
 * Writes one rank per day for every keyword of every app and country of the account, month by month, as a backfill would leave them: sorted
 * by key. For a second device one in fifty is missing, as gaps. Returns the number of rows.
 */
export async function fillFacts(client: pg.Client, db: Database, account: Account): Promise<number> {
  const [first, end] = [firstDayOf(account), addDays(today, -1)];
  let rows = 0;
  for (let month = monthStart(first); month < end; month = addMonths(month, 1)) {
    const next = addMonths(month, 1);
    const [from, until] = [month < first ? first : month, next < end ? next : end];
    await createPartitions(db).cover(ranks, [month]);
    rows += await fillMonth(client, account, from, until);
  }
  if (isSummed(ranks)) await db.transaction().execute((transaction) => rebuildSums(transaction, ranks, {}));
  await client.query("vacuum analyze core.fact_keyword_rank, core.fact_keyword_rank_summary");
  return rows;
}

async function fillMonth(client: pg.Client, { apps, devices = 1 }: Account, from: Day, until: Day): Promise<number> {
  const { rowCount } = await client.query(
    `insert into core.fact_keyword_rank (app_key, date_day, country_key, keyword_key, device_key, rank, observed_at, slice_id, fetched_at)
     select t.app_key, d::date, t.country_key, t.keyword_key, v, nullif((hashint4(t.keyword_key + t.country_key * 7 + (d::date - date '2000-01-01')) & 255), 0),
            d + interval '5 hours', 1, d + interval '28 hours'
     from   core.dim_app as a
     cross  join generate_series($1::timestamp, $2::timestamp - interval '1 day', interval '1 day') as d
     join   core.tracked_keyword as t on t.app_key = a.app_key
     cross  join generate_series(1, $4::int) as v
     where  a.track_id::int - 1000000 < $3 and (v = 1 or (t.keyword_key + extract(doy from d)::int) % 50 > 0)
     order  by 1, 2, 3, 4, 5`,
    [from, until, apps, devices],
  );
  return rowCount ?? 0;
}

/** Bytes of the ranks with their indexes. */
export async function factBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'core.fact_keyword_rank'::regclass`,
  );
  return rows[0]?.bytes ?? 0;
}
