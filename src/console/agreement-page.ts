import { count, countOf } from "../core/words.ts";
import { boundBy, isAboutOther, type Agreed } from "./agreement.ts";
import type { Price } from "./define-action.ts";
import { html, type Html } from "./html.ts";
import type { KeptForm } from "./kept-forms.ts";
import { hiddenFields } from "./parts/form-fields.ts";

/** What the page shows in addition to the kept form. */
type Shown = { readonly form: KeptForm; readonly once: string; readonly limit: number; readonly token: string };

/** Fields that this form sets again. */
const ownFields = new Set(["_csrf", "agreed", "bound", "typed", "once", "back"]);

/** The page that shows the price of an action and requires an agreement. */
export function agreementPage({ form: { action, price, agreement, given }, once, limit, token }: Shown): Html {
  const fields = {
    ...Object.fromEntries(Object.entries(given).filter(([name]) => !ownFields.has(name))),
    agreed: price.credits,
    bound: boundBy(price),
    once,
    back: agreement.back,
    _csrf: token,
  };
  const isTyped = price.credits > limit && price.cannot === undefined;
  return html`<form class="card narrow stack" method="post" action="/actions/${action.name}">
    <p class="eyebrow">Nothing has been spent yet</p>
    <h1>${action.label}</h1>
    ${warningOf(price, agreement)}
    <p>${price.says}</p>
    ${price.detail}
    <p class="price">
      ${price.later === undefined ? null : "about "}<strong class="number">${count(price.credits)}</strong>
      ${price.credits === 1 ? "credit" : "credits"} ${price.later ?? "at most"}
    </p>
    ${hiddenFields(fields)}
    ${price.cannot === undefined ? null : html`<p class="notice warn" role="status">${price.cannot}</p>`}
    ${
      isTyped
        ? html`<label
            >That is more than credits.ask_above (${count(limit)}). Type <strong>${price.credits}</strong> to
            confirm<input name="typed" inputmode="numeric" autocomplete="off" required autofocus
          /></label>`
        : null
    }
    <p class="buttons">
      ${
        price.cannot === undefined
          ? html`<button class="button primary">
                ${action.label}${price.credits > 0 && price.later === undefined ? ` for ${countOf(price.credits, "credit")}` : ""}
              </button>
              <a class="button" href="${agreement.back}">Cancel</a>`
          : html`<a class="button" href="${agreement.back}">Back</a>`
      }
    </p>
  </form>`;
}

function warningOf(price: Price, agreement: Agreed): Html | null {
  const { agreed, typed } = agreement;
  if (agreed === undefined) return null;
  if (isAboutOther(price, agreement))
    return html`<p class="notice warn" role="alert">
      The subject of this action has changed since it was shown: review it again.
    </p>`;
  if (price.credits > agreed)
    return html`<p class="notice warn" role="alert">
      It now costs ${countOf(price.credits, "credit")}, more than the ${count(agreed)} shown before.
    </p>`;
  return typed === undefined ? null : html`<p class="notice bad" role="alert">The number does not match.</p>`;
}
