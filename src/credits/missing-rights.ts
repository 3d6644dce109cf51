import { sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import { isRecentStop } from "./account-stop.ts";

/** What the API refuses to accounts, by their names. */
export type MissingRights = {
  /** Accounts whose balance check is refused: they can request nothing. */
  readonly refused: ReadonlySet<string>;
  /** Operations that were refused less than a day ago, each with the organisation or app, if any. */
  readonly operations: readonly MissingRight[];
};

type MissingRight = { readonly account: string; readonly operation: string; readonly subject: string };

/**
 * Reads what the API refuses to accounts. A token does not count once another one of its account has been accepted after the refusal:
 * nothing would lift its stop. `balanceCheck`: the operation of balance checks.
 */
export async function readMissingRights(db: Queryable, balanceCheck: string): Promise<MissingRights> {
  // commands and callers of the gateway are about no dataset either
  const { rows } = await sql<MissingRight & { isWhole: boolean }>`
    select c.account, a.operation, a.subject, a.operation = ${balanceCheck} and a.lifted_at is null as "isWhole"
    from   ops.account_stop   as a
    join   ops.credit_account as c using (account_id)
    where  ${isRecentStop}
    and    not exists (select from ops.credit_account as o
                       where  o.account = c.account and o.account_id <> c.account_id and o.observed_at > a.stopped_at)`.execute(
    db,
  );
  return {
    refused: new Set(rows.flatMap(({ account, isWhole }) => (isWhole ? [account] : []))),
    operations: rows.map(({ account, operation, subject }) => ({ account, operation, subject })),
  };
}

/**
 * SQL: true for a slice `s` whose operation is refused to this account. A right to facts of apps comes with the operation, whichever app
 * was refused; a right to an organisation is of that one alone.
 */
export function lacksRight({ operations }: MissingRights, account: SqlFragment): SqlFragment<boolean> {
  return sql<boolean>`exists (
    select from jsonb_to_recordset(${JSON.stringify(operations)}::jsonb) as m (account text, operation text, subject text)
    where  m.account = ${account} and m.operation = s.operation
    and    (s.scope ->> 'org_id' is null or m.subject in ('', s.scope ->> 'org_id')))`;
}
