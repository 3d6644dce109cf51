import type { Stage } from "./ingest-stage.ts";

/** How each key of a dimension is spelled out, and where from. */
const spelled = {
  app_key: { join: "core.dim_app as a using (app_key)", name: "a.store || ':' || a.track_id" },
  competitor_app_key: {
    join: "core.dim_app as r on r.app_key = t.competitor_app_key",
    name: "r.store || ':' || r.track_id",
  },
  country_key: { join: "core.dim_country as c using (country_key)", name: "c.country_code" },
  keyword_key: { join: "core.dim_keyword as k using (keyword_key)", name: "k.keyword" },
  device_key: { join: "core.dim_device as d using (device_key)", name: "d.device_code" },
} as const;

/** Tables that hold data of the API, by schema and name; partitions and the dimensions that migrations fill are left out. */
export async function tablesOf(stage: Pick<Stage, "query">): Promise<string[]> {
  const rows = await stage.query<{ name: string }>(`
    select 'core.' || c.relname as name
    from   pg_class as c
    where  c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and    c.relname not in ('dim_country', 'dim_device', 'dim_date')
    order  by 1`);
  return rows.map((row) => row.name);
}

/**
 * Every row of every table in core as sorted texts by table: keys of dimensions spelled out, and without what shows only who
 * wrote a row and when (`without`). Two warehouses that hold the same facts are equal here.
 */
export async function factsOf(
  stage: Pick<Stage, "query">,
  without: readonly string[] = ["slice_id", "fetched_at"],
): Promise<Record<string, string[]>> {
  const names = await tablesOf(stage);
  return { ...Object.fromEntries(names.map((name) => [name, []])), ...(await factsIn(stage, names, without)) };
}

/** The rows of these tables, as `factsOf` has them; of a table without rows nothing. */
export async function factsIn(
  stage: Pick<Stage, "query">,
  names: readonly string[],
  without: readonly string[] = ["slice_id", "fetched_at"],
): Promise<Record<string, string[]>> {
  // most tables hold nothing, and reading each costs more than looking into all of them at once
  const filled = await stage.query<{ name: string; columns: string[] }>(
    `select f.name, array(select attname::text from pg_attribute
                          where attrelid = f.name::regclass and attnum > 0 and not attisdropped) as columns
     from   (${names.map((name) => `select '${name}' as name where exists (select from ${name})`).join(" union all ")}) as f`,
  );
  const facts: Record<string, string[]> = {};
  for (const { name, columns } of filled) facts[name] = await rowsOf(stage, { name, columns, without });
  return facts;
}

async function rowsOf(
  stage: Pick<Stage, "query">,
  table: { readonly name: string; readonly columns: readonly string[]; readonly without: readonly string[] },
): Promise<string[]> {
  const own = table.name.replace("core.dim_", "");
  const keys = table.columns.filter((name): name is keyof typeof spelled => name in spelled && name !== `${own}_key`);
  const joins = keys.map((key) => `left join ${spelled[key].join}`).join(" ");
  const names = keys.map((key) => `'${key}', ${spelled[key].name}`).join(", ");
  const rows = await stage.query<{ row: string }>(
    `select (to_jsonb(t) - $1::text[] || jsonb_build_object(${names}))::text as row
    from   ${table.name} as t ${joins}`,
    [[...table.without, `${own}_key`]],
  );
  return rows.map(({ row }) => row).sort();
}

/**
 * How many rows every table in core has, and a digest of the version of each: equal before and after when nothing was written. Locks of
 * rows are left out: Postgres clears them away whenever it likes.
 */
export async function versionsOf(stage: Pick<Stage, "query">): Promise<Record<string, string>> {
  const each = (await tablesOf(stage)).map(
    (name) => `
      select '${name}' as name, concat_ws(' ', count(*), sum(hashtextextended(concat_ws(' ', tableoid, ctid, xmin), 0))) as versions
      from   ${name}`,
  );
  const rows = await stage.query<{ name: string; versions: string }>(each.join(" union all "));
  return Object.fromEntries(rows.map(({ name, versions }) => [name, versions]));
}

/** Slices by state, for instance `{ loaded: 12, empty: 1 }`. */
export async function statesOf(stage: Pick<Stage, "query">): Promise<Record<string, number>> {
  const rows = await stage.query<{ state: string; count: number }>(
    "select state, count(*)::int as count from ops.slice group by state order by state",
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** The number of the newest run. */
export async function lastRunOf(stage: Pick<Stage, "query">): Promise<string> {
  const [row] = await stage.query<{ run: string }>("select coalesce(max(run_id), 0)::text as run from ops.run");
  return row?.run ?? "0";
}

/**
 * A run after the one named has planned, and nothing is queued or under way. Of one moment: between two questions a plan may end, whose
 * slices the first did not see and whose job the second does not see any more.
 */
export async function isIdleAfter(stage: Pick<Stage, "query">, run: string): Promise<boolean> {
  const [row] = await stage.query<{ idle: boolean }>(
    `select exists (select from ops.run where run_id > $1 and ended_at is not null)
        and not exists (select from graphile_worker.jobs)
        and not exists (select from ops.slice where state in ('pending', 'running')) as idle`,
    [run],
  );
  return row?.idle === true;
}
