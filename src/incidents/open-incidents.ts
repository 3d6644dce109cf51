import { sql, type Queryable } from "../postgres/sql.ts";

/** An incident that is open. */
export type OpenIncident = {
  readonly incidentId: string;
  readonly kind: string;
  readonly subject: string;
  readonly summary: string;
  readonly openedAt: Date;
};

/** The open incidents, the oldest first. */
export async function readOpenIncidents(db: Queryable): Promise<readonly OpenIncident[]> {
  const { rows } = await sql<OpenIncident>`
    select incident_id as "incidentId", kind, subject, summary, opened_at as "openedAt"
    from   ops.incident_log
    where  is_open
    order  by incident_id`.execute(db);
  return rows;
}
