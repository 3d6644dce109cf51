import { z } from "zod";
import { capital, count, countOf } from "../../core/words.ts";
import { fail } from "../../core/errors.ts";
import { keywordVerbs, type KeywordChanges, type KeywordVerb } from "../../person/keyword-changes.ts";
import { keywordsGiven } from "../../person/keyword-list.ts";
import { nightsInWords, type KeywordNights } from "../../person/keyword-nights.ts";
import type { ActionFields } from "../define-action.ts";
import type { PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { hiddenFields } from "./form-fields.ts";

/** A track id in a form or an address. */
export const TrackIdInput = z.string().regex(/^(\d+|[A-Za-z]\w*(\.\w+)+)$/, "is not a track id");

/** The fields of the form in addition to app and country: what to do with which keywords. */
export const keywordFields = {
  verb: z.enum(keywordVerbs),
  keywords: z.string().max(500_000),
} as const;

/** The keywords of the form, each once. Throws `console_bad_input` for none, `bad_argument` for an invalid one. */
export function keywordsTyped({
  keywords,
  verb,
}: {
  readonly keywords: string;
  readonly verb: KeywordVerb;
}): readonly string[] {
  const lines = keywords.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0) throw fail("console_bad_input", { problem: "no keyword is given" });
  return keywordsGiven(lines, undefined, verb === "remove" ? "remove" : "add").keywords;
}

/** The form that names keywords, one per line; for a viewer the sentence that an operator does this. */
export function keywordForm(
  { visitor, formToken, address }: PageContext,
  {
    action,
    follow,
    fields,
    note,
  }: { readonly action: string; readonly follow: string; readonly fields: ActionFields; readonly note: string },
): Html {
  if (visitor.role !== "operator")
    return html`<section class="card">
      <h2>Change keywords</h2>
      <p class="muted">Only operators can change keywords.</p>
    </section>`;
  return html`<form class="card stack" method="post" action="/actions/${action}" id="change">
    <h2>Change keywords</h2>
    <label
      >Keywords <span class="muted">one per line</span><textarea name="keywords" rows="8" required></textarea>
    </label>
    <fieldset class="checks">
      <legend class="unseen">What to do</legend>
      <label class="check"
        ><input type="radio" name="verb" value="add" checked /><span>${capital(follow)} these as well</span></label
      >
      <label class="check"
        ><input type="radio" name="verb" value="remove" /><span>No longer ${follow} these</span></label
      >
      <label class="check"
        ><input type="radio" name="verb" value="sync" /><span>${capital(follow)} only these</span></label
      >
    </fieldset>
    ${hiddenFields({ ...fields, back: address, _csrf: formToken() })}
    <p class="buttons"><button class="button primary">See what would change</button></p>
    <p class="muted small">${note}</p>
  </form>`;
}

/** What would be added and removed, and how much more or less a night then costs. */
export function changesList({ add, remove, left }: KeywordChanges, nights: KeywordNights | null): Html {
  return html`<div class="changes">
    ${keywordLines("+", "to add", add)}
    ${keywordLines("−", "to remove", remove)}${left.length === 0 ? null : html`<p class="muted">${countOf(left.length, "keyword stays as it is", "keywords stay as they are")}.</p>`}${
      nights === null ? null : html`<p>${nightsInWords(nights)}</p>`
    }
  </div>`;
}

const shown = 50;

function keywordLines(sign: string, verb: string, keywords: readonly string[]): Html | null {
  if (keywords.length === 0) return null;
  const rest = keywords.length - shown;
  return html`<h2>${countOf(keywords.length, "keyword")} ${verb}</h2>
    <ul class="plain keywords">
      ${keywords.slice(0, shown).map((keyword) => html`<li>${sign} ${keyword}</li>`)}${rest > 0 ? html`<li class="muted">and ${count(rest)} more</li>` : null}
    </ul>`;
}
