import { entriesOf, headline, moreWords, plainOf, type Entry, type Message } from "./message.ts";

/** The formats of a message: an incoming webhook of Slack, a webhook of Workflows in Teams, or plain JSON. */
const formats = { slack: slackOf, teams: teamsOf, json: plainOf } as const satisfies Record<
  string,
  (message: Message) => object
>;

/** The name of a format. */
export type MessageFormat = keyof typeof formats;

/** The body of a message, JSON. */
export function bodyOf(message: Message, format: MessageFormat): string {
  return JSON.stringify(formats[format](message));
}

/** Slack accepts 50 blocks per message and 3,000 characters per block. */
const mostInSlack = 20;
const icons = {
  opened: ":red_circle:",
  "still open": ":large_orange_circle:",
  closed: ":large_green_circle:",
  alert: ":bell:",
} as const;

function slackOf(message: Message) {
  const { entries, more } = entriesOf(message, mostInSlack);
  const lines = entries.map(({ is, heading, text }) => `${icons[is]} *${escaped(heading)}*\n${escaped(text)}`);
  if (more > 0) lines.push(escaped(moreWords(more)));
  return {
    text: escaped(headline(message)),
    blocks: [`*${escaped(headline(message))}*`, ...lines].map((text) => ({
      type: "section",
      text: { type: "mrkdwn", text },
    })),
  };
}

/** Escapes the three characters that Slack interprets: no text from outside becomes a link or a mention. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Teams accepts 28 KB per message; a character may take four bytes. */
const mostInTeams = 8;
const colours = { opened: "attention", "still open": "warning", closed: "good", alert: "accent" } as const;

/** An Adaptive Card. Its runs of text are not Markdown: no text from outside becomes a link or a mention. */
function teamsOf(message: Message) {
  const { entries, more } = entriesOf(message, mostInTeams);
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    msteams: { width: "Full" },
    body: [
      richText([{ text: headline(message), weight: "bolder", size: "medium" }]),
      ...entries.flatMap(cardEntry),
      ...(more > 0 ? [richText([{ text: moreWords(more) }])] : []),
    ],
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}

function cardEntry({ is, heading, text }: Entry) {
  return [
    { ...richText([{ text: heading, weight: "bolder", color: colours[is] }]), separator: true },
    { ...richText([{ text }]), spacing: "none" },
  ];
}

function richText(runs: readonly Readonly<Record<string, string>>[]) {
  return { type: "RichTextBlock", inlines: runs.map((run) => ({ type: "TextRun", ...run })) };
}
