import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { Scope } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";

/** A dataset as the program and the configuration define it. */
export type DatasetLine = {
  readonly dataset: string;
  readonly stage: string;
  readonly is_on: boolean;
  /** True if the configuration switches it off: no line of the crontab plans it. */
  readonly is_switched_off: boolean;
  /** True if the items of its slices are apps. */
  readonly items_are_apps: boolean;
  /** Countries that the configuration limits it to; all of the portfolio if left out. */
  readonly countries?: readonly string[] | undefined;
};

/** When a dataset is requested again: for one scope or, if `scope` is null, for all scopes without their own timing. */
export type TimingLine = {
  readonly dataset: string;
  readonly scope: Scope | null;
  readonly kind: "series" | "period" | "snapshot";
  readonly settle_days?: number | undefined;
  readonly lookback_days?: number | undefined;
  readonly history_days?: number | undefined;
  readonly first_day?: Day | undefined;
  readonly pack_days?: number | undefined;
  readonly pack_is_full?: boolean | undefined;
  readonly refresh_days?: number | undefined;
  readonly empty_holds_days?: number | undefined;
  readonly empty_until_days?: number | undefined;
  readonly empty_early_days?: number | undefined;
  readonly keep_months?: number | undefined;
};

/** SQL: a value of the timing `t` by which a slice (`ops.slice as s`) is requested again: the value of its scope or else of its dataset. */
export function ofTiming(value: SqlFragment): SqlFragment {
  return sql`(
  select ${value} from ops.dataset_timing as t
  where  t.dataset = s.dataset and (t.is_default or t.scope = s.scope)
  order  by t.is_default
  limit  1)`;
}

/**
 * Stores the datasets and timings that SQL needs from `today` on; unchanged lines are not written, except once a day for datasets that are
 * switched off. For the datasets in `planned`, the given lines of single scopes replace all lines of the account. Lines of other datasets
 * and accounts stay.
 */
export async function noteDatasets(
  db: Database,
  lines: readonly DatasetLine[],
  timings: readonly TimingLine[],
  { account, planned, today }: { readonly account: string; readonly planned: readonly string[]; readonly today: Day },
): Promise<void> {
  await sql`
    insert into ops.dataset as d (dataset, stage, is_on, is_switched_off, off_from, off_through, items_are_apps, countries)
    select dataset, stage, is_on, is_switched_off, off.day, off.day, items_are_apps, countries
    from   jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as n (dataset text, stage text, is_on boolean, is_switched_off boolean, items_are_apps boolean, countries text[]),
           lateral (select case when is_switched_off then ${today}::date end as day) as off
    order  by dataset
    on conflict (dataset) do update
    set    stage = excluded.stage, is_on = excluded.is_on, is_switched_off = excluded.is_switched_off, items_are_apps = excluded.items_are_apps,
           countries = excluded.countries, off_from = case when d.is_switched_off then d.off_from else coalesce(excluded.off_from, d.off_from) end,
           off_through = greatest(d.off_through, excluded.off_through)
    where  (d.stage, d.is_on, d.is_switched_off, d.off_through, d.items_are_apps, d.countries)
           is distinct from (excluded.stage, excluded.is_on, excluded.is_switched_off, greatest(d.off_through, excluded.off_through), excluded.items_are_apps, excluded.countries)`.execute(
    db,
  );
  // JSON null means all scopes: no scope is null
  const rows = JSON.stringify(
    timings.map((line) => ({ ...line, is_default: line.scope === null, account: line.scope === null ? "" : account })),
  );
  await sql`
    with noted as materialized (
      select * from jsonb_populate_recordset(null::ops.dataset_timing, ${rows}::jsonb)
    ), kept as (
      insert into ops.dataset_timing as t (dataset, scope, ${columns})
      select distinct on (dataset, coalesce(scope, 'null')) dataset, coalesce(scope, 'null'), ${columns}
      from   noted
      order  by dataset, coalesce(scope, 'null')
      on conflict (dataset, scope) do update
      set    (${columns}) = row (${sql.join(columnNames.map((name) => sql`excluded.${sql.id(name)}`))}),
             refresh_since = case when t.refresh_days <> excluded.refresh_days then ${today}::date else t.refresh_since end,
             earlier_refresh_days = case when t.refresh_days <> excluded.refresh_days then t.refresh_days else t.earlier_refresh_days end
      where  (${sql.join(columnNames.map((name) => sql`t.${sql.id(name)}`))})
             is distinct from (${sql.join(columnNames.map((name) => sql`excluded.${sql.id(name)}`))})
    )
    delete from ops.dataset_timing as t
    where  not t.is_default and t.account = ${account} and t.dataset = any (${[...planned]}::text[])
    and    not exists (select from noted as n where n.dataset = t.dataset and n.scope = t.scope)`.execute(db);
}

/** Every field of a line, checked by the types: a missing one would never reach SQL. */
const columnNames = Object.keys({
  is_default: true,
  kind: true,
  settle_days: true,
  lookback_days: true,
  history_days: true,
  first_day: true,
  pack_days: true,
  pack_is_full: true,
  refresh_days: true,
  empty_holds_days: true,
  empty_until_days: true,
  empty_early_days: true,
  keep_months: true,
  account: true,
} satisfies Record<Exclude<keyof TimingLine, "dataset" | "scope"> | "is_default" | "account", true>);
const columns = sql.join(columnNames.map((name) => sql.id(name)));
