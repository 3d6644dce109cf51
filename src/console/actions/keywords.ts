import { z } from "zod";
import { addKeywords } from "../../api/operations/dashboard-keyword.ts";
import { dailyKeywordRankings, numberOfKeywords } from "../../api/operations/dashboard.ts";
import { apiAccess } from "../../config/config.ts";
import { count, countOf } from "../../core/count.ts";
import { fail, StorehouseError } from "../../core/errors.ts";
import { createBudget } from "../../credits/budget.ts";
import { checkBalance } from "../../ingest/balance-check.ts";
import { openIngest } from "../../open-ingest.ts";
import { apiSession } from "../../person/api-session.ts";
import {
  callsFor,
  changeKeywords,
  keywordChanges,
  trackedNow,
  type KeywordChanges,
  type KeywordsChanged,
} from "../../person/keyword-changes.ts";
import { keywordsGiven } from "../../person/keyword-list.ts";
import { nightsWith } from "../../person/keyword-nights.ts";
import { withAdvisoryLock } from "../../postgres/advisory-lock.ts";
import { readKeywordsSince } from "../../planner/portfolio-since.ts";
import { defineAction, type ActionContext } from "../define-action.ts";
import { html, type Html } from "../html.ts";

const Input = z.object({
  app: z.string().regex(/^(\d+|[A-Za-z]\w*(\.\w+)+)$/, "is no track id"),
  country: z
    .string()
    .transform((code) => code.trim().toUpperCase())
    .refine((code) => /^[A-Z]{2}$/.test(code), "is no country of two letters"),
  verb: z.enum(["add", "remove", "sync"]),
  keywords: z.string().max(500_000),
});

type Wanted = z.output<typeof Input>;

const placeOf = ({ app, country }: Wanted) => ({ trackId: app, country });

function named({ keywords, verb }: Wanted): readonly string[] {
  const lines = keywords.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0) throw fail("console_bad_input", { problem: "no keyword is named" });
  return keywordsGiven(lines, undefined, verb === "remove" ? "remove" : "add").keywords;
}

/** What would change, by the list that was read last: seeing the list itself costs credits. */
async function expected({ app }: ActionContext, wanted: Wanted): Promise<KeywordChanges> {
  const known = await readKeywordsSince(app.warehouse.db, placeOf(wanted));
  return keywordChanges(
    wanted.verb,
    named(wanted),
    known.map(({ keyword }) => keyword),
  );
}

/** Changes the keywords that the account tracks for an app and country, as `storehouse keywords` does. */
export const keywordsAction = defineAction({
  name: "keywords",
  label: "Change the keywords",
  input: Input,
  price: async (context, wanted) => {
    apiAccess(context.app.config.environment);
    const changes = await expected(context, wanted);
    const calls = callsFor(changes);
    if (calls === 0)
      throw fail("console_bad_input", { problem: "the account tracks just these keywords already, as last read" });
    const nights = await nightsWith(context.app, placeOf(wanted), changes);
    const { app, country, verb } = wanted;
    // how many are tracked is asked first; the list itself only where it decides what is removed and is not the one last read
    const reading = numberOfKeywords.cost + (verb === "sync" ? dailyKeywordRankings.cost : 0);
    const list =
      verb === "sync"
        ? ` The list itself is read again, for ${countOf(dailyKeywordRankings.cost, "credit")}, where the account has changed it since.`
        : "";
    return {
      credits: calls * addKeywords.cost + reading,
      alwaysAsk: true,
      // what is removed first: a text that is too long loses its end
      about: { app, country, verb, remove: changes.remove, add: changes.add },
      binds: [changes.remove, changes.add],
      says: `The account tracks ${count(changes.add.length)} keywords more and ${count(changes.remove.length)} fewer for ${app} in ${country}.${list}`,
      detail: changesList(changes, nights),
    };
  },
  run: async (context, wanted, mostCredits) => {
    // one after the other: the second person's changes are worked out from what the first one's came to
    const done = await withAdvisoryLock(context.app.warehouse.db, "keywords", () =>
      carryOut(context, wanted, mostCredits),
    );
    return {
      says: `${count(done.added.length)} added, ${count(done.removed.length)} removed. The next sync reads the list again.`,
      to: `/portfolio/${encodeURIComponent(wanted.app)}/${wanted.country}`,
    };
  },
});

/** Sends the changes. Throws `console_bad_input` before anything is changed where they are not those that were shown, `console_keywords_left` half-way. */
async function carryOut(context: ActionContext, wanted: Wanted, mostCredits: number): Promise<KeywordsChanged> {
  const { app } = context;
  const budget = createBudget(mostCredits);
  await using ingest = await openIngest(app, "command", budget);
  const stop = new AbortController().signal;
  const session = apiSession({ app, ingest, stop, onInvalid: () => undefined });
  await checkBalance(ingest.parts, stop);
  const now = await trackedNow(session, placeOf(wanted), wanted.verb === "sync" ? "when needed" : "never");
  const changes = keywordChanges(wanted.verb, named(wanted), now.keywords);
  const shown = new Set((await expected(context, wanted)).remove);
  const unseen = changes.remove.filter((keyword) => !shown.has(keyword));
  const isDearer = callsFor(changes) * addKeywords.cost > budget.left();
  if (unseen.length > 0 || isDearer)
    throw fail("console_bad_input", {
      problem: `the account tracks other keywords than the list last read, and ${isDearer ? "the change costs more" : `${countOf(unseen.length, "keyword")} more would be removed`}: read it with \`storehouse sync --dataset tracked_keyword\`, then see the changes again`,
    });
  const done = await changeKeywords(session, placeOf(wanted), now, changes);
  if (done.error === null) return done;
  const problem = done.error instanceof StorehouseError ? done.error.message : "the change was interrupted";
  const counts = {
    added: done.added.length,
    add: changes.add.length,
    removed: done.removed.length,
    remove: changes.remove.length,
  };
  throw fail("console_keywords_left", { ...counts, problem: app.hide(problem) }, done.error);
}

function changesList(
  { add, remove, left }: KeywordChanges,
  nights: { readonly before: number; readonly after: number } | null,
): Html {
  return html`<div class="changes">
    ${keywordLines("+", "to add", add)}
    ${keywordLines("−", "to remove", remove)}${left.length === 0 ? null : html`<p class="muted">${countOf(left.length, "keyword needs nothing", "keywords need nothing")}.</p>`}${
      nights === null
        ? null
        : html`<p>
            A night then costs about <strong>${count(nights.after)}</strong> credits, now ${count(nights.before)}; 30
            nights about ${count(30 * nights.after)}.
          </p>`
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
