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

/** How many incidents a message is about, those counted that it does not list. */
export type NoticeCounts = {
  /** Opened since the last message, and open. */
  readonly wrong: number;
  /** Told as open before, and over now. */
  readonly over: number;
  /** Opened and over since the last message. */
  readonly passed: number;
};

/** One message: what opened and what is over since the last one. What opened and was over before it could be told is in both lists. */
export type Notice = {
  readonly opened: readonly Told[];
  readonly recovered: readonly Told[];
  readonly counts: NoticeCounts;
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

function plainOf(notice: Notice) {
  const { opened, recovered, counts, sentAt, isTest } = notice;
  return {
    version: 1,
    source: "storehouse",
    sent_at: new Date(sentAt).toISOString(),
    is_test: isTest,
    text: headline(notice),
    counts,
    opened: opened.map(incidentOf),
    recovered: recovered.map(incidentOf),
    more: total(counts) - listed(notice).length,
  };
}

function total({ wrong, over, passed }: NoticeCounts): number {
  return wrong + over + passed;
}

/** Every incident of a message, once. */
function listed({ opened, recovered }: Notice): readonly Told[] {
  return [...opened, ...recovered.filter(({ incidentId }) => !opened.some((told) => told.incidentId === incidentId))];
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
  const lines = [
    ...notice.opened.filter(({ closedAt }) => closedAt === null).map(wrongLine),
    ...listed(notice).flatMap((told) =>
      told.closedAt === null ? [] : [notice.opened.includes(told) ? passedLine(told, told.closedAt) : overLine(told)],
    ),
  ];
  const shown = lines.slice(0, mostShown);
  const left = total(notice.counts) - shown.length;
  if (left > 0) shown.push(`and ${left} more: \`storehouse doctor\` and ops.incident_log list them`);
  return {
    text: escaped(headline(notice)),
    blocks: [`*${escaped(headline(notice))}*`, ...shown].map((text) => ({
      type: "section",
      text: { type: "mrkdwn", text },
    })),
  };
}

function wrongLine({ kind, summary }: Told): string {
  return `:red_circle: *${escaped(titleOf(kind))}*\n${escaped(cut(summary))}`;
}

function overLine({ kind, subject }: Told): string {
  return `:large_green_circle: *Over: ${escaped(titleOf(kind))}* ${escaped(cut(subject))}`;
}

/** Nothing is to be done about it any more. */
function passedLine({ kind, subject, openedAt }: Told, closedAt: Date): string {
  const minute = (instant: Date) => instant.toISOString().slice(0, 16).replace("T", " ");
  return (
    `:white_circle: *Came and went: ${escaped(titleOf(kind))}* ${escaped(cut(subject))} ` +
    `(${minute(openedAt)} to ${minute(closedAt)} UTC)`
  );
}

function headline(notice: Notice): string {
  const { counts, isTest } = notice;
  if (isTest) return "Storehouse: a test, nothing is wrong";
  const { wrong, over, passed } = counts;
  const parts = [
    ...(wrong > 0 ? [`${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong`] : []),
    ...(over > 0 ? [`${over} ${over === 1 ? "is" : "are"} over`] : []),
    ...(passed > 0 ? [`${passed} came and went`] : []),
  ];
  const only = total(counts) === 1 ? listed(notice)[0] : undefined;
  const subject = only === undefined || only.subject === "" ? "" : ` (${only.subject})`;
  return `Storehouse: ${parts.join(", ")}${only === undefined ? "" : `: ${titleOf(only.kind)}${subject}`}`;
}

/** The three characters that Slack reads as its own: no text from outside becomes a link or calls a channel. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function cut(text: string): string {
  return text.length <= longestLine ? text : `${text.slice(0, longestLine - 1).toWellFormed()}…`;
}
