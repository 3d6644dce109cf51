import { expect, test } from "vitest";
import { sql } from "../../src/postgres/sql.ts";
import { draft, openLedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openLedgerStage);

const [apps, countries] = [200, 10];

type Node = {
  readonly "Rows Removed by Join Filter"?: number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly Node[];
};

/** Rows that joins compare in vain. */
function comparedIn(node: Node): number {
  const own = (node["Rows Removed by Join Filter"] ?? 0) * node["Actual Loops"];
  return (node.Plans ?? []).reduce((sum, one) => sum + comparedIn(one), own);
}

test("freshness of one app compares no app of the portfolio with all others", async () => {
  await sql`insert into core.dim_app (store, track_id) select 'ios', app::text from generate_series(1, ${apps}::integer) as app`.execute(
    stage.db,
  );
  await sql`
    insert into core.tracked_app (app_key, valid_from, is_current, is_store_account_connected, slice_id, fetched_at)
    select app_key, date '2026-01-01', true, true, 0, timestamptz '2026-01-01' from core.dim_app`.execute(stage.db);
  await sql`
    insert into core.tracked_country (app_key, country_key, valid_from, is_current, keyword_count, slice_id, fetched_at)
    select app_key, country_key, date '2026-01-01', true, 1, 0, timestamptz '2026-01-01'
    from   core.dim_app
    cross  join (select country_key from core.dim_country order by country_code limit ${countries}::integer) as c`.execute(
    stage.db,
  );
  await stage.insert(await stage.run(), draft({ scope: { store: "ios", app: "1", country: "US" } }));
  await sql`analyze core.dim_app, core.tracked_app, core.tracked_country`.execute(stage.db);
  const { rows } = await sql<{ "QUERY PLAN": readonly { readonly Plan: Node }[] }>`
    explain (analyze, format json, timing off) select * from ops.freshness where track_id = '1'`.execute(stage.db);
  const [plan] = rows[0]?.["QUERY PLAN"] ?? [];
  if (plan === undefined) throw new Error("no plan was reported");
  expect(comparedIn(plan.Plan)).toBeLessThan(apps * countries);
});
