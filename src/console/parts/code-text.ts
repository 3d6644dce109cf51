import { html, type Html } from "../html.ts";

/** A text of ours in which commands stand between backticks. */
export function codeText(text: string): Html {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
