import type { Command } from "commander";
import type { App } from "../../app.ts";
import { accountOf } from "../../config/config-of-account.ts";
import { readHeld, type HeldAnswer } from "../../ledger/held-answers.ts";
import { aboutOf, agreeToAnswers } from "../../person/held-answers.ts";
import { checkNames } from "../dataset-names.ts";
import { print, printJson } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { table } from "../table.ts";
import { withApp } from "../with-app.ts";

type Options = { readonly apply?: true; readonly dataset?: string; readonly json?: true };

/** `storehouse held`: answers that would close most of the portfolio, and applying them after a person agrees. */
export function defineHeld(command: Command): void {
  command
    .option("--apply", "agree to the held answers and apply them; requests nothing")
    .option("--dataset <name>", "only those of this dataset")
    .option("--json", "as JSON: held answers, or with --apply the applied ones")
    .action((options: Options) => withApp((app) => showOrApply(app, options)));
}

async function showOrApply(app: App, options: Options): Promise<void> {
  const held = (await readHeld(app.warehouse.db, accountOf(app.config.settings))).filter(
    ({ dataset }) => options.dataset === undefined || dataset === options.dataset,
  );
  if (held.length === 0 && options.dataset !== undefined) await checkNames([options.dataset]);
  if (options.apply === true) await agreeToAnswers(app, held);
  if (options.json) printJson(held);
  else if (held.length === 0) print("No answer is held.");
  else if (options.apply === true)
    print(`Applied ${countOf(held.length, "answer")}. The next sync or scheduled run plans with them.`);
  else {
    print(table(["slice", "dataset", "about", "day", "members", "left out"], held.map(lineOf)));
    print(
      "\nThese answers leave out more than half of the members of their lists, so they are not applied yet. Each list is requested again the next day, and applied if that answer is the same. `storehouse held --apply` applies them now.",
    );
  }
}

function lineOf(held: HeldAnswer): readonly (string | number)[] {
  const { sliceId, dataset, day, current, closing } = held;
  return [sliceId, dataset, aboutOf(held), day, current, closing];
}
