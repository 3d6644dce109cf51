import { titleOf } from "./findings.ts";

/** An incident as a message tells of it. */
export type Told = {
  readonly incidentId: string;
  readonly kind: string;
  readonly subject: string;
  readonly summary: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly openedAt: Date;
  /** When it was over; null while it is open. */
  readonly closedAt: Date | null;
};

/** One message: what opened and what is over since the last one. What opened and was over before it could be told is in both lists. */
export type Notice = {
  readonly opened: readonly Told[];
  readonly recovered: readonly Told[];
  /** Incidents beyond those listed. */
  readonly more: number;
  /** Epoch-ms. */
  readonly sentAt: number;
  /** True for a message that only tries the way. */
  readonly isTest: boolean;
};

/** The shapes that a webhook may take. */
export type NoticeFormat = "slack" | "json";

/** The body of a message, JSON. */
export function bodyOf(notice: Notice, format: NoticeFormat): string {
  return JSON.stringify(format === "slack" ? slackOf(notice) : plainOf(notice));
}

function plainOf({ opened, recovered, more, sentAt, isTest }: Notice) {
  return {
    version: 1,
    source: "storehouse",
    sent_at: new Date(sentAt).toISOString(),
    is_test: isTest,
    text: headline({ opened, recovered, more, isTest }),
    opened: opened.map(incidentOf),
    recovered: recovered.map(incidentOf),
    more,
  };
}

function incidentOf({ incidentId, kind, subject, summary, detail, openedAt, closedAt }: Told) {
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

function slackOf(notice: Notice) {
  const { opened, recovered, more } = notice;
  const lines = [
    ...opened.map((told) => `:red_circle: *${escaped(titleOf(told.kind))}*\n${escaped(cut(told.summary))}`),
    ...recovered.map(
      (told) => `:large_green_circle: *Over: ${escaped(titleOf(told.kind))}* ${escaped(cut(told.subject))}`,
    ),
  ];
  const left = more + Math.max(0, lines.length - mostShown);
  const shown = [
    ...lines.slice(0, mostShown),
    ...(left === 0 ? [] : [`and ${left} more: \`storehouse doctor\` and ops.incident_log list them`]),
  ];
  return {
    text: escaped(headline(notice)),
    blocks: [`*${escaped(headline(notice))}*`, ...shown].map((text) => ({
      type: "section",
      text: { type: "mrkdwn", text },
    })),
  };
}

function headline({ opened, recovered, more, isTest }: Omit<Notice, "sentAt">): string {
  if (isTest) return "Storehouse: a test, nothing is wrong";
  const wrong = opened.length + more;
  const parts = [
    ...(wrong > 0 ? [`${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong`] : []),
    ...(recovered.length > 0 ? [`${recovered.length} ${recovered.length === 1 ? "is" : "are"} over`] : []),
  ];
  const only = opened.length + recovered.length === 1 && more === 0 ? (opened[0] ?? recovered[0]) : undefined;
  return `Storehouse: ${parts.join(", ")}${only === undefined ? "" : `: ${titleOf(only.kind)}${only.subject === "" ? "" : ` (${only.subject})`}`}`;
}

/** The three characters that Slack reads as its own: no text from outside becomes a link or calls a channel. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function cut(text: string): string {
  return text.length <= longestLine ? text : `${text.slice(0, longestLine - 1).toWellFormed()}…`;
}
