import { instant, sql, type Queryable } from "../postgres/sql.ts";

/** What a person agrees to: these datasets (everything that is on if none is named), and the price that was shown. */
export type Agreement = {
  readonly accountId: string;
  readonly datasets: readonly string[];
  readonly credits: number;
  readonly by: "terminal" | "--yes";
};

/** Everything that is on, also what a line of the crontab or a command names, as a dataset of ops.agreement. */
const everything = "";

/** What people have agreed to fetch for an account: everything that is on or named, or these datasets. */
export type AgreedDatasets = "everything" | ReadonlySet<string>;

/** Reads what people have agreed to fetch for an account; an empty set if there is no agreement. */
export async function readAgreed(db: Queryable, accountId: string): Promise<AgreedDatasets> {
  const { rows } = await sql<{ dataset: string }>`
    select dataset from ops.agreement where account_id = ${accountId}`.execute(db);
  const agreed = new Set(rows.map(({ dataset }) => dataset));
  return agreed.has(everything) ? "everything" : agreed;
}

/** True if a person has agreed to fetch these datasets for an account, or everything that is on if none is named. */
export async function isAgreed(
  db: Queryable,
  { accountId, datasets }: Pick<Agreement, "accountId" | "datasets">,
): Promise<boolean> {
  const agreed = await readAgreed(db, accountId);
  return agreed === "everything" || (datasets.length > 0 && datasets.every((name) => agreed.has(name)));
}

/** True if a person has agreed to anything for an account after an instant (epoch-ms). */
export async function wasAgreedSince(db: Queryable, accountId: string, since: number): Promise<boolean> {
  const { rows } = await sql`
    select from ops.agreement where account_id = ${accountId} and agreed_at > ${instant(since)} limit 1`.execute(db);
  return rows.length > 0;
}

/** Records an agreement; the newest price counts. */
export async function recordAgreement(
  db: Queryable,
  { accountId, datasets, credits, by }: Agreement,
  now: number,
): Promise<void> {
  const names = datasets.length === 0 ? [everything] : [...new Set(datasets)].sort();
  await sql`
    insert into ops.agreement (account_id, dataset, credits, agreed_at, agreed_by)
    select ${accountId}, name, ${credits}, ${new Date(now)}, ${by} from unnest(${names}::text[]) as name
    on conflict (account_id, dataset) do update
    set    credits = excluded.credits, agreed_at = excluded.agreed_at, agreed_by = excluded.agreed_by`.execute(db);
}
