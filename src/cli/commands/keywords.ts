import { Argument, Option, type Command } from "commander";
import { addKeywords } from "../../api/operations/dashboard-keyword.ts";
import { dailyKeywordRankings } from "../../api/operations/dashboard.ts";
import { fail } from "../../core/errors.ts";
import { countOf } from "../../core/words.ts";
import { learnedPrices } from "../../credits/costs.ts";
import type { ApiSession } from "../../person/api-session.ts";
import { callsFor, changeKeywords, creditsFor, keywordVerbs, type KeywordVerb } from "../../person/keyword-changes.ts";
import { keywordsGiven } from "../../person/keyword-list.ts";
import { nightsWith } from "../../person/keyword-nights.ts";
import { isStillSeen, seeChanges, type WantedChange } from "../../person/seen-changes.ts";
import { withAdvisoryLock } from "../../postgres/advisory-lock.ts";
import { countryArgument, trackIdArgument } from "../api-arguments.ts";
import { withApiSession } from "../api-request.ts";
import { canConfirm, confirm } from "../confirm.ts";
import { exitCodeUnconfirmed } from "../exit-codes.ts";
import { changesAsJson, changesInWords, doneInWords, leftInWords, type ChangeReport } from "../keyword-report.ts";
import { print, printJson, remark } from "../output.ts";

type Options = {
  readonly file?: string;
  readonly fresh?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
};

const verbs = {
  add: { does: "track more keywords", example: 'add 1459023318 US "habit tracker" "to do list"' },
  remove: { does: "stop tracking keywords", example: "remove 1459023318 US --file gone.txt --yes" },
  sync: {
    does: "track exactly the keywords that are named",
    example: "sync com.example.app JP --file keywords.txt --dry-run",
  },
} as const satisfies Record<KeywordVerb, { does: string; example: string }>;

/** `storehouse keywords`: makes the tracked keywords those of a list. */
export function defineKeywords(keywords: Command): void {
  for (const verb of keywordVerbs) addVerb(keywords, verb);
}

function addVerb(keywords: Command, verb: KeywordVerb): void {
  const { does, example } = verbs[verb];
  const { cost } = dailyKeywordRankings;
  // only the list shows what is to be removed
  const listPrice =
    verb === "sync"
      ? ` If this number differs from the list last synced, the list is read first, also with --dry-run: ${cost} credits.`
      : "";
  keywords
    .command(verb)
    .description(`have the account ${does}; shows what would change and requires confirmation`)
    .addArgument(new Argument("<app>", "track id (iOS) or package name (Android)").argParser(trackIdArgument))
    .addArgument(new Argument("<country>", "country of the store, for instance US").argParser(countryArgument))
    .argument("[keyword...]", "keywords; put those that contain spaces in quotes")
    .option(
      "--file <file>",
      "file with more keywords, one per line; empty lines and lines that begin with # and a space are ignored",
    )
    .addOption(
      new Option(
        "--fresh",
        `read the tracked keywords again (${cost} credits), even if their number is that of the list last synced`,
      ),
    )
    .option("--dry-run", "only show what would change")
    .option("--yes", "run without confirmation")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `\nA call changes up to ${addKeywords.params.body.maxItems} keywords for ${addKeywords.cost} credit; one more credit checks how many are tracked.${listPrice}\n\nExample:\n  storehouse keywords ${example}\n\nExit codes: 0 done or nothing to do, 1 the API failed (the output says what was done), 2 usage, settings, token or not confirmed, 3 no credits are left, 130 interrupted.`,
    )
    .action((trackId: string, country: string, words: string[], options: Options) => {
      const { keywords: named, repeats } = keywordsGiven(words, options.file, verb === "remove" ? "remove" : "add");
      const wanted = { verb, place: { trackId, country }, named, fresh: options.fresh };
      return withApiSession((session) => change({ session, wanted, repeats, options }));
    });
}

type ChangeRequest = {
  readonly session: ApiSession;
  readonly wanted: WantedChange;
  readonly repeats: number;
  readonly options: Options;
};

async function change(request: ChangeRequest): Promise<void> {
  const { session, options } = request;
  const lock = { name: "keywords", signal: session.stop } as const;
  const alone = <T>(work: () => Promise<T>) => withAdvisoryLock(session.app.warehouse.db, lock, work);
  if (options.yes)
    return alone(async () => {
      const report = await see(request);
      if (report !== null) await send(request, report);
    });
  // the lock is not kept while a person decides
  const report = await alone(() => see(request));
  if (report === null || !(await isAgreed(request, report))) return;
  await alone(async () => {
    if (await isStillSeen(session, request.wanted.place, report)) return send(request, report);
    if (options.json) printJson(changesAsJson(report, null));
    throw fail("keywords_changed");
  });
}

/** Shows what would change; null if there is nothing to send. */
async function see({ session, wanted, repeats, options }: ChangeRequest): Promise<ChangeReport | null> {
  const seen = await seeChanges(session, wanted);
  const calls = callsFor(seen.changes);
  const nights = calls === 0 ? null : await nightsWith(session.app, wanted.place, seen.changes);
  const credits = creditsFor(seen.changes, await learnedPrices(session.app.warehouse.db));
  const report: ChangeReport = { place: wanted.place, ...seen, repeats, credits, nights };
  // the result is one JSON value: what is shown before it goes to stderr
  (options.json ? remark : print)(changesInWords(report));
  if (calls > 0 && !options.dryRun) return report;
  if (options.json) printJson(changesAsJson(report, null));
  return null;
}

async function send({ session, options }: ChangeRequest, report: ChangeReport): Promise<void> {
  const { place, now, changes } = report;
  const done = await changeKeywords(session, place, now, changes);
  if (options.json) printJson(changesAsJson(report, done));
  if (done.error === null) {
    if (!options.json) print(doneInWords(done));
    return;
  }
  remark(leftInWords(changes, done));
  throw done.error;
}

/** Has the person confirm. Throws a UsageError if there is no terminal. */
async function isAgreed(
  { session: { stop }, options: { json } }: ChangeRequest,
  report: ChangeReport,
): Promise<boolean> {
  if (!canConfirm()) {
    if (json) printJson(changesAsJson(report, null));
    throw fail("not_confirmed");
  }
  if (await confirm(`Do it, for ${countOf(report.credits, "credit")}?`, stop)) return true;
  if (json) printJson(changesAsJson(report, null));
  remark("Nothing was changed.");
  process.exitCode = exitCodeUnconfirmed(stop);
  return false;
}
