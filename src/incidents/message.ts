import { titleOf } from "./kinds.ts";

/** An incident, as a message reports it. */
export type Incident = {
  readonly incidentId: string;
  readonly kind: string;
  readonly subject: string;
  readonly summary: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly openedAt: Date;
  /** Null while it is open. */
  readonly closedAt: Date | null;
};

/** How many incidents a message is about, those that it does not list included. */
type MessageCounts = { readonly opened: number; readonly stillOpen: number; readonly closed: number };

/** One message: the incidents that opened, that are open since an earlier message, and that closed. */
export type Message = {
  readonly opened: readonly Incident[];
  readonly stillOpen: readonly Incident[];
  readonly closed: readonly Incident[];
  readonly counts: MessageCounts;
  /** Epoch-ms. */
  readonly sentAt: number;
  /** True for a test of the webhook. */
  readonly isTest: boolean;
};

/** The forms of a message: an incoming webhook of Slack, or plain JSON. */
export type MessageFormat = "slack" | "json";

/** A message that only tests the webhook. */
export function testMessage(sentAt: number): Message {
  return {
    opened: [],
    stillOpen: [],
    closed: [],
    counts: { opened: 0, stillOpen: 0, closed: 0 },
    sentAt,
    isTest: true,
  };
}

/** The body of a message, JSON. */
export function bodyOf(message: Message, format: MessageFormat): string {
  return JSON.stringify(format === "slack" ? slackOf(message) : plainOf(message));
}

function plainOf(message: Message) {
  const { opened, stillOpen, closed, counts, sentAt, isTest } = message;
  return {
    version: 1,
    source: "storehouse",
    sent_at: new Date(sentAt).toISOString(),
    is_test: isTest,
    text: headline(message),
    counts: { opened: counts.opened, still_open: counts.stillOpen, closed: counts.closed },
    opened: opened.map(incidentOf),
    still_open: stillOpen.map(incidentOf),
    closed: closed.map(incidentOf),
    more: total(counts) - opened.length - stillOpen.length - closed.length,
  };
}

function total({ opened, stillOpen, closed }: MessageCounts): number {
  return opened + stillOpen + closed;
}

function incidentOf({ incidentId, kind, subject, summary, detail, openedAt, closedAt }: Incident) {
  return {
    incident_id: incidentId,
    kind,
    title: titleOf(kind),
    subject,
    summary,
    detail,
    opened_at: openedAt.toISOString(),
    closed_at: closedAt?.toISOString() ?? null,
  };
}

/** Slack takes 50 blocks a message and 3,000 characters a block. */
const mostShown = 20;
const longestLine = 600;

function slackOf(message: Message) {
  const lines = [
    ...message.opened.map(openedLine),
    ...message.stillOpen.map(stillOpenLine),
    ...message.closed.map(closedLine),
  ];
  const shown = lines.slice(0, mostShown);
  const more = total(message.counts) - shown.length;
  if (more > 0) shown.push(`and ${more} more: \`storehouse doctor\` and ops.incident_log list them`);
  return {
    text: escaped(headline(message)),
    blocks: [`*${escaped(headline(message))}*`, ...shown].map((text) => ({
      type: "section",
      text: { type: "mrkdwn", text },
    })),
  };
}

function openedLine({ kind, summary }: Incident): string {
  return `:red_circle: *${escaped(titleOf(kind))}*\n${escaped(cut(summary))}`;
}

function stillOpenLine({ kind, summary, openedAt }: Incident): string {
  return `:large_orange_circle: *Still open since ${minuteOf(openedAt)} UTC: ${escaped(titleOf(kind))}*\n${escaped(cut(summary))}`;
}

function closedLine({ kind, subject, openedAt, closedAt }: Incident): string {
  const period = `${minuteOf(openedAt)} to ${closedAt === null ? "" : minuteOf(closedAt)} UTC`;
  return `:large_green_circle: *Closed: ${escaped(titleOf(kind))}* ${escaped(cut(subject))} (${period})`;
}

function minuteOf(instant: Date): string {
  return instant.toISOString().slice(0, 16).replace("T", " ");
}

function headline({ opened, stillOpen, closed, counts, isTest }: Message): string {
  if (isTest) return "Storehouse: test message, no incident";
  const parts = [
    ...(counts.opened > 0 ? [`${counts.opened} opened`] : []),
    ...(counts.stillOpen > 0 ? [`${counts.stillOpen} still open`] : []),
    ...(counts.closed > 0 ? [`${counts.closed} closed`] : []),
  ];
  const [only] = [...opened, ...stillOpen, ...closed];
  if (total(counts) !== 1 || only === undefined) return `Storehouse incidents: ${parts.join(", ")}`;
  const subject = only.subject === "" ? "" : ` (${only.subject})`;
  return `Storehouse incident ${parts.join("").replace(/^1 /, "")}: ${titleOf(only.kind)}${subject}`;
}

/** Escapes the three characters that Slack interprets: no text from outside becomes a link or a mention. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function cut(text: string): string {
  return text.length <= longestLine ? text : `${text.slice(0, longestLine - 1).toWellFormed()}…`;
}
