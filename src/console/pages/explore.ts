import { z } from "zod";
import { lastDay } from "../../core/window.ts";
import { readChoice, type Choice, type Wish } from "../explore/choice.ts";
import { chooser } from "../explore/chooser.ts";
import { csv } from "../explore/csv.ts";
import { moverSpans, views, type Shown, type View } from "../explore/views.ts";
import { definePage, type PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { OptionalDay } from "../parse-input.ts";
import { addressOf } from "../parts/address.ts";
import { picture } from "../parts/picture.ts";

const Text = z.string().default("");
/** The address of a view: what it is about, and what of it is shown. An empty field is chosen for the visitor. */
const Input = z.object({
  view: z.enum(["ranks", "movers", "charts", "reviews"]).default("ranks"),
  app: Text,
  country: Text,
  device: Text,
  keyword: Text,
  from: OptionalDay,
  to: OptionalDay,
  back: z.enum(moverSpans).default("7"),
  with: z.union([z.string(), z.array(z.string())]).optional(),
});
type ExploreInput = z.output<typeof Input>;

function wishOf(input: ExploreInput): Wish {
  const named = (text: string) => (text === "" ? undefined : text);
  const rivals = input.with === undefined ? undefined : [input.with].flat().flatMap((one) => one.split(","));
  return {
    app: named(input.app),
    country: named(input.country),
    device: named(input.device),
    keyword: named(input.keyword),
    from: input.from,
    to: input.to,
    rivals,
  };
}

type Seen = { readonly chosen: Choice; readonly view: View; readonly shown: Shown; readonly daysBack: number };

async function readSeen({ read }: PageContext, input: ExploreInput): Promise<Seen | null> {
  const wish = wishOf(input);
  const chosen = await read(`choice ${JSON.stringify(wish)}`, (db) => readChoice(db, wish));
  const view = views.find(({ name }) => name === input.view);
  if (chosen === null || view === undefined) return null;
  const daysBack = Number(input.back);
  const shown = await read(`view ${JSON.stringify([input, wish])}`, (db) => view.read(db, chosen, daysBack));
  return { chosen, view, shown, daysBack };
}

/** An app's ranks with those of its competitors and its releases, what moved, its charts and its reviews. */
export const explorePage = definePage({
  path: "/explore",
  title: "Explore",
  inNavigation: true,
  input: Input,
  examples: ["/explore", "/explore?view=movers", "/explore?view=charts", "/explore?view=reviews"],
  show: async (context, input) => {
    const seen = await readSeen(context, input);
    if (seen === null) return nothing(input);
    const { chosen, view, shown } = seen;
    return html`<link rel="stylesheet" href="/drawings.css" /><link rel="stylesheet" href="/assets/explore.css" />
      <h1>Explore</h1>
      ${chooser(seen)}
      <nav class="tabs" aria-label="Views">
        <ul>
          ${views.map(
            ({ name, title }) =>
              html`<li>
                <a
                  href="${addressOf("/explore", { ...fieldsOf(seen), view: name })}"
                  ${name === view.name ? html` aria-current="page"` : null}
                  >${title}</a
                >
              </li>`,
          )}
        </ul>
      </nav>
      ${shown.isEmpty ? empty(seen) : html`${await drawingOf(shown, chosen)}${shown.below}${takeAway(seen)}`}
      <script src="/assets/explore.js" defer></script>`;
  },
});

function nothing({ app }: ExploreInput): Html {
  return html`<h1>Explore</h1>
    <p class="card">
      ${app === "" ? "No ranks are loaded yet." : `No ranks of ${app} are loaded.`} <code>storehouse sync</code> loads
      them; <a href="/coverage">Coverage</a> shows what is there.
    </p>`;
}

function empty({ view, chosen }: Seen): Html {
  return html`<p class="card">
    Nothing of it is loaded for ${chosen.app.name} in ${chosen.country} from ${chosen.window.start} to
    ${lastDay(chosen.window)}: <a href="/coverage">Coverage</a> shows whether ${view.title.toLowerCase()} are missing or
    there are none.
  </p>`;
}

async function drawingOf({ drawing }: Shown, { app, keyword }: Choice): Promise<Html | null> {
  if (drawing === null) return null;
  return html`<div class="card">${await picture(drawing, { label: `${app.name}, ${keyword}`, wide: 1160 })}</div>`;
}

function takeAway(seen: Seen): Html {
  return html`<section class="card take-away" aria-label="Take it away">
    <p>
      <a class="button" href="${addressOf("/explore.csv", fieldsOf(seen))}" download>Download CSV</a>
      <button class="button" type="button" data-copy="sql" hidden>Copy SQL</button>
    </p>
    <details>
      <summary>The SQL behind this view</summary>
      <pre tabindex="0"><code id="sql">${seen.shown.sql}</code></pre>
    </details>
  </section>`;
}

/** Everything that an address has to name for the same view. */
function fieldsOf({ chosen, view, daysBack }: Seen) {
  const { app, country, device, keyword, rivals, window } = chosen;
  return {
    view: view.name,
    app: app.app,
    country,
    device,
    keyword,
    from: window.start,
    to: lastDay(window),
    with: rivals.map((one) => one.app).join(","),
    back: String(daysBack),
  };
}

/** What a view shows, as a file for a spreadsheet. */
export const exploreCsvPage = definePage({
  path: "/explore.csv",
  title: "Download",
  input: Input,
  examples: [],
  show: async (context, input) => {
    const seen = await readSeen(context, input);
    if (seen === null) return nothing(input);
    const { chosen, view, shown } = seen;
    const name = ["storehouse", view.name, chosen.app.trackId, chosen.country].join("-").replaceAll(/[^\w.-]/g, "_");
    return { type: "text/csv; charset=utf-8", body: csv(shown.rows, shown.columns), name: `${name}.csv` };
  },
});
