import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";

/** The program with one command, whose complaints go to `writeErr` instead of stderr. */
export async function quietProgram(name: string, writeErr: (text: string) => void = () => undefined): Promise<Command> {
  const program = await createProgram([name]);
  const quiet = (command: Command): void => {
    command.configureOutput({ writeErr });
    command.commands.forEach(quiet);
  };
  quiet(program);
  return program;
}
