import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Visitor } from "./visitor.ts";

/** What was done: its name, about what, and at which price. */
export type Deed = { readonly action: string; readonly subject: string; readonly credits: number };

/** How an action ended. */
export type DeedOutcome = "done" | "refused" | "failed";

/** Writes an action before it begins; returns the number of its row. */
export async function recordDeed(
  db: Database,
  { name, role, from }: Visitor,
  { action, subject, credits }: Deed,
  now: number,
): Promise<string> {
  const { rows } = await sql<{ audit_id: string }>`
    insert into ops.audit (acted_at, user_name, user_role, from_address, action, subject, credits)
    values (${new Date(now).toISOString()}::timestamptz, ${name}, ${role}, ${from}, ${action}, ${subject.slice(0, 500).toWellFormed()}, ${credits})
    returning audit_id`.execute(db);
  return rows[0]?.audit_id ?? "";
}

/** Notes how it ended: with the text that the person saw. */
export async function recordOutcome(
  db: Database,
  auditId: string,
  { outcome, note }: { readonly outcome: DeedOutcome; readonly note: string },
): Promise<void> {
  await sql`update ops.audit set outcome = ${outcome}, note = ${note.slice(0, 500).toWellFormed()} where audit_id = ${auditId}`.execute(
    db,
  );
}
