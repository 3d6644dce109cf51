import { z } from "zod";
import { editedSettings, type SettingsChange } from "../../config/edit-yaml.ts";
import { Settings } from "../../config/settings.ts";
import { count, countOf } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import type { Day } from "../../core/day.ts";
import { fail } from "../../core/errors.ts";
import { datasets } from "../../datasets/shared/all.ts";
import { examplePortfolio } from "../../planner/example-portfolio.ts";
import { portfolioOf } from "../../planner/portfolio.ts";
import { datasetPrices, type DatasetPrice } from "../../planner/portfolio-price.ts";
import { definePage } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { parsed } from "../parse-input.ts";
import { dataTable } from "../parts/table.ts";
import { pageHead } from "../parts/head.ts";
import { TrackIdInput } from "../parts/keyword-form.ts";

const words = (pattern: RegExp) =>
  z
    .string()
    .max(100_000)
    .default("")
    .transform((text) => [
      ...new Set(
        text
          .split(pattern)
          .map((part) => part.trim())
          .filter((part) => part !== ""),
      ),
    ]);

const Input = z.object({
  ids: words(/[\s,]+/).refine(
    (all) => all.every((id) => TrackIdInput.safeParse(id).success),
    "contains something that is not a track id",
  ),
  apps: z.coerce.number().int().min(1).max(100).default(3),
  countries: words(/[\s,]+/)
    .transform((all) => all.map((code) => code.toUpperCase()))
    .refine((all) => all.every((code) => /^[A-Z]{2}$/.test(code)), "contains a country that is not two letters"),
  named: words(/\r?\n/),
  keywords: z.coerce.number().int().min(0).max(2_000).default(100),
  // shows that the form was sent: then no ticked box means no dataset
  sent: z.enum(["1"]).optional(),
  on: z
    .union([z.string(), z.array(z.string())])
    .default([])
    .transform((value) => [value].flat()),
});

type Wanted = z.output<typeof Input>;

/** More is priced on the command line: the planner processes every keyword. */
const mostKeywords = 100_000;

/** Prices the configuration for a portfolio that does not exist yet, with the planner, and writes it. Needs no account and no database. */
export const calculatorPage = definePage({
  path: "/credits/calculator",
  title: "What would it cost?",
  effort: "much",
  input: Input,
  examples: ["/credits/calculator?apps=2&countries=US,JP&keywords=50&sent=1&on=keyword_rank&on=app_rating"],
  show: async ({ app, read }, wanted) => {
    const choice = chosen(wanted);
    const key = JSON.stringify(["calculator", choice]);
    const prices = await read(key, () => priced(choice, app.clock.today()));
    return html`${pageHead("What would it cost?", "Prices come from the planner that also plans the nights, with documented prices and default timing. Nothing is requested or spent.")}
<div class="columns"><form class="card stack" id="wanted" method="get" action="/credits/calculator">
<label>Apps <span class="muted">track ids or package names, if you know them</span><textarea name="ids" rows="3">${wanted.ids.join("\n")}</textarea></label>
<label>or how many apps<input name="apps" type="number" min="1" max="100" value="${wanted.apps}"></label>
<label>Countries <span class="muted">two letters each</span><input name="countries" value="${choice.countries.join(", ")}"></label>
<label>Keywords <span class="muted">one per line, for each app and country</span><textarea name="named" rows="4">${wanted.named.join("\n")}</textarea></label>
<label>or how many keywords<input name="keywords" type="number" min="0" max="2000" value="${wanted.keywords}"></label>
<input type="hidden" name="sent" value="1">
<details${wanted.sent === undefined ? null : html` open`}><summary>Datasets: ${count(choice.on.length)} on</summary><fieldset class="checks"><legend class="unseen">Datasets</legend>${datasetBoxes(choice.on)}</fieldset></details>
<p class="buttons"><button class="button primary">Show the price</button> <a href="/credits/calculator">Start again</a></p>
</form>
<div class="stack span-two results" id="price">${resultCard(choice, prices)}${yamlCard(choice)}</div></div>`;
  },
});

/** What is priced. */
type Choice = {
  readonly apps: readonly string[];
  readonly isNamed: boolean;
  readonly countries: readonly string[];
  readonly keywords: readonly string[];
  readonly hasNamedKeywords: boolean;
  readonly on: readonly string[];
};

function chosen({ ids, apps, countries, named, keywords, sent, on }: Wanted): Choice {
  const places = countries.length > 0 ? countries : ["US"];
  const examples = examplePortfolio({ apps, countries: [], keywords: 0 }, []).apps.map(({ trackId }) => trackId);
  const made = Array.from({ length: keywords }, (_, index) => `keyword ${index + 1}`);
  const choice = {
    apps: ids.length > 0 ? ids : examples,
    isNamed: ids.length > 0,
    countries: places,
    keywords: named.length > 0 ? named : made,
    hasNamedKeywords: named.length > 0,
    on: sent === undefined ? datasets.filter((dataset) => dataset.on).map(({ name }) => name) : on,
  };
  const size = choice.apps.length * places.length * Math.max(choice.keywords.length, 1);
  if (size > mostKeywords)
    throw fail("console_bad_input", {
      problem: `${count(size)} keywords across all apps and countries: this page prices at most ${count(mostKeywords)}`,
    });
  return choice;
}

/** The differences from the defaults: the configuration that is priced, and that the page writes. */
function changeOf({ apps, countries, on }: Choice, keywords: readonly string[]) {
  const switched = datasets.filter((dataset) => dataset.on !== on.includes(dataset.name));
  return {
    source: "config",
    apps: apps.map((id) => ({ id, countries, keywords })),
    datasets: Object.fromEntries(switched.map(({ name }) => [name, on.includes(name)])),
  } as const satisfies SettingsChange;
}

function priced(choice: Choice, today: Day) {
  const { source, apps, datasets: switched } = changeOf(choice, choice.keywords);
  const settings = parsed(Settings, {
    portfolio: { source, apps },
    datasets: Object.fromEntries(Object.entries(switched).map(([name, on]) => [name, { on }])),
  });
  return datasetPrices({ apps: portfolioOf([], settings.portfolio).apps, settings, today });
}

function datasetBoxes(on: readonly string[]): readonly Html[] {
  return datasets.map(
    ({ name, summary }) =>
      html`<label class="check"
        ><input type="checkbox" name="on" value="${name}" ${on.includes(name) ? html` checked` : null} /><span
          ><code>${name}</code> <span class="muted small">${summary}</span></span
        ></label
      >`,
  );
}

function resultCard(choice: Choice, prices: readonly DatasetPrice[]): Html {
  const sum = (of: (price: DatasetPrice) => number) => Math.round(sumBy(prices, of));
  const night = sum((price) => price.night);
  const connected = sum((price) => price.connected);
  const connectedFirst = sum((price) => price.connectedFirst);
  const shown = prices
    .filter((price) => price.first + price.night + price.connected > 0)
    .sort((a, b) => b.night - a.night);
  return html`<section class="card" id="result">
    <h2>
      ${countOf(choice.apps.length, "app")} × ${countOf(choice.countries.length, "country", "countries")} ×
      ${countOf(choice.keywords.length, "keyword")}
    </h2>
    <dl class="facts big">
      <div>
        <dt>The first sync</dt>
        <dd>${count(sum((price) => price.first))}</dd>
      </div>
      <div>
        <dt>A night</dt>
        <dd>${count(night)}</dd>
      </div>
      <div>
        <dt>A month of 30 nights</dt>
        <dd>${count(sum((price) => 30 * price.night))}</dd>
      </div>
    </dl>
    <p class="muted">
      Credits.
      ${connected > 0 ? `Each connected search-ads account adds ${countOf(connectedFirst, "credit")} to the first sync, and ${count(connected)} to a night. ` : ""}The
      price is for the configuration below, with the number of keywords above. It covers the apps in that configuration,
      not those that an account tracks. Lists that only the service knows, such as competitors, count as one entry each.
    </p>
    ${
      shown.length === 0
        ? html`<p class="muted">No dataset is on.</p>`
        : dataTable(
            "Credits by dataset",
            [
              { heading: "Dataset", cell: ({ dataset }) => dataset },
              { heading: "First sync", isNumber: true, cell: ({ first }) => Math.round(first) },
              { heading: "A night", isNumber: true, cell: (price) => rounded(price.night) },
              { heading: "A month", isNumber: true, cell: (price) => Math.round(30 * price.night) },
            ],
            shown,
          )
    }
  </section>`;
}

/** A dataset that runs once a month costs a fraction of a credit per night. */
function rounded(credits: number): string | number {
  return credits > 0 && credits < 10 ? credits.toFixed(1) : Math.round(credits);
}

function yamlCard(choice: Choice): Html {
  const yaml = editedSettings("", changeOf(choice, choice.hasNamedKeywords ? choice.keywords : []));
  return html`<section class="card" id="yaml">
    <h2>For config/storehouse.yaml</h2>
    ${choice.hasNamedKeywords || choice.keywords.length === 0 ? null : html`<p class="muted">The ${countOf(choice.keywords.length, "keyword")} in the price are synthetic and left out here: list the keywords of each app under its <code>keywords</code>.</p>`}
    ${choice.isNamed ? null : html`<p class="muted">The ids are synthetic: replace them with those of your apps. <code>storehouse find</code> finds apps by name.</p>`}
    <pre tabindex="0"><code>${yaml}</code></pre>
  </section>`;
}
