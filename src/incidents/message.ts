import { titleOf } from "./kinds.ts";
import { minuteOf } from "./kinds/define-kind.ts";

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

/** What a message says of one incident: how it changed, as a heading, and its sentences. */
export type Entry = {
  readonly is: "opened" | "still open" | "closed";
  readonly heading: string;
  readonly text: string;
};

const longestText = 600;

/** The incidents of a message for people, at most so many, and how many more there are. */
export function entriesOf(
  message: Message,
  most: number,
): { readonly entries: readonly Entry[]; readonly more: number } {
  const { opened, stillOpen, closed, counts } = message;
  const entries = [...opened.map(openedEntry), ...stillOpen.map(stillOpenEntry), ...closed.map(closedEntry)].slice(
    0,
    most,
  );
  return { entries, more: total(counts) - entries.length };
}

/** Where to see the incidents that a message leaves out. */
export function moreWords(more: number): string {
  return `and ${more} more; \`storehouse doctor\` counts them, and ops.incident_log lists them`;
}

function openedEntry({ kind, summary }: Incident): Entry {
  return { is: "opened", heading: titleOf(kind), text: cut(summary, longestText) };
}

function stillOpenEntry({ kind, summary, openedAt }: Incident): Entry {
  const heading = `Still open since ${minuteOf(openedAt)}: ${titleOf(kind)}`;
  return { is: "still open", heading, text: cut(summary, longestText) };
}

function closedEntry({ kind, subject, openedAt, closedAt }: Incident): Entry {
  const period = `${minuteOf(openedAt)}${closedAt === null ? "" : ` to ${minuteOf(closedAt)}`}`;
  const text = `${subject === "" ? "Open" : `${cut(subject, longestText)}, open`} from ${period}`;
  return { is: "closed", heading: `Closed: ${titleOf(kind)}`, text };
}

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

/** A message as fields that stay, for programs. */
export function plainOf(message: Message) {
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

/** A message in one line. */
export function headline({ opened, stillOpen, closed, counts, isTest }: Message): string {
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

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
