import { count, capital } from "../../core/words.ts";
import { html, type Html } from "../html.ts";

/** The part of a long list that a page shows: the total, the first item shown, the number shown, and the size of a page. */
type Shown = {
  /** The word for the items: `rows`. */
  readonly what: string;
  readonly total: number;
  readonly from: number;
  readonly shown: number;
  readonly size: number;
};

/** Which part of a list is shown, with links to what comes before and after it. */
export function pager({ what, total, from, shown, size }: Shown, address: (offset: number) => string): Html {
  const link = (offset: number, words: string) => html`<a href="${address(offset)}">${capital(what)} ${words}</a>`;
  return html`<nav class="pager" aria-label="${capital(what)}">
    <span
      >${total === 0 ? `no ${what}` : `${what} ${count(from + 1)} to ${count(from + shown)} of ${count(total)}`}</span
    >${from > 0 ? link(Math.max(0, from - size), "before") : null}${
      from + shown < total ? link(from + size, "after") : null
    }
  </nav>`;
}
