import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { Country } from "../../config/portfolio-settings.ts";
import { dailyKeywordRankings, numberOfKeywords } from "../../api/operations/dashboard.ts";
import { apiAccess } from "../../config/config.ts";
import { count, countOf } from "../../core/words.ts";
import { fail, StorehouseError } from "../../core/errors.ts";
import { callPrice, learnedPrices } from "../../credits/costs.ts";
import { createRunLimit } from "../../credits/run-limit.ts";
import { checkBalance } from "../../ingest/balance-check.ts";
import { openIngest } from "../../open-ingest.ts";
import { apiSession } from "../../person/api-session.ts";
import {
  callsFor,
  changeKeywords,
  creditsFor,
  keywordChanges,
  unconfirmedInWords,
  type KeywordChanges,
  type KeywordsChanged,
} from "../../person/keyword-changes.ts";
import { nightsWith } from "../../person/keyword-nights.ts";
import { seeChanges } from "../../person/seen-changes.ts";
import { makeListsDue } from "../../person/tracked-lists.ts";
import { withAdvisoryLock } from "../../postgres/advisory-lock.ts";
import { readKeywordsSince } from "../../planner/portfolio-since.ts";
import { defineAction, type ActionContext } from "../define-action.ts";
import { changesList, keywordFields, keywordsTyped, TrackIdInput } from "../parts/keyword-form.ts";

const Input = z.object({
  app: TrackIdInput,
  country: z
    .string()
    .transform((code) => code.trim().toUpperCase())
    .refine((code) => /^[A-Z]{2}$/.test(code), "is not a two-letter country code")
    .pipe(Country),
  ...keywordFields,
});

type Wanted = z.output<typeof Input>;

const placeOf = ({ app, country }: Wanted) => ({ trackId: app, country });

/** What would change, according to the list last read: reading the list again costs credits. */
async function expected({ app }: ActionContext, wanted: Wanted): Promise<KeywordChanges> {
  const known = await readKeywordsSince(app.warehouse.db, {
    ...placeOf(wanted),
    account: accountOf(app.config.settings),
  });
  return keywordChanges(
    wanted.verb,
    keywordsTyped(wanted),
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
    if (callsFor(changes) === 0)
      throw fail("console_bad_input", {
        problem: "the account already tracks exactly these keywords, according to the list last read",
      });
    const nights = await nightsWith(context.app, placeOf(wanted), changes);
    const { app, country, verb } = wanted;
    // the number of tracked keywords is requested first; the list only if it decides what is removed and has changed since it was read
    const learned = await learnedPrices(context.app.warehouse.db);
    const listPrice = callPrice(dailyKeywordRankings, learned);
    const reading = callPrice(numberOfKeywords, learned) + (verb === "sync" ? listPrice : 0);
    const list =
      verb === "sync"
        ? ` If the account has changed the list since, it is read again for ${countOf(listPrice, "credit")}.`
        : "";
    return {
      credits: creditsFor(changes, learned) + reading,
      alwaysAsk: true,
      // removals first: a text that is too long loses its end
      about: { app, country, verb, remove: changes.remove, add: changes.add },
      binds: [changes.remove, changes.add],
      says: `This adds ${countOf(changes.add.length, "keyword")} and removes ${count(changes.remove.length)} for ${app} in ${country}.${list}`,
      detail: changesList(changes, nights),
    };
  },
  run: async (context, wanted, { credits: mostCredits }) => {
    // before the wait, in which a sync may read a list that this person has not seen
    const shown = await expected(context, wanted);
    // one at a time: a second person's changes are calculated from the result of the first
    const done = await withAdvisoryLock(context.app.warehouse.db, { name: "keywords", signal: context.stop }, () =>
      carryOut(context, wanted, { mostCredits, shown }),
    );
    return {
      says: [
        `${count(done.added.length)} added, ${count(done.removed.length)} removed. The next sync reads the list again.`,
        ...unconfirmedInWords(done),
      ].join(" "),
      to: `/portfolio/${encodeURIComponent(wanted.app)}/${wanted.country}`,
    };
  },
});

/**
 * Sends the changes. Throws `console_bad_input` before anything is changed if they are not those that were shown, `console_keywords_left`
 * after a part of them.
 */
async function carryOut(
  { app, stop }: ActionContext,
  wanted: Wanted,
  { mostCredits, shown }: { readonly mostCredits: number; readonly shown: KeywordChanges },
): Promise<KeywordsChanged> {
  const runLimit = createRunLimit(mostCredits);
  await using ingest = await openIngest(app, "command", runLimit);
  const session = apiSession({ app, ingest, stop, onInvalid: () => undefined });
  await checkBalance(ingest.parts, stop);
  const named = keywordsTyped(wanted);
  const { now, changes } = await seeChanges(session, { verb: wanted.verb, place: placeOf(wanted), named });
  const seen = new Set(shown.remove);
  const unseen = changes.remove.filter((keyword) => !seen.has(keyword));
  const isMoreExpensive = creditsFor(changes, ingest.parts.learned) > runLimit.left();
  if (unseen.length > 0 || isMoreExpensive) {
    // so that the command requests them
    await makeListsDue(session, placeOf(wanted), now, null);
    throw fail("console_bad_input", {
      problem: `the keywords of the account differ from the list last read, and ${isMoreExpensive ? "the change costs more" : `${countOf(unseen.length, "keyword")} more would be removed`}: read the list with \`storehouse sync --dataset tracked_keyword\`, then review the changes again`,
    });
  }
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
