import { html, type Html } from "../html.ts";

/** A bar as long as its share of the whole; the number is next to it. */
export function bar(value: number, whole: number): Html {
  const width = whole <= 0 ? 0 : Math.round((100 * value) / whole);
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="rest" width="100" height="8"></rect>
    <rect width="${width}" height="8"></rect>
  </svg>`;
}
