import type { Command } from "commander";

/** The shells for which there is a script. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** What can be typed after some words: a command or an option, with its summary. */
type Word = { readonly word: string; readonly summary: string };

/** A command by the words that lead to it (none for the program itself), and what can be typed after them. */
type Place = {
  readonly words: readonly string[];
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
};

/** The script by which a shell completes the commands and options of a program, made from the program itself. */
export function completionScript(program: Command, shell: Shell): string {
  return scripts[shell](placesOf(program, []));
}

function placesOf(command: Command, words: readonly string[]): readonly Place[] {
  const options = command.options.flatMap(({ long, description }) =>
    long == null ? [] : [{ word: long, summary: description }],
  );
  const place = {
    words,
    commands: [
      ...command.commands.map((one) => ({ word: one.name(), summary: one.description() })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((word) => ({ word, summary: description })),
      ),
    ],
    options: [...options, { word: "--help", summary: "show its help" }],
  };
  return [place, ...command.commands.flatMap((one) => placesOf(one, [...words, one.name()]))];
}

const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish };

const spaced = (words: readonly Word[]) => words.map(({ word }) => word).join(" ");

/** Bash 3.2 and newer: no associative arrays, no package bash-completion. */
function bash(places: readonly Place[]): string {
  const cases = places.map(({ words, commands, options }) => {
    const next = [spaced(commands), spaced(options)].filter((part) => part !== "").join(" ");
    return `    "${words.join(" ")}") COMPREPLY=($(compgen -W "${next}" -- "$current")) ;;`;
  });
  const known = places.slice(1).map(({ words }) => `"${words.join(" ")}"`);
  return `# completion of storehouse for bash: eval "$(storehouse completion bash)"
_storehouse() {
  local current=\${COMP_WORDS[COMP_CWORD]} place="" word index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "\${place:+$place }$word" in
    ${known.join("|")}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${cases.join("\n")}
  esac
}
complete -o default -F _storehouse storehouse
`;
}

const zshText = (text: string) => text.replaceAll("'", "").replaceAll(":", "\\:");

function zsh(places: readonly Place[]): string {
  const described = (words: readonly Word[]) =>
    words.map(({ word, summary }) => `'${word}:${zshText(summary)}'`).join(" ");
  const cases = places.map(
    ({ words, commands, options }) => `    "${words.join(" ")}")
      next=(${described(commands)})
      (( \${#next} )) && [[ $PREFIX != -* ]] && _describe command next
      next=(${described(options)})
      _describe option next
      ;;`,
  );
  const known = places.slice(1).map(({ words }) => `"${words.join(" ")}"`);
  return `#compdef storehouse storehouse.js
# completion of storehouse for zsh: source <(storehouse completion zsh), after compinit
_storehouse() {
  local place="" word index
  local -a next
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    case "\${place:+$place }$word" in
    ${known.join("|")}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${cases.join("\n")}
  esac
  (( CURRENT > 2 )) && [[ $PREFIX != -* ]] && _files
}
# zsh completes what an alias stands for
compdef _storehouse storehouse storehouse.js
`;
}

const fishText = (text: string) => `'${text.replaceAll(/[\\']/g, (one) => `\\${one}`)}'`;

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ words, commands, options }) => {
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = commands.map(({ word }) => word).join(" ");
    const isHere = [...seen, ...(names === "" ? [] : [`not __fish_seen_subcommand_from ${names}`])].join("; and ");
    const when = isHere === "" ? "" : ` -n '${isHere}'`;
    return [
      ...commands.map(({ word, summary }) => `complete -c storehouse -f${when} -a ${word} -d ${fishText(summary)}`),
      ...options.map(
        ({ word, summary }) => `complete -c storehouse${when} -l ${word.slice(2)} -d ${fishText(summary)}`,
      ),
    ];
  });
  return `# completion of storehouse for fish: storehouse completion fish | source\n${lines.join("\n")}\n`;
}
