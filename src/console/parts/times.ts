import { durationText, utcMinute, minuteOf } from "../../core/words.ts";
import { html, type Html } from "../html.ts";

/** A time as in a sentence: `10:05 UTC, 3 min ago`. */
export function instantText(instant: Date | number, now: number): string {
  const away = now - Number(instant);
  const clock = minuteOf(instant);
  // the clocks of two machines may differ by part of a second
  return away <= -1_000 ? `${clock}, in ${durationText(-away)}` : `${clock}, ${durationText(Math.max(0, away))} ago`;
}

/** A time as a table shows it, with its age on hover. */
export function timeElement(instant: Date | number | null, now: number): Html {
  if (instant === null) return html`<span class="muted">–</span>`;
  const iso = new Date(instant).toISOString();
  return html`<time datetime="${iso}" title="${instantText(instant, now)}">${utcMinute(instant)}</time>`;
}

/** How long something took; a dash while it has not ended. */
export function tookText(from: Date | number, to: Date | number | null): string {
  return to === null ? "–" : durationText(Number(to) - Number(from));
}
