import type { App } from "../app.ts";
import { loggedText } from "../core/errors.ts";
import { isAlive } from "../ledger/workers.ts";
import { sql, instant } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Role, Visitor } from "./visitor.ts";

/** An action: its name, subject and price, and when it is done (epoch-ms). */
export type AuditEntry = {
  readonly action: string;
  readonly subject: string;
  readonly credits: number;
  readonly at: number;
};

/** The state or outcome of an action. `started`: the run that it started continues. */
export type AuditOutcome = "started" | "done" | "refused" | "failed";

/** Who does it; unknown at a refused sign-in. */
export type Actor = Omit<Visitor, "role"> & { readonly role: Role | null };

/** Writes an action before it begins; returns the number of its row. */
export async function recordAudit(
  db: Database,
  { name, role, from, by }: Actor,
  { action, subject, credits, at }: AuditEntry,
): Promise<string> {
  const { rows } = await sql<{ audit_id: string }>`
    insert into ops.audit (acted_at, user_name, user_role, signed_in_by, from_address, action, subject, credits)
    values (${instant(at)}, ${name}, ${role}, ${by}, ${from}, ${action}, ${shortened(subject, longest.subject)}, ${credits})
    returning audit_id`.execute(db);
  return rows[0]?.audit_id ?? "";
}

/** Records how it ended, with the text that the person saw, or that its run continues. */
export async function recordOutcome(
  db: Database,
  auditId: string,
  { outcome, note, at }: { readonly outcome: AuditOutcome; readonly note: string; readonly at: number },
): Promise<void> {
  const endedAt = instant(outcome === "started" ? null : at);
  await sql`
    update ops.audit set outcome = ${outcome}, note = ${shortened(note, longest.note)}, ended_at = ${endedAt}
    where  audit_id = ${auditId}`.execute(db);
}

/** Records an action that is over at once, has no subject and costs nothing. */
export async function recordAtOnce(
  db: Database,
  actor: Actor,
  {
    action,
    ...end
  }: { readonly action: string; readonly outcome: AuditOutcome; readonly note: string; readonly at: number },
): Promise<void> {
  const auditId = await recordAudit(db, actor, { action, subject: "", credits: 0, at: end.at });
  await recordOutcome(db, auditId, end);
}

/**
 * Waits for a record. If it cannot be written, that goes into the log: it must not hide another error, nor make an action that was carried
 * out count as failed.
 */
export async function tryRecord({ log, hide }: Pick<App, "log" | "hide">, record: Promise<void>): Promise<void> {
  await record.catch((error: unknown) => log.error({ problem: loggedText(error, hide) }, "console.not_recorded"));
}

/** Records which run an action started. */
export async function recordRun(db: Database, auditId: string, runId: string): Promise<void> {
  await sql`update ops.audit set run_id = ${runId} where audit_id = ${auditId}`.execute(db);
}

/**
 * Ends actions whose process did not record their end, with the outcome of their run, or as failed if the run was broken off. An action
 * without a run stays open for a day, since another console may be working on it.
 */
export async function settleAudit(db: Database, now: number): Promise<void> {
  await sql`
    update ops.audit as a
    set    outcome  = case when r.outcome in ('loaded', 'deferred', 'interrupted') then 'done' else 'failed' end,
           note     = case when r.run_id is null then 'Its process did not record how it ended.'
                           when r.ended_at is null then format('Its process no longer runs: workers continue with the rest of run %s.', r.run_id)
                           else format('Run %s ended as %s.', r.run_id, r.outcome) end,
           ended_at = coalesce(r.ended_at, ${instant(now)})
    from   ops.audit as o
    left   join ops.run as r on r.run_id = o.run_id
    where  o.audit_id = a.audit_id and a.outcome in ('begun', 'started')
    and    case when r.run_id is null then a.acted_at < ${instant(now)} - interval '1 day'
                else r.ended_at is not null or not ${isAlive(sql`r.worker_id`)} end`.execute(db);
}

/** A subject may hold thousands of keywords, which are recorded nowhere else. */
const longest = { subject: 200_000, note: 500 } as const;

function shortened(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
