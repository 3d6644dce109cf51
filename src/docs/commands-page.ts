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
      "`npx storehouse` works only in the project's folder: in another folder npm offers an unrelated package of the same name. From elsewhere, for instance in a service or a cron job, call `bin/storehouse.js` by its full path. It finds the right Node and the project's `.env`, and forwards signals. Help and messages write `storehouse` for either.",
      "Every command that opens the warehouse first runs pending migrations if its role may do so. Results go to stdout, logs and progress to stderr. Both days of a range are inclusive. `--json` prints data for programs.",
      "At a terminal, tables fit its width: cells wrap between words, a last line names the columns that did not fit, and words are broken only if the table does not fit otherwise. In a pipe lines are not wrapped, unless `COLUMNS` sets a width. Times are in your local time zone (`TZ`; UTC if it names none), to the minute; `--utc` shows UTC next to them. In a table, a time that the clock shows twice when summer time ends has its offset. Output to a terminal has some colour, unless `--no-color` or the variable `NO_COLOR` is set. `--json` is the same everywhere: its times are in UTC, without colour.",
      "`find`, `app`, `discover` and `keywords` are for people. They use the same ledger as the worker. No floor applies to them, so they may spend the last credit; they exit with 3 when the allowance is spent.",
      "Exit codes of `sync`, `backfill` and `retry`: 0 everything is loaded, 1 some slices failed or the API could not be reached, 2 usage, settings or token, 3 stopped by credits (the message says when it can continue), slices of an earlier run wait, or part of the plan was cancelled and is missing, 130 interrupted.",
    ],
    body: [
      ...Object.entries(Object.groupBy(commands, groupOf)).map(
        ([heading, group = []]) => `**${heading}**\n\n${tableOf(group)}`,
      ),
      ...commands.map((command) => `## ${pathOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``),
    ],
  });
}

/** A command, or its subcommands if it only groups them. */
function withSubcommands(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(withSubcommands);
}

/** The heading under which the help of the program lists a command, for a subcommand that of its command. */
function groupOf(command: Command): string {
  const parent = command.parent;
  return parent === null || parent.parent === null ? command.helpGroup().replace(/:$/, "") : groupOf(parent);
}

function tableOf(commands: readonly Command[]): string {
  return markdownTable(
    ["command", "what it does"],
    commands.map((command) => [`[\`${pathOf(command)}\`](#${anchorOf(command)})`, command.description()]),
  );
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
