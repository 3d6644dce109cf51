import { Command } from "commander";
import { programVersion } from "../config/program.ts";
import { commandTable } from "./command-table.ts";

/**
 * The program that reads the command line. Only the commands in `names` are loaded with their arguments, options and action: the help of
 * the program needs no more than the table. All are loaded by default.
 */
export async function createProgram(names: readonly string[] = commandTable.map(({ name }) => name)): Promise<Command> {
  const program = new Command("storehouse")
    .description("App-store market intelligence in your own Postgres.")
    .version(programVersion())
    .showHelpAfterError("(add --help for the options)")
    .exitOverride();
  for (const { name, summary, load } of commandTable) {
    const command = program.command(name).description(summary);
    if (names.includes(name)) (await load())(command);
  }
  return program;
}
