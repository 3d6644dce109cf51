import { Argument, Option, type Command } from "commander";
import { androidAppDiscovery, iosAppDiscovery } from "../../api/operations/app.ts";
import { fail } from "../../core/errors.ts";
import { storeOf, type Store } from "../../core/store.ts";
import { countryArgument, trackIdArgument } from "../api-arguments.ts";
import { withApiSession } from "../api-request.ts";
import { print, printJson } from "../output.ts";
import { countOf } from "../../core/words.ts";

type Options = { readonly country?: string; readonly json?: true };

/** `storehouse discover`: has the service crawl an app that it does not know yet. */
export function defineDiscover(command: Command): void {
  command
    .addArgument(new Argument("<store>", "store of the app").choices(["ios", "android"]))
    .addArgument(new Argument("<id>", "track id (iOS) or package name (Android) of the app").argParser(trackIdArgument))
    .addOption(
      new Option("--country <code>", "country of the store; required for Android, not allowed for iOS").argParser(
        countryArgument,
      ),
    )
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `\nIt costs ${countOf(iosAppDiscovery.cost, "credit")}.\n\nExamples:\n  storehouse discover ios 1459023318\n  storehouse discover android com.example.app --country US\n\nExit codes: 0 queued, 1 not queued or the API failed, 2 usage, settings or token, 3 no credits are left.`,
    )
    .action((store: Store, trackId: string, options: Options) => {
      const call = callOf(store, trackId, options);
      return withApiSession(async ({ send }) => {
        const isQueued = await send(call.operation, call.params);
        if (options.json) printJson({ store, trackId, country: options.country ?? null, queued: isQueued });
        else
          print(
            isQueued
              ? `${trackId} is queued. Once the service has read it, \`storehouse app ${trackId}\` shows it.`
              : `The service did not queue ${trackId}.`,
          );
        if (!isQueued) process.exitCode = 1;
      });
    });
}

/** The call that queues an app. Throws a UsageError if id, store and country do not match. */
function callOf(store: Store, trackId: string, { country }: Options) {
  if (storeOf(trackId) !== store)
    throw fail("bad_argument", { store, id: trackId, problem: `the id is one of ${storeOf(trackId)}` });
  if (store === "ios") {
    if (country !== undefined)
      throw fail("bad_argument", { country, problem: "iOS apps are read in all countries: leave --country out" });
    return { operation: iosAppDiscovery, params: { trackId } };
  }
  if (country === undefined)
    throw fail("bad_argument", { problem: "Android apps are read in one country: name it by --country" });
  return { operation: androidAppDiscovery, params: { trackId, country } };
}
