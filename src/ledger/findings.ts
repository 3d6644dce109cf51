import { isMissingRight, isOutOfRoom } from "../postgres/database-errors.ts";
import { instant, sql, type Queryable } from "../postgres/sql.ts";

/** Something that a process found and that a person should know about: an incident while it is open. */
export type Finding = {
  /** A kind of incident (src/incidents/kinds). */
  readonly kind: string;
  /** What it is about; empty if the kind is enough. */
  readonly subject: string;
  /** The account that it is about; empty if it is about the warehouse. */
  readonly accountId: string;
  /** Figures, as the kind names them. */
  readonly facts: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
};

/** Writes a finding, or renews it. It stays open for `forMs` or, if that is null, until it is ended. `now`: epoch-ms. */
export async function raiseFinding(
  db: Queryable,
  { kind, subject, accountId, facts }: Finding,
  { now, forMs }: { readonly now: number; readonly forMs: number | null },
): Promise<void> {
  const until = forMs === null ? sql`null::timestamptz` : instant(now + forMs);
  await sql`
    insert into ops.finding as f (kind, subject, account_id, facts, found_at, stands_until)
    values (${kind}, ${subject}, ${accountId}, ${JSON.stringify(facts)}::jsonb, ${instant(now)}, ${until})
    on conflict (kind, subject, account_id) do update
    set facts = excluded.facts, stands_until = excluded.stands_until,
        found_at = case when f.stands_until <= excluded.found_at then excluded.found_at
                        else least(f.found_at, excluded.found_at) end`.execute(db);
}

/** Writes a finding that opens after `afterMs` unless it is ended before. One that is open, or opens earlier, is only renewed. `now`: epoch-ms. */
export async function raiseFindingLater(
  db: Queryable,
  { kind, subject, accountId, facts }: Finding,
  { now, afterMs, forMs }: { readonly now: number; readonly afterMs: number; readonly forMs: number },
): Promise<void> {
  const isOver = sql`f.stands_until <= ${instant(now)}`;
  await sql`
    insert into ops.finding as f (kind, subject, account_id, facts, found_at, stands_until)
    values (${kind}, ${subject}, ${accountId}, ${JSON.stringify(facts)}::jsonb, ${instant(now + afterMs)}, ${instant(now + forMs)})
    on conflict (kind, subject, account_id) do update
    set stands_until = excluded.stands_until,
        facts = case when ${isOver} then excluded.facts else f.facts end,
        found_at = case when ${isOver} then excluded.found_at else f.found_at end`.execute(db);
}

/** Ends a finding. `now`: epoch-ms. */
export async function endFinding(
  db: Queryable,
  { kind, subject, accountId }: Pick<Finding, "kind" | "subject" | "accountId">,
  now: number,
): Promise<void> {
  await sql`
    update ops.finding set stands_until = ${instant(now)}
    where  kind = ${kind} and subject = ${subject} and account_id = ${accountId}`.execute(db);
}

/** The finding of a failed task of the crontab. */
export function taskFinding(task: string): Omit<Finding, "facts"> {
  return { kind: "task_failed", subject: task, accountId: "" };
}

/** Notes that a person's command did the work of a task of the crontab. A role or a database that may not write leaves this to the task. */
export async function noteTaskDone(db: Queryable, task: string, now: number): Promise<void> {
  try {
    await endFinding(db, taskFinding(task), now);
  } catch (error) {
    if (!isMissingRight(error) && !isOutOfRoom(error)) throw error;
  }
}

/** The open findings, oldest first. */
export async function readFindings(
  db: Queryable,
  now: number,
): Promise<readonly (Finding & { readonly foundAt: Date })[]> {
  const { rows } = await sql<Finding & { foundAt: Date }>`
    select kind, subject, account_id as "accountId", facts, found_at as "foundAt"
    from   ops.finding
    where  found_at <= ${instant(now)} and (stands_until is null or stands_until > ${instant(now)})
    order  by found_at, kind, subject`.execute(db);
  return rows;
}
