import { addKeywords, deleteKeywords } from "../api/operations/dashboard-keyword.ts";
import { wasSentFor } from "../credits/charges.ts";
import { trackedLists } from "../person/tracked-lists.ts";
import { instant, sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Call } from "./gateway-parts.ts";

const changes = [addKeywords, deleteKeywords];
const lists = new Set<string>(trackedLists.map(({ operation }) => operation.id));

/** A request is stored at most this long after its answer was received, since its process waits for the database. */
const storedWithin = "10 minutes";

/** True for a call that changes which keywords the account tracks. */
export function doesChangeKeywords({ operation }: Call): boolean {
  return changes.some(({ id }) => id === operation.id);
}

/** True for a call whose answer says what the account tracks, of an app whose keywords a change is about. */
export function isAbout(change: Call, call: Call): boolean {
  const app = appOf(call);
  return lists.has(call.operation.id) && (app === null || app === appOf(change));
}

/** The app that a call names; null if it names none. */
function appOf({ params: { trackId } }: Call): string | null {
  return typeof trackId === "string" || typeof trackId === "number" ? String(trackId) : null;
}

/**
 * True if the answer to a call was under way while a process of the account changed keywords: the list may be from before the change.
 * What was stored by then is forgotten when the change ends.
 */
export async function wasChangedUnderWay(
  db: Database,
  call: Call,
  { account, sentAt, fetchedAt }: { readonly account: string; readonly sentAt: number; readonly fetchedAt: number },
): Promise<boolean> {
  if (!lists.has(call.operation.id)) return false;
  const app = appOf(call);
  const ofApp = app === null ? sql`` : sql`and q.params ->> 'trackId' = ${app}`;
  const { rows } = await sql<{ changed: boolean }>`
    select exists (
      select from ops.request as q
      where  q.received_at >= ${instant(sentAt)} and q.received_at <= ${instant(fetchedAt)} + ${storedWithin}::interval
      and    q.operation = any (${changes.map(({ id }) => id)}) and ${wasSentFor(account)} ${ofApp}
      -- without a reply, or with one of a server that failed, it may have been made
      and    (q.status is null or q.status = 200 or q.status >= 500)
    ) as changed`.execute(db);
  return rows[0]?.changed === true;
}
