import { sql } from "kysely";
import type { Scope } from "../core/slice.ts";
import type { Database } from "../warehouse/database.ts";

/** A scope of a dataset whose last answer no longer holds; with `fingerprint` only where that answer was asked for under it. */
export type Outdated = { readonly dataset: string; readonly scope: Scope; readonly fingerprint?: string };

/**
 * Makes scopes due again although their last answer is young: what it was asked for under is no longer what is known. One that waits
 * or runs is left alone, since its answer is yet to come.
 */
export async function dueAgain(db: Database, outdated: readonly Outdated[]): Promise<void> {
  await sql`
    update ops.slice as s
    set    fingerprint = 'changed since'
    from   jsonb_to_recordset(${JSON.stringify(outdated)}::jsonb) as o (dataset text, scope jsonb, fingerprint text)
    where  s.slice_id = (select max(l.slice_id) from ops.slice as l
                         where  l.dataset = o.dataset and l.scope = o.scope
                         and    hashtextextended(l.scope::text, 0) = hashtextextended(o.scope::text, 0) and l.state <> 'failed')
    and    s.state in ('loaded', 'empty', 'skipped')
    and    (o.fingerprint is null or s.fingerprint = o.fingerprint)`.execute(db);
}
