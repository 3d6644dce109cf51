import { accountWords } from "../config/config-of-account.ts";
import { sql, type Queryable } from "../postgres/sql.ts";

/** An incident that is open, of the warehouse or of any of its accounts. */
export type OpenIncident = {
  readonly incidentId: string;
  readonly kind: string;
  readonly subject: string;
  /** Account with the problem, empty for that of API_TOKEN; null where it is in the warehouse. */
  readonly account: string | null;
  readonly summary: string;
  readonly openedAt: Date;
};

/** The open incidents, the oldest first. */
export async function readOpenIncidents(db: Queryable): Promise<readonly OpenIncident[]> {
  const { rows } = await sql<OpenIncident>`
    select incident_id as "incidentId", kind, subject, account, summary, opened_at as "openedAt"
    from   ops.incident_log
    where  is_open
    order  by incident_id`.execute(db);
  return rows;
}

/** Its text, with the account first where that is another one than `own`. */
export function incidentText({ account, summary }: OpenIncident, own: string): string {
  return account === null || account === own
    ? summary
    : `Of ${accountWords(account)}: ${withCommandsOf(account, summary)}`;
}

/** A text whose commands are those of an account: typed as they stand they would be about that of API_TOKEN. */
export function withCommandsOf(account: string | null, text: string): string {
  return account === null || account === ""
    ? text
    : text.replaceAll("`storehouse ", `\`STOREHOUSE_ACCOUNT=${account} storehouse `);
}
