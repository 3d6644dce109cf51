import { Argument, Option, type Command } from "commander";
import { checkBadge } from "../../api/operations/ad-intelligence.ts";
import { androidAppDetail, iosAppDetail } from "../../api/operations/app.ts";
import { appMatch } from "../../api/operations/market.ts";
import { fail } from "../../core/errors.ts";
import { storeOf } from "../../core/store.ts";
import { fetchAppOverview, type StorePage, printAppOverview } from "../app-overview.ts";
import { countryArgument, languageArgument, trackIdArgument } from "../api-arguments.ts";
import { saysNothing } from "../../person/api-session.ts";
import { withApiSession } from "../api-request.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson, remark } from "../output.ts";
import { countOf } from "../../core/words.ts";

type Options = { readonly country?: string; readonly language?: string; readonly json?: true };

const credits = iosAppDetail.cost + appMatch.cost + checkBadge.cost;

/** `storehouse app`: an overview of one app. */
export function defineApp(command: Command): void {
  command
    .addArgument(new Argument("<id>", "track id (iOS) or package name (Android)").argParser(trackIdArgument))
    .addOption(
      new Option("--country <code>", "country of the store page to show; iOS only (default: the app's own)").argParser(
        countryArgument,
      ),
    )
    .addOption(
      new Option("--language <code>", "language of the store page to show; Android only (default: EN)").argParser(
        languageArgument,
      ),
    )
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `\nIt costs ${countOf(credits, "credit")}. If a part is unavailable, the command says so and shows the others.\n\nExamples:\n  storehouse app 1459023318 --country JP\n  storehouse app com.example.app --json\n\nExit codes: 0 shown, 1 nothing is available, 2 usage, settings or token, 3 no credits are left.`,
    )
    .action((trackId: string, options: Options) => {
      const page = pageOf(trackId, options);
      return withApiSession(async ({ send }) => {
        remark(`This spends up to ${countOf(credits, "credit")}.`);
        try {
          const overview = await fetchAppOverview(send, page);
          if (options.json) printJson(overview);
          else printAppOverview(overview);
        } catch (error) {
          if (!saysNothing(error)) throw error;
          // the next step of such an error is about slices
          remark(
            `${error.code}: ${error.problem}; \`${discoverCommand(trackId)}\` requests that the service reads it.`,
          );
          process.exitCode = exitCodes.failed;
        }
      });
    });
}

/** The page that is requested. Throws a UsageError if an option belongs to the other store. */
function pageOf(trackId: string, { country, language }: Options): StorePage {
  if (storeOf(trackId) === "ios") {
    if (language !== undefined)
      throw fail("bad_argument", { language, problem: "pages of iOS apps differ by country: use --country" });
    return { operation: iosAppDetail, trackId, place: country === undefined ? {} : { countryCode: country } };
  }
  if (country !== undefined)
    throw fail("bad_argument", { country, problem: "pages of Android apps differ by language: use --language" });
  return { operation: androidAppDetail, trackId, place: language === undefined ? {} : { langCode: language } };
}

function discoverCommand(trackId: string): string {
  return storeOf(trackId) === "ios"
    ? `storehouse discover ios ${trackId}`
    : `storehouse discover android ${trackId} --country US`;
}
