import { accountWords } from "../config/config-of-account.ts";
import type { Facts } from "./kinds/define-kind.ts";
import { sql, type Queryable } from "../postgres/sql.ts";

/** An incident that is open, of the warehouse or of any of its accounts. */
export type OpenIncident = {
  readonly incidentId: string;
  readonly kind: string;
  readonly subject: string;
  /** The account with the problem, empty for that of API_TOKEN; null if the problem is in the warehouse. */
  readonly account: string | null;
  readonly summary: string;
  readonly facts: Facts;
  readonly openedAt: Date;
};

/** The open incidents, the oldest first. */
export async function readOpenIncidents(db: Queryable): Promise<readonly OpenIncident[]> {
  const { rows } = await sql<OpenIncident>`
    select incident_id as "incidentId", kind, subject, account, summary, detail as facts, opened_at as "openedAt"
    from   ops.incident_log
    where  is_open
    order  by incident_id`.execute(db);
  return rows;
}

/** The text of an incident, with the account first if that is not `own`. */
export function incidentText({ account, summary }: OpenIncident, own: string): string {
  return account === null ? summary : textOfAccount(account, own, summary);
}

/** A text about an account, with the account first if that is not `own`. */
export function textOfAccount(account: string, own: string, text: string): string {
  return account === own ? text : `Of ${accountWords(account)}: ${withCommandsOf(account, text)}`;
}

/** A command, in backticks, about an account, as it is typed in a process of the account `own`. */
export function commandOf(account: string, own: string, command: string): string {
  if (account === own) return command;
  return account === "" ? `${command} without STOREHOUSE_ACCOUNT` : withCommandsOf(account, command);
}

/** Adds the account to the commands in a text: as written they would be about the account of API_TOKEN. */
export function withCommandsOf(account: string | null, text: string): string {
  return account === null || account === ""
    ? text
    : text.replaceAll("`storehouse ", `\`STOREHOUSE_ACCOUNT=${account} storehouse `);
}
