import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Role, Visitor } from "./visitor.ts";

/** What is done: its name, about what, at which price, and when (epoch-ms). */
export type Deed = {
  readonly action: string;
  readonly subject: string;
  readonly credits: number;
  readonly at: number;
};

/** How an action stands or ended. `started`: the run that it started goes on. */
export type DeedOutcome = "started" | "done" | "refused" | "failed";

/** Who does it; nobody who is known at a sign-in that is refused. */
type Actor = Omit<Visitor, "role"> & { readonly role: Role | null };

/** Writes an action before it begins; returns the number of its row. */
export async function recordDeed(
  db: Database,
  { name, role, from, by }: Actor,
  { action, subject, credits, at }: Deed,
): Promise<string> {
  const { rows } = await sql<{ audit_id: string }>`
    insert into ops.audit (acted_at, user_name, user_role, signed_in_by, from_address, action, subject, credits)
    values (${instant(at)}::timestamptz, ${name}, ${role}, ${by}, ${from}, ${action}, ${shortened(subject)}, ${credits})
    returning audit_id`.execute(db);
  return rows[0]?.audit_id ?? "";
}

/** Notes how it ended, with the text that the person saw, or that the run that it started goes on. */
export async function recordOutcome(
  db: Database,
  auditId: string,
  { outcome, note, at }: { readonly outcome: DeedOutcome; readonly note: string; readonly at: number },
): Promise<void> {
  const endedAt = outcome === "started" ? null : instant(at);
  await sql`
    update ops.audit set outcome = ${outcome}, note = ${shortened(note)}, ended_at = ${endedAt}::timestamptz
    where  audit_id = ${auditId}`.execute(db);
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

const longest = 500;

function shortened(text: string): string {
  return text.slice(0, longest).toWellFormed();
}
