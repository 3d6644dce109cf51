import { titleOf } from "./kinds.ts";
import { cut, minuteOf } from "../core/words.ts";
import { sumBy } from "../core/sum.ts";
import { withCommandsOf } from "./open-incidents.ts";

/** An incident, as a message reports it. */
export type Incident = {
  readonly incidentId: string;
  readonly kind: string;
  readonly subject: string;
  /** The account with the problem, empty for that of API_TOKEN; null if the problem is in the warehouse. */
  readonly account: string | null;
  readonly summary: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly openedAt: Date;
  /** Null while it is open. */
  readonly closedAt: Date | null;
};

/** One firing of an alert, as a message reports it. */
export type FiredAlert = {
  readonly alertFireId: string;
  readonly alertName: string;
  readonly mart: string;
  readonly summary: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly day: string;
  /** The earlier day that it was compared with; null if there was none. */
  readonly comparedDay: string | null;
  readonly firedAt: Date;
};

/** How many incidents and alerts a message is about, including those that it does not list. */
type MessageCounts = {
  readonly opened: number;
  readonly stillOpen: number;
  readonly closed: number;
  readonly alerts: number;
};

/** One message: the incidents that opened, that have been open since an earlier message, and that closed, and the firings of alerts. */
export type Message = {
  readonly opened: readonly Incident[];
  readonly stillOpen: readonly Incident[];
  readonly closed: readonly Incident[];
  readonly alerts: readonly FiredAlert[];
  readonly counts: MessageCounts;
  /** Epoch-ms. */
  readonly sentAt: number;
  /** True for a test of the webhook. */
  readonly isTest: boolean;
};

/** The entry of a message about one incident, or about all firings of one alert: a heading with the change, and its sentences. */
export type Entry = {
  readonly is: "opened" | "still open" | "closed" | "alert";
  readonly heading: string;
  readonly text: string;
};

const longestText = 600;

/** The incidents and alerts of a message for people, with a maximum number of entries, and how many no entry shows. */
export function entriesOf(
  message: Message,
  most: number,
): { readonly entries: readonly Entry[]; readonly more: number } {
  const { opened, stillOpen, closed, alerts, counts } = message;
  const shown = [
    ...[...opened.map(openedEntry), ...stillOpen.map(stillOpenEntry), ...closed.map(closedEntry)].map((entry) => ({
      entry,
      about: 1,
    })),
    ...[...Map.groupBy(alerts, ({ alertName }) => alertName)].map(([name, fired]) => alertEntry(name, fired)),
  ].slice(0, most);
  return {
    entries: shown.map(({ entry }) => entry),
    more: total(counts) - sumBy(shown, ({ about }) => about),
  };
}

/** Where to see the incidents and alerts that a message leaves out. */
export function moreWords(more: number): string {
  return `and ${more} more; \`storehouse doctor\` counts incidents and ops.incident_log lists them, ops.alert_log lists alerts`;
}

function openedEntry(incident: Incident): Entry {
  return { is: "opened", heading: nameOf(incident), text: textOf(incident) };
}

function stillOpenEntry(incident: Incident): Entry {
  const heading = `Still open since ${minuteOf(incident.openedAt)}: ${nameOf(incident)}`;
  return { is: "still open", heading, text: textOf(incident) };
}

function closedEntry(incident: Incident): Entry {
  const { subject, openedAt, closedAt } = incident;
  const period = `${minuteOf(openedAt)}${closedAt === null ? "" : ` to ${minuteOf(closedAt)}`}`;
  const text = `${subject === "" ? "Open" : `${cut(subject, longestText)}, open`} from ${period}`;
  return { is: "closed", heading: `Closed: ${nameOf(incident)}`, text };
}

/** The title of the problem, with the account if that is not the one of API_TOKEN. */
function nameOf({ kind, account }: Pick<Incident, "kind" | "account">): string {
  return account === null || account === "" ? titleOf(kind) : `${titleOf(kind)}, account ${account}`;
}

function textOf({ account, summary }: Incident): string {
  return cut(withCommandsOf(account, summary), longestText);
}

/** As many firings of an alert as fit, one per line, and how many these are. */
function alertEntry(name: string, fired: readonly FiredAlert[]): { readonly entry: Entry; readonly about: number } {
  const lines: string[] = [];
  let length = 0;
  for (const { summary } of fired) {
    const line = cut(summary, longestText);
    length += line.length + 1;
    if (lines.length > 0 && length > longestText) break;
    lines.push(line);
  }
  return { entry: { is: "alert", heading: `Alert ${name}`, text: lines.join("\n") }, about: lines.length };
}

/** A message that only tests the webhook. */
export function testMessage(sentAt: number): Message {
  return {
    opened: [],
    stillOpen: [],
    closed: [],
    alerts: [],
    counts: { opened: 0, stillOpen: 0, closed: 0, alerts: 0 },
    sentAt,
    isTest: true,
  };
}

/** A message as stable fields, for programs. */
export function plainOf(message: Message) {
  const { opened, stillOpen, closed, alerts, counts, sentAt, isTest } = message;
  return {
    version: 1,
    source: "storehouse",
    sent_at: new Date(sentAt).toISOString(),
    is_test: isTest,
    text: headline(message),
    counts: { opened: counts.opened, still_open: counts.stillOpen, closed: counts.closed, alerts: counts.alerts },
    opened: opened.map(incidentOf),
    still_open: stillOpen.map(incidentOf),
    closed: closed.map(incidentOf),
    alerts: alerts.map(alertOf),
    more: total(counts) - opened.length - stillOpen.length - closed.length - alerts.length,
  };
}

function total({ opened, stillOpen, closed, alerts }: MessageCounts): number {
  return opened + stillOpen + closed + alerts;
}

function alertOf({ alertFireId, alertName, mart, summary, detail, day, comparedDay, firedAt }: FiredAlert) {
  return {
    alert_fire_id: alertFireId,
    alert: alertName,
    mart,
    summary,
    ...detail,
    date_day: day,
    compared_day: comparedDay,
    fired_at: firedAt.toISOString(),
  };
}

function incidentOf({ incidentId, kind, subject, account, summary, detail, openedAt, closedAt }: Incident) {
  return {
    incident_id: incidentId,
    kind,
    title: titleOf(kind),
    subject,
    account,
    summary: withCommandsOf(account, summary),
    detail,
    opened_at: openedAt.toISOString(),
    closed_at: closedAt?.toISOString() ?? null,
  };
}

/** A message in one line. */
export function headline(message: Message): string {
  const { alerts, counts, isTest } = message;
  if (isTest) return "Storehouse: test message, no incident";
  const fired = counts.alerts === 0 ? "" : `${counts.alerts} ${counts.alerts === 1 ? "alert" : "alerts"}`;
  if (total(counts) > counts.alerts) return `${incidentHeadline(message)}${fired === "" ? "" : `; ${fired}`}`;
  const [only] = alerts;
  if (counts.alerts === 1 && only !== undefined) return `Storehouse alert ${only.alertName}: ${cut(only.summary, 200)}`;
  return `Storehouse: ${fired}`;
}

function incidentHeadline({ opened, stillOpen, closed, counts }: Message): string {
  const parts = [
    ...(counts.opened > 0 ? [`${counts.opened} opened`] : []),
    ...(counts.stillOpen > 0 ? [`${counts.stillOpen} still open`] : []),
    ...(counts.closed > 0 ? [`${counts.closed} closed`] : []),
  ];
  const [only] = [...opened, ...stillOpen, ...closed];
  if (total({ ...counts, alerts: 0 }) !== 1 || only === undefined) return `Storehouse incidents: ${parts.join(", ")}`;
  const subject = only.subject === "" ? "" : ` (${only.subject})`;
  return `Storehouse incident ${parts.join("").replace(/^1 /, "")}: ${nameOf(only)}${subject}`;
}
