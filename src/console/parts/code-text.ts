import { html, type Html, type Part } from "../html.ts";

/** A day, and its time if one comes after it: a narrow column would break it at its hyphens. */
const days = /(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)/;

/** One of our texts, with commands between backticks. No line is broken within a day. */
export function codeText(text: string): Html {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : withWholeDays(part)))}`;
}

function withWholeDays(text: string): readonly Part[] {
  return text.split(days).map((part, index) => (index % 2 === 1 ? html`<span class="nowrap">${part}</span>` : part));
}
