import { tokensIn } from "../../config/secrets.ts";
import { Argument, type Command } from "commander";
import { fail } from "../../core/errors.ts";
import { createTokenRemover } from "../../core/secret.ts";
import { sliceFacts } from "../../ledger/answers.ts";
import { bodyText } from "../../raw/body-text.ts";
import { landedPages } from "../../raw/read-answers.ts";
import { pageArgument, noSuchSlice, sliceArgument } from "../arguments.ts";
import { withWarehouse } from "../environment.ts";
import { timeText } from "../times.ts";
import { printBytes, printWhole, remark } from "../output.ts";

type Options = { readonly page: number; readonly bytes?: true };

/** `storehouse raw show`: one body on stdout, and the request that it answers on stderr. */
export function addRawShow(raw: Command): void {
  raw
    .command("show")
    .description("print the body of a stored answer; its slice and request go to stderr")
    .addArgument(
      new Argument("<slice>", "number of the slice, as `storehouse raw list` shows it").argParser(sliceArgument),
    )
    .option("--page <number>", "page, from 0", pageArgument, 0)
    .option("--bytes", "the original bytes, instead of formatted JSON")
    .action((sliceId: string, options: Options) =>
      withWarehouse(async ({ warehouse: { db }, config }) => {
        const slice = await sliceFacts(db, sliceId);
        if (slice === null) throw noSuchSlice(sliceId);
        const pages = await landedPages(db, sliceId);
        const page = pages.get(options.page);
        if (page === undefined)
          throw fail("bad_argument", {
            problem:
              pages.size === 0
                ? `no answer of slice ${sliceId} is stored`
                : `slice ${sliceId} has only these pages stored: ${[...pages.keys()].join(", ")}`,
          });
        const { dataset, operation, scope, from, to, state } = slice;
        remark(
          `slice ${sliceId} (${state}), page ${options.page} of ${pages.size}: ${dataset} by ${operation}, ${JSON.stringify(scope)}, ${from} to ${to}, fetched ${timeText(page.fetchedAt)}, ${page.body.length} bytes`,
        );
        const body = createTokenRemover(...tokensIn(config.environment))(page.body);
        if (options.bytes) printBytes(body);
        else printWhole(bodyText(body));
      }),
    );
}
