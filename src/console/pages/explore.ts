import { z } from "zod";
import { accountOf } from "../../config/config-of-account.ts";
import { fail } from "../../core/errors.ts";
import { lastDay } from "../../core/window.ts";
import { readChoice, type Choice, type Named } from "../explore/choice.ts";
import { chooser } from "../explore/chooser.ts";
import { csv } from "../explore/csv.ts";
import { moverSpans, views, type Shown, type View } from "../explore/views.ts";
import { definePage, type PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { OptionalDay } from "../parse-input.ts";
import { pageAddress } from "../parts/address.ts";

const Text = z.string().default("");
/** The address of a view: its subject, and the part that is shown. An empty field is chosen for the visitor. */
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
  drawn: Text,
});
type ExploreInput = z.output<typeof Input>;

function namedBy(input: ExploreInput): Named {
  const given = (text: string) => (text === "" ? undefined : text);
  const competitors = input.with === undefined ? undefined : [input.with].flat().flatMap((one) => one.split(","));
  return {
    app: given(input.app),
    country: given(input.country),
    device: given(input.device),
    keyword: given(input.keyword),
    from: input.from,
    to: input.to,
    competitors,
    drawnFor: given(input.drawn),
  };
}

type Seen = { readonly chosen: Choice; readonly view: View; readonly shown: Shown; readonly daysBack: number };

async function readSeen({ app, read }: PageContext, input: ExploreInput): Promise<Seen | null> {
  const named = namedBy(input);
  const chosen = await read(`choice ${JSON.stringify(named)}`, (db) =>
    readChoice(db, named, accountOf(app.config.settings)),
  );
  const view = views.find(({ name }) => name === input.view);
  if (chosen === null || view === undefined) return null;
  const daysBack = Number(input.back);
  const shown = await read(`view ${JSON.stringify([view.name, daysBack, named])}`, (db) =>
    view.read(db, chosen, daysBack),
  );
  return { chosen, view, shown, daysBack };
}

/** An app's ranks with those of its competitors and its releases, what moved, its charts and its reviews. */
export const explorePage = definePage({
  path: "/explore",
  title: "Explore",
  inNavigation: true,
  effort: "some",
  input: Input,
  examples: ["/explore", "/explore?view=movers", "/explore?view=charts", "/explore?view=reviews"],
  show: async (context, input) => {
    const seen = await readSeen(context, input);
    if (seen === null) return nothing(input);
    const { view, shown } = seen;
    return html`<link rel="stylesheet" href="/assets/explore.css" />
      <h1>Explore</h1>
      ${chooser(seen)}
      <nav class="tabs" aria-label="Views">
        <ul>
          ${views.map(
            ({ name, title }) =>
              html`<li>
                <a
                  href="${pageAddress("/explore", { ...fieldsOf(seen), view: name })}"
                  ${name === view.name ? html` aria-current="page"` : null}
                  >${title}</a
                >
              </li>`,
          )}
        </ul>
      </nav>
      ${shown.isEmpty ? empty(seen) : html`${shown.drawing === null ? null : html`<div class="card">${shown.drawing}</div>`}${shown.below}${takeAway(seen)}`}
      <script src="/assets/explore.js" defer></script>`;
  },
});

function nothing({ app, country, device, view }: ExploreInput): Html {
  const place = `${country === "" ? "" : ` in ${country.toUpperCase()}`}${device === "" ? "" : ` on ${device}`}`;
  const about = `${app === "" ? "" : ` of ${app}`}${place}`;
  const [elsewhere, words] = [app === "" || place === "" ? "" : app, app === "" || place === "" ? "any app" : app];
  return html`<h1>Explore</h1>
    <div class="card">
      <p>
        ${
          about === ""
            ? html`No ranks are loaded yet. <code>storehouse sync</code> loads them;
                <a href="/coverage">Coverage</a> shows what is loaded.`
            : html`No ranks${about} are loaded. A sync loads only apps and countries of the
                <a href="/portfolio">portfolio</a>. Here is
                <a href="${pageAddress("/explore", { view, app: elsewhere })}">what is loaded of ${words}</a>.`
        }
      </p>
    </div>`;
}

function empty({ view, chosen }: Seen): Html {
  const time = view.name === "movers" ? "" : ` from ${chosen.window.start} to ${lastDay(chosen.window)}`;
  return html`<div class="card">
    <p>
      Nothing is loaded for ${chosen.app.name} in ${chosen.country}${time}: <a href="/coverage">Coverage</a> shows
      whether ${view.title.toLowerCase()} are missing or there are none.
    </p>
  </div>`;
}

function takeAway(seen: Seen): Html {
  return html`<section class="card" aria-label="Export">
    <p class="buttons">
      ${shownTables(seen)}
      <button class="button" type="button" data-copy="sql" hidden>Copy SQL</button>
    </p>
    <details>
      <summary>The SQL behind this view</summary>
      <pre tabindex="0"><code id="sql">${seen.shown.sql}</code></pre>
    </details>
  </section>`;
}

/** A link to each file; a single one needs no name. */
function shownTables(seen: Seen): readonly Html[] {
  const filled = seen.shown.tables.filter(({ rows }) => rows.length > 0);
  return filled.map(
    ({ name, label }) =>
      html`<a class="button" href="${pageAddress("/explore.csv", { ...fieldsOf(seen), table: name })}" download
        >${filled.length === 1 ? "Download CSV" : `${label} as CSV`}</a
      >`,
  );
}

/** Everything that an address must contain for the same view. */
function fieldsOf({ chosen, view, daysBack }: Seen) {
  const { app, country, device, keyword, competitors, window } = chosen;
  return {
    view: view.name,
    app: app.app,
    country,
    device,
    keyword,
    from: window.start,
    to: lastDay(window),
    with: competitors.map((one) => one.app).join(","),
    back: String(daysBack),
  };
}

/** What a view shows, as a file for a spreadsheet: its first table unless another is named. */
export const exploreCsvPage = definePage({
  path: "/explore.csv",
  title: "Download",
  effort: "some",
  input: Input.extend({ table: Text }),
  examples: [],
  show: async (context, { table: wanted, ...input }) => {
    const seen = await readSeen(context, input);
    if (seen === null) return nothing(input);
    const { chosen, shown } = seen;
    const { tables } = shown;
    const table = wanted === "" ? tables[0] : tables.find(({ name }) => name === wanted);
    if (table === undefined)
      throw fail("console_bad_input", { problem: `table must be one of ${tables.map(({ name }) => name).join(", ")}` });
    const name = ["storehouse", table.name, chosen.app.trackId, chosen.country].join("-").replaceAll(/[^\w.-]/g, "_");
    return { type: "text/csv; charset=utf-8", body: csv(table.rows, table.columns), name: `${name}.csv` };
  },
});
