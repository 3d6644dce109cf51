import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { count, countOf } from "../../core/words.ts";
import { fail } from "../../core/errors.ts";
import {
  listedAsYaml,
  listedChange,
  priceOfListed,
  writeListed,
  type ListedChange,
} from "../../person/listed-keywords.ts";
import { withAdvisoryLock } from "../../postgres/advisory-lock.ts";
import { configurationNow, whyNotWritten } from "../configuration.ts";
import { defineAction, type ActionContext } from "../define-action.ts";
import { html } from "../html.ts";
import { changesList, keywordFields, keywordsTyped, TrackIdInput } from "../parts/keyword-form.ts";

const Input = z.object({ app: TrackIdInput, entry: z.coerce.number().int().min(1).default(1), ...keywordFields });

type Wanted = z.output<typeof Input>;

/** The change to the file as it is now. */
function changeOf(
  { app }: ActionContext,
  wanted: Wanted,
): { readonly file: string | null; readonly change: ListedChange } {
  const { file, settings, problem } = configurationNow(app);
  if (problem !== null)
    throw fail("console_bad_input", {
      problem: `the configuration file has an error that must be fixed first: ${problem}`,
    });
  const place = { trackId: wanted.app, entry: wanted.entry };
  const change = listedChange(settings, place, { verb: wanted.verb, named: keywordsTyped(wanted) });
  if (change === null) throw fail("console_unknown", { what: `entry of ${wanted.app} in the configuration` });
  return { file, change };
}

/** What an agreement is bound to. */
const keywordsOf = ({ changes: { remove, add } }: ListedChange) => [remove, add];

/**
 * Changes the keywords that config/storehouse.yaml lists for an app. Nothing is spent at once: the price is what the next sync spends on
 * it.
 */
export const listedKeywordsAction = defineAction({
  name: "listed-keywords",
  label: "Change the configuration",
  input: Input,
  price: async (context, wanted) => {
    const { file, change } = changeOf(context, wanted);
    const { add, remove } = change.changes;
    if (add.length + remove.length === 0)
      throw fail("console_bad_input", { problem: "the configuration already lists exactly these keywords" });
    const price = await priceOfListed(context.app, change);
    const { app, entry, verb } = wanted;
    const cannot = whyNotWritten(file);
    const countries = countOf(change.app.countries.length, "country", "countries");
    return {
      credits: price.first,
      later: "more in the first night, for the history of the added keywords",
      alwaysAsk: true,
      about: { app, entry, verb, remove, add },
      binds: keywordsOf(change),
      says: `This adds ${countOf(add.length, "keyword")} and removes ${count(remove.length)} for ${app} in the configuration, in ${countries}.${sourceWords[change.before.portfolio.source]}`,
      detail: html`${changesList(change.changes, price)}${
        cannot === null ? null : html`<pre tabindex="0"><code>${listedAsYaml(change)}</code></pre>`
      }`,
      ...(cannot === null ? {} : { cannot }),
    };
  },
  run: async (context, wanted, agreed) => {
    // one at a time: a second person's change is calculated from the file that the first left
    const { add, remove } = await withAdvisoryLock(
      context.app.warehouse.db,
      { name: "configuration", signal: context.stop },
      () => {
        const { file, change } = changeOf(context, wanted);
        const cannot = whyNotWritten(file);
        if (file === null || cannot !== null)
          throw fail("console_bad_input", { problem: cannot ?? "there is no file" });
        if (!isDeepStrictEqual(keywordsOf(change), agreed.binds))
          throw fail("console_bad_input", {
            problem: "the configuration has changed since it was shown: review the changes again",
          });
        writeListed(file, change);
        return Promise.resolve(change.changes);
      },
    );
    return {
      says: `${count(add.length)} added, ${count(remove.length)} removed. Processes read the file when they start: restart the workers and this console.`,
      to: `/portfolio/listed/${encodeURIComponent(wanted.app)}?entry=${wanted.entry}`,
    };
  },
});

const sourceWords = {
  account: " With portfolio.source: account, none of them is in the portfolio.",
  config: "",
  both: "",
} as const;
