import { outcomeWords } from "../../ledger/status.ts";
import { html, type Html } from "../html.ts";

/** What a colour means; each also has its own shape, so that nobody needs to see the colour. */
export type Tone = "good" | "warn" | "bad" | "busy" | "calm";

const shapes: Readonly<Record<Tone, Html>> = {
  good: html`<path d="M2.5 6.5 5 9l4.5-5.5" fill="none" stroke="currentColor" stroke-width="2" />`,
  warn: html`<path d="M6 1.5 11 10.5H1z" fill="currentColor" />`,
  bad: html`<path d="M2.5 2.5 9.5 9.5M9.5 2.5 2.5 9.5" fill="none" stroke="currentColor" stroke-width="2.2" />`,
  busy: html`<circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="17 8" />`,
  calm: html`<circle cx="6" cy="6" r="3" fill="currentColor" />`,
};

/** A word with the shape and colour of its meaning. */
export function badge(tone: Tone, word: string): Html {
  return html`<span class="badge ${tone}">${mark(tone)}${word}</span>`;
}

/** Only the shape, next to a text that says the same. */
export function mark(tone: Tone): Html {
  return html`<svg class="mark ${tone}" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    ${shapes[tone]}
  </svg>`;
}

const tones: Readonly<Record<string, Tone>> = {
  loaded: "good",
  planned: "good",
  done: "good",
  empty: "calm",
  skipped: "calm",
  superseded: "calm",
  stale: "calm",
  pending: "busy",
  running: "busy",
  unfinished: "busy",
  "under way": "busy",
  begun: "busy",
  started: "busy",
  deferred: "warn",
  interrupted: "warn",
  refused: "warn",
  lost: "bad",
  failed: "bad",
  aborted: "bad",
};

/** The state of a slice or the outcome of a run, null while it runs. */
export function stateBadge(state: string | null): Html {
  const words = outcomeWords(state);
  return badge(tones[state ?? words] ?? "calm", words);
}
