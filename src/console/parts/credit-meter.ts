import { count } from "../../core/words.ts";
import { floorCredits, type Floors } from "../../core/floors.ts";
import { html, type Html } from "../html.ts";

/** What a meter shows: the allowance, how much of it is left and held, and the share that each class leaves untouched. */
export type MeterFacts = {
  readonly total: number;
  readonly remaining: number;
  readonly held: number;
  readonly floors: Floors;
};

const width = 1000;

/** A bar of what is left, with a line at each floor; the text next to it says the same. */
export function creditMeter({ total, remaining, held, floors }: MeterFacts): Html {
  const at = (credits: number) => Math.round((width * Math.min(Math.max(credits, 0), total)) / Math.max(total, 1));
  const lines = Object.values(floors).map((share) => {
    const x = at(floorCredits(total, share));
    return html`<line class="floor" x1="${x}" x2="${x}" y1="0" y2="28"></line>`;
  });
  return html`<svg
    class="meter"
    viewBox="0 0 ${width} 28"
    preserveAspectRatio="none"
    role="img"
    aria-label="${count(remaining)} of ${count(total)} credits left"
  >
    <rect class="track" width="${width}" height="28"></rect>
    <rect class="left" width="${at(remaining - held)}" height="28"></rect>
    <rect class="held" x="${at(remaining - held)}" width="${at(held)}" height="28"></rect>
    ${lines}
  </svg>`;
}
