import type { Command } from "commander";
import type { z } from "zod";
import { appSearch, companyUrlSearch } from "../../api/operations/dashboard-search.ts";
import { fail } from "../../core/errors.ts";
import { storeOf, type Store } from "../../core/store.ts";
import { ifAny, type SendRequest } from "../../person/api-session.ts";
import { withApiSession } from "../api-request.ts";
import { print, printJson, remark } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { table } from "../table.ts";

type Options = { readonly url?: string; readonly json?: true };

/** `storehouse find`: apps of both stores by name, or by their company's URL. */
export function defineFind(command: Command): void {
  command
    .argument("[name...]", "name of an app, or a part of it")
    .option("--url <url>", "URL of a company, with or without https://, instead of a name")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `\nA search by name costs ${countOf(appSearch.cost, "credit")}, one by URL ${countOf(companyUrlSearch.cost, "credit")}.\n\nExamples:\n  storehouse find "habit tracker"\n  storehouse find --url example.com --json\n\nExit codes: 0 answered, 1 the API failed, 2 usage, settings or token, 3 no credits are left.`,
    )
    .action((words: string[], options: Options) => {
      const query = queryOf(words, options);
      return withApiSession(async ({ send }) => {
        // a search by name costs a single credit
        if (options.url !== undefined) remark(`This spends up to ${countOf(companyUrlSearch.cost, "credit")}.`);
        const found = options.url === undefined ? await byName(send, query) : await byUrl(send, query);
        if (options.json) printJson(found);
        else if (found.length === 0) print(`No app was found for ${JSON.stringify(query)}.`);
        else print(tableOf(found));
      });
    });
}

/** The search query. Throws a UsageError if there is none, or both a name and a URL. */
function queryOf(words: readonly string[], { url }: Options): string {
  const name = words.join(" ").trim();
  if (url !== undefined && words.length > 0)
    throw fail("bad_argument", { problem: "search for a name or for --url, not for both" });
  const query = url?.trim() ?? name;
  // a URL from a script with an empty host would be paid for
  if (/^(https?:\/\/)?\/*$/i.test(query))
    throw fail("bad_argument", { problem: "there is nothing to search for: give a name, or --url with a URL" });
  if (url !== undefined && /\s/.test(query))
    throw fail("bad_argument", {
      problem: "--url contains a space, which no URL does: to search by name, leave --url out",
    });
  return query;
}

type Hit = Partial<z.output<typeof appSearch.answer>[number]> & { readonly companyUrl?: string | null | undefined };

/** An app that was found, the best first; what the service did not send is null. */
type FoundApp = ReturnType<typeof appOf>;

async function byName(send: SendRequest, query: string): Promise<readonly FoundApp[]> {
  const hits = (await ifAny(send(appSearch, { query }))) ?? [];
  return hits.map((hit) => appOf(hit, storeOf(String(hit.trackId))));
}

async function byUrl(send: SendRequest, query: string): Promise<readonly FoundApp[]> {
  const { ios, play } = (await ifAny(send(companyUrlSearch, { query }))) ?? {};
  return [...(ios ?? []).map((hit) => appOf(hit, "ios")), ...(play ?? []).map((hit) => appOf(hit, "android"))];
}

function appOf(hit: Hit, store: Store) {
  return {
    store,
    trackId: String(hit.trackId),
    name: hit.name ?? null,
    categoryId: hit.categoryId == null ? null : String(hit.categoryId),
    categoryName: hit.categoryName ?? null,
    developerId: hit.developerId == null ? null : String(hit.developerId),
    developerName: hit.developerName ?? null,
    iconUrl: hit.iconUrl ?? null,
    companyUrl: hit.companyUrl ?? null,
    score: hit.rankScore ?? hit.searchScore ?? null,
  };
}

function tableOf(found: readonly FoundApp[]): string {
  return table(
    ["store", "id", "name", "category", "developer", "score"],
    found.map((app) => [app.store, app.trackId, app.name, app.categoryName, app.developerName, app.score]),
  );
}
