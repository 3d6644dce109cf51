import type { Day } from "../core/day.ts";
import { reportedPrefix, type Scope, type Slice } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { sql, type Queryable } from "../postgres/sql.ts";

/*
 * Figures that answers report for other datasets are trusted, but checked: one of their days is requested anyway. Its reported figures wait
 * in `ops.reported_check` for the answer to that request.
 */

/** A dataset that reports figures of another one, and the account that it reports them to ('' for that of API_TOKEN). */
export type Reporting = { readonly source: string; readonly dataset: string; readonly account: string };

/** Figures of one scope and day that have not been compared yet, by item. */
export type ReportedCheck = Reporting & {
  readonly scope: Scope;
  readonly day: Day;
  readonly figures: Readonly<Record<string, number>>;
};

/** Keeps reported figures until their day has been requested too; newer ones replace those not compared yet. */
export async function noteCheck(db: Database, check: ReportedCheck): Promise<void> {
  const { dataset, scope, day, source, account, figures } = check;
  await sql`
    insert into ops.reported_check (dataset, scope, date_day, source, account, figures)
    values (${dataset}, ${JSON.stringify(scope)}::jsonb, ${day}::date, ${source}, ${account}, ${JSON.stringify(figures)}::jsonb)
    on conflict (dataset, scope, date_day, source, account) do update set figures = excluded.figures`.execute(db);
}

/** The figures that wait for the answers of these slices, each with the place of its slice. */
export async function checksOf(
  db: Database,
  slices: readonly Pick<Slice, "dataset" | "scope" | "window">[],
): Promise<readonly (ReportedCheck & { readonly place: number })[]> {
  const wanted = slices.map(({ dataset, scope, window }, place) => ({ place, dataset, scope, ...window }));
  const { rows } = await sql<ReportedCheck & { place: number }>`
    select w.place, c.dataset, c.scope, c.date_day as day, c.source, c.account, c.figures
    from   jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w (place integer, dataset text, scope jsonb, start date, "end" date)
    join   ops.reported_check as c on c.dataset = w.dataset and c.scope = w.scope and c.date_day >= w.start and c.date_day < w."end"
    where  c.figures <> '{}'
    order  by w.place`.execute(db);
  return rows;
}

/** Takes compared figures off a check, and counts those that differ. */
export async function settleCheck(
  db: Database,
  { dataset, scope, day, source, account }: Omit<ReportedCheck, "figures">,
  { compared, differing }: { readonly compared: readonly string[]; readonly differing: number },
): Promise<void> {
  await sql`
    update ops.reported_check
    set    figures = figures - ${[...compared]}::text[], compared_count = compared_count + ${compared.length}::integer,
           differing_count = differing_count + ${differing}::integer
    where  (dataset, scope, date_day, source, account) = (${dataset}, ${JSON.stringify(scope)}::jsonb, ${day}::date, ${source}, ${account})`.execute(
    db,
  );
}

/** Whether any figure that a dataset reports to an account differed from what a request for it returned. */
export async function hasDiffered(db: Database, { source, dataset, account }: Reporting): Promise<boolean> {
  const { rows } = await sql`
    select from ops.reported_check
    where  dataset = ${dataset} and source = ${source} and account = ${account} and differing_count > 0
    limit  1`.execute(db);
  return rows.length > 0;
}

/**
 * Makes the next plan request the days again that slices with this fingerprint cover for an account: their answers are dated to the first
 * of these days.
 */
export async function requestReportedAgain(
  db: Database,
  { dataset, account }: Reporting,
  fingerprint: string,
): Promise<void> {
  await sql`
    update ops.slice as s
    set    as_of = s.window_start
    from   ops.run as r
    where  r.run_id = s.run_id and r.account = ${account} and s.dataset = ${dataset} and s.fingerprint = ${fingerprint}
    and    s.fingerprint like ${sql.lit(`${reportedPrefix}%`)} -- in the words of the index
    and    s.state in ('loaded', 'empty') and s.as_of > s.window_start`.execute(db);
}

/** What was compared for each dataset, source and account. */
export type CheckSum = Reporting & {
  readonly compared: number;
  readonly differing: number;
  /** The first day with a figure that differs; null if there is none. */
  readonly firstDay: Day | null;
};

/** Sums of all checks that are kept. */
export async function readChecks(db: Queryable): Promise<readonly CheckSum[]> {
  const { rows } = await sql<CheckSum>`
    select dataset, source, account, sum(compared_count)::float8 as compared, sum(differing_count)::float8 as differing,
           min(date_day) filter (where differing_count > 0) as "firstDay"
    from   ops.reported_check
    group  by dataset, source, account
    order  by dataset, source, account`.execute(db);
  return rows;
}

/** Removes checks of days before one that found no difference: differences are kept, since they decide which figures are trusted later. */
export async function dropChecks(db: Queryable, before: Day): Promise<void> {
  await sql`delete from ops.reported_check where date_day < ${before}::date and differing_count = 0`.execute(db);
}
