import { isDeepStrictEqual } from "node:util";
import type { App } from "../app.ts";
import { accountOf, settingsOfAccount } from "../config/config-of-account.ts";
import { editedKeywords } from "../config/edit-keywords.ts";
import { editedSettings } from "../config/edit-yaml.ts";
import { readText } from "../config/read-text.ts";
import { replaceFile } from "../config/replace-file.ts";
import type { Settings } from "../config/settings.ts";
import { fail } from "../core/errors.ts";
import { portfolioPrice } from "../planner/portfolio-price.ts";
import { portfolioOf, readTracked } from "../planner/portfolio.ts";
import { settingsIn } from "../planner/settings-in.ts";
import { keywordChanges, type KeywordChanges, type KeywordVerb } from "./keyword-changes.ts";
import { historyPrice, type KeywordNights } from "./keyword-nights.ts";

type ListedApp = Settings["portfolio"]["apps"][number];

/** An entry of portfolio.apps. Among entries with the same track id, `entry` is its number, from 1. */
export type ListedPlace = { readonly trackId: string; readonly entry: number };

/** A change of the keywords of one entry, calculated but not made. */
export type ListedChange = {
  /** Position of the entry in portfolio.apps, from 0. */
  readonly index: number;
  readonly changes: KeywordChanges;
  /** The entry after the change. */
  readonly app: ListedApp;
  readonly before: Settings;
  readonly after: Settings;
};

/** Calculates a change of what the configuration lists; null if it has no such entry. */
export function listedChange(
  before: Settings,
  { trackId, entry }: ListedPlace,
  { verb, named }: { readonly verb: KeywordVerb; readonly named: readonly string[] },
): ListedChange | null {
  const { portfolio } = before;
  const index = portfolio.apps.flatMap(({ id }, at) => (id === trackId ? [at] : []))[entry - 1];
  const listed = index === undefined ? undefined : portfolio.apps[index];
  if (index === undefined || listed === undefined) return null;
  const changes = keywordChanges(verb, named, listed.keywords);
  const gone = new Set(changes.remove);
  const app = { ...listed, keywords: [...listed.keywords.filter((keyword) => !gone.has(keyword)), ...changes.add] };
  const after = { ...before, portfolio: { ...portfolio, apps: portfolio.apps.with(index, app) } };
  return { index, changes, app, before, after };
}

/** What a night costs before and after it, and how much more the first night costs, which loads the history of what was added. */
export type ListedPrice = KeywordNights & { readonly first: number };

/** Prices a change, with what the account tracks as last read. */
export async function priceOfListed(
  { warehouse, clock }: Pick<App, "warehouse" | "clock">,
  { before, after, app, changes }: ListedChange,
): Promise<ListedPrice> {
  const tracked = await readTracked(warehouse.db, { account: accountOf(before) });
  const today = clock.today();
  const priceOf = (settings: Settings) =>
    portfolioPrice({ apps: portfolioOf(tracked, settings.portfolio).apps, settings, today });
  const [own] = portfolioOf([], { ...after.portfolio, source: "config", apps: [app] }).apps;
  const [now, then] = [await priceOf(before), await priceOf(after)];
  const history = own === undefined ? 0 : await historyPrice(own, changes.add, { settings: after, today });
  return {
    before: Math.round(now.night),
    after: Math.round(then.night),
    first: Math.ceil(Math.max(history, then.night - now.night, 0)),
  };
}

/** The entry as lines for the configuration file, for a person who edits it by hand. */
export function listedAsYaml({ app, after }: Pick<ListedChange, "app" | "after">): string {
  const empty = editedSettings("", { apps: [{ ...app, keywords: [] }] });
  const text = editedKeywords(empty, 0, { add: app.keywords, remove: [] }) ?? empty;
  const account = accountOf(after);
  return account === "" ? text : `accounts:\n  ${account}:\n${text.replaceAll(/^(?=.)/gm, "    ")}`;
}

/**
 * Writes a change into the configuration file, as a whole or not at all; comments stay. Throws `config_shared` if other settings would
 * change with it, `unwritable_file` if this process may not write it.
 */
export function writeListed(file: string, { index, changes, after }: ListedChange): void {
  const text = editedKeywords(readText(file) ?? "", index, { ...changes, account: accountOf(after) });
  if (text === null) throw fail("config_shared", { file });
  const check = (beside: string) => {
    if (!isDeepStrictEqual(settingsOfAccount(settingsIn(beside), after.portfolio.account), after))
      throw fail("config_shared", { file });
  };
  replaceFile(file, text, { check });
}
