import { storeName } from "../../core/store.ts";
import { lastDay } from "../../core/window.ts";
import { countOf } from "../../core/words.ts";
import { html, type Html } from "../html.ts";
import { choice, hiddenFields } from "../parts/form-fields.ts";
import { mostCompetitors, placeKey, type Choice } from "./choice.ts";
import { moverSpans, type View } from "./views.ts";

/** The choice that the form shows. */
type Chosen = { readonly chosen: Choice; readonly view: View; readonly daysBack: number };

/** The form that chooses the subject of a view. A field that the view does not use keeps its value. */
export function chooser({ chosen, view, daysBack }: Chosen): Html {
  const { app, country, device, keyword, window, options } = chosen;
  const ofCompetitors = { with: chosen.competitors.map((one) => one.app).join(",") };
  const plain = (values: readonly string[]) => values.map((value) => [value, value] as const);
  const apps = options.apps.map((one) => [one.app, `${one.name} (${storeName(one.store)})`] as const);
  return html`<form class="filters" method="get" action="/explore">
    ${hiddenFields({ view: view.name, drawn: placeKey(app.app, country) })}
    ${choice({ name: "app", label: "App", value: app.app }, apps)}
    ${choice({ name: "country", label: "Country", value: country }, plain(options.countries))}
    ${options.devices.length > 1 ? choice({ name: "device", label: "Device", value: device }, plain(options.devices)) : null}
    ${view.ofKeyword ? keywordField(keyword, options.keywords) : hiddenFields({ keyword, ...ofCompetitors })}
    ${view.name === "movers" ? [choice({ name: "back", label: "Days back", value: String(daysBack) }, plain(moverSpans)), hiddenFields({ from: window.start, to: lastDay(window) })] : [days(window.start, lastDay(window)), hiddenFields({ back: String(daysBack) })]}
    <button class="button">Show</button>
    ${view.ofKeyword ? competitors(chosen) : null}
  </form>`;
}

function keywordField(keyword: string, keywords: readonly string[]): Html {
  return html`<label>Keyword<input name="keyword" value="${keyword}" list="keywords" autocomplete="off" /></label>
    <datalist id="keywords">${keywords.map((one) => html`<option value="${one}"></option>`)}</datalist>`;
}

function days(from: string, to: string): Html {
  return html`<label>From<input type="date" name="from" value="${from}" /></label
    ><label>To<input type="date" name="to" value="${to}" /></label>`;
}

function competitors({ competitors: drawn, options }: Choice): Html | null {
  if (options.competitors.length === 0) return null;
  return html`<details class="competitors">
    <summary>Compared with ${drawn.length} of ${countOf(options.competitors.length, "app")}</summary>
    <fieldset>
      <legend>At most ${mostCompetitors}</legend>
      <input type="hidden" name="with" value="" />${options.competitors.map(
        ({ app, name, isCompetitor }) =>
          html`<label class="check"
            ><input
              type="checkbox"
              name="with"
              value="${app}"
              ${drawn.some((one) => one.app === app) ? html` checked` : null}
            />${name}${isCompetitor ? html` <span class="muted">competitor</span>` : null}</label
          >`,
      )}
    </fieldset>
  </details>`;
}
