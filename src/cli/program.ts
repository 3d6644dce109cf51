import { Command } from "commander";
import { programVersion } from "../config/program.ts";
import { commandGroups, commandTable } from "./command-table.ts";
import { fitLines } from "./output.ts";
import { setScreen } from "./screen.ts";

/**
 * The program that reads the command line. Only the commands in `names` are loaded with their arguments, options and action: the help of
 * the program needs no more than the table. All are loaded by default.
 */
export async function createProgram(names: readonly string[] = commandTable.map(({ name }) => name)): Promise<Command> {
  const program = new Command("storehouse")
    .description("App-store market intelligence in your own Postgres.")
    .version(programVersion())
    .option("--no-color", "show no colour, even at a terminal")
    .option("--utc", "show UTC next to times in your local time zone")
    .hook("preAction", prepareScreen)
    .configureOutput({
      // commander does not wrap the text after the options; in a pipe it assumes 80 columns
      writeOut: (text) => process.stdout.write(fitLines(text, process.stdout.columns ?? 80)),
      writeErr: (text) => process.stderr.write(fitLines(text, process.stderr.columns ?? Number.POSITIVE_INFINITY)),
    })
    .showHelpAfterError("(add --help for the options)")
    .exitOverride();
  const isEach = commandTable.some(({ name, readsAll = false }) => readsAll && names.includes(name));
  for (const [heading, entries] of Object.entries(commandGroups)) {
    program.commandsGroup(`${heading}:`);
    for (const { name, summary, load } of entries) {
      const command = program.command(name).description(summary);
      if (isEach || names.includes(name)) (await load())(command);
      refuseTwice(command);
    }
  }
  // the parser adds its own command last, under the last heading
  program.helpCommand(true);
  return program;
}

/** Refuses an option with one value that is given twice: the parser would silently take the last one. */
function refuseTwice(command: Command): void {
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    let times = 0;
    command.on(`option:${option.name()}`, () => {
      times += 1;
      // what may be repeated is collected in a list
      if (times > 1 && !Array.isArray(command.getOptionValue(option.attributeName())))
        command.error(`error: option '${option.flags}' takes one value and is given twice`);
    });
  }
  command.commands.forEach(refuseTwice);
}

/** Runs what a person typed after the name of the program. */
export async function runTyped(typed: readonly string[]): Promise<void> {
  // two words, since `storehouse help sync` shows what `storehouse sync --help` does
  const [first = "", name = ""] = typed.filter((word) => !word.startsWith("-"));
  const program = await createProgram([first, name]);
  const isKnown = [...commandTable.map((command) => command.name), ""].includes(name);
  // for help on an unknown command the parser would show the program's help, and for `help help` an error
  await program.parseAsync(first === "help" && !isKnown ? [name] : [...typed], { from: "user" });
}

/** The options of the program count for every command, before its name and after it. */
async function prepareScreen(program: Command): Promise<void> {
  const { color, utc } = program.opts<{ color: boolean; utc?: true }>();
  const { processEnvironment } = await import("../config/env.ts");
  setScreen({ color, utc: utc === true, columns: processEnvironment()["COLUMNS"] });
}
