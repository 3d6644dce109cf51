import type { Command } from "commander";
import { createProgram } from "../cli/program.ts";
import { pageText, markdownTable } from "./page.ts";

/** The page of commands: the help of each, as it prints it. */
export async function commandsPage(): Promise<string> {
  const program = await createProgram();
  const commands = program.commands.flatMap(withSubcommands);
  return pageText({
    file: "commands.md",
    title: "Commands",
    about: [
      "`npx storehouse` works in the project's folder only: in another folder npm offers a stranger's package of the same name. From elsewhere, as a service or in a cron job, call `bin/storehouse.js` by its full path. It finds the right Node and the project's `.env`, and passes signals on.",
      "Every command that opens the warehouse migrates it first where its role may do so. Results go to stdout, logs and progress to stderr. Both days of a range are inclusive. `--json` prints data for programs.",
      "At a terminal, tables fit its width: cells are wrapped between words, and a last line names the columns that had no room. In a pipe lines stay whole, unless `COLUMNS` says how wide they may be. Times are in the reader's zone (`TZ`; UTC where it names none), to the minute; `--utc` shows UTC beside them. A terminal shows some colour, unless `--no-color` or the variable `NO_COLOR` is set; a pipe never. `--json` has neither: its times are in UTC, and it is the same everywhere.",
      "`find`, `app`, `discover` and `keywords` are for people. They go through the same ledger as the worker, may spend the last credit, since no floor holds for them, and end with 3 when the allowance is spent.",
      "Exit codes of `sync`, `backfill` and `retry`: 0 everything is loaded, 1 some slices failed or the API could not be reached, 2 usage, settings or token, 3 stopped by credits (the message says when it can continue), 130 interrupted.",
    ],
    body: [
      markdownTable(
        ["command", "what it does"],
        commands.map((command) => [`[\`${pathOf(command)}\`](#${anchorOf(command)})`, command.description()]),
      ),
      ...commands.map((command) => `## ${pathOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``),
    ],
  });
}

/** A command, or those below it where it only groups them. */
function withSubcommands(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(withSubcommands);
}

function pathOf(command: Command): string {
  const parent = command.parent;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}

function anchorOf(command: Command): string {
  return pathOf(command).replaceAll(" ", "-");
}

/** What `--help` prints, without a terminal's colours and width. */
function helpOf(command: Command): string {
  const printed: string[] = [];
  command.configureOutput({
    writeOut: (text) => printed.push(text),
    getOutHelpWidth: () => 120,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return printed.join("").trim();
}
