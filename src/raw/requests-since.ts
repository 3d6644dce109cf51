import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";

/** Requests of one account, for any of these operations, with these values among their parameters. */
export type RequestsOf = {
  readonly accountId: string;
  readonly operations: readonly { readonly id: string }[];
  readonly params: Readonly<Record<string, string>>;
};

/** The number of the newest request; 0 before the first. */
export async function newestRequest(db: Database): Promise<string> {
  const { rows } = await sql<{ newest: string }>`
    select coalesce(max(request_id), 0)::text as newest from ops.request`.execute(db);
  return rows[0]?.newest ?? "0";
}

/** True if one of these was sent after the request with that number, by any process and with any reply. */
export async function isSentSince(
  db: Database,
  newest: string,
  { accountId, operations, params }: RequestsOf,
): Promise<boolean> {
  const { rows } = await sql`
    select from ops.request
    where  request_id > ${newest}::bigint and account_id = ${accountId}
    and    operation = any (${operations.map(({ id }) => id)}::text[]) and params @> ${JSON.stringify(params)}::jsonb
    limit  1`.execute(db);
  return rows.length > 0;
}
