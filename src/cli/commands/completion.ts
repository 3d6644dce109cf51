import { Argument, type Command } from "commander";
import { completionScript, shells, type Shell } from "../completion.ts";
import { print } from "../output.ts";

/** `storehouse completion`: a script by which a shell completes commands and options. */
export function defineCompletion(command: Command): void {
  command
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .addHelpText(
      "after",
      '\nIt completes the word storehouse, so define that name first:\n  alias storehouse=/path/to/storehouse/bin/storehouse.js\n  eval "$(storehouse completion bash)"         in ~/.bashrc\n  source <(storehouse completion zsh)          in ~/.zshrc, after compinit\n  storehouse completion fish | source          in ~/.config/fish/config.fish',
    )
    .action((shell: Shell) => print(completionScript(command.parent ?? command, shell).trimEnd()));
}
