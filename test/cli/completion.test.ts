import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { completionScript, shells, type Shell } from "../../src/cli/completion.ts";
import { createProgram } from "../../src/cli/program.ts";
import { folderForTests } from "../support/folder.ts";

const folder = folderForTests();
const fileOf = (shell: Shell) => path.join(folder, shell);

beforeAll(async () => {
  const program = await createProgram();
  for (const shell of shells) writeFileSync(fileOf(shell), completionScript(program, shell));
});

const isThere = (shell: Shell) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** What a shell offers behind these words, the last of which is being typed: it reads the script and completes. */
const offeredBy: Readonly<Record<Shell, (words: readonly string[]) => string>> = {
  bash: (words) => `source ${fileOf("bash")}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    _storehouse && printf '%s\\n' "\${COMPREPLY[@]}"`,
  // the widgets of zsh need a terminal: what they are given is what counts
  zsh: (
    words,
  ) => `compdef() { : }; _files() { : }; _describe() { local one; for one in \${(P)2}; print -r -- \${one%%:*} }
    source ${fileOf("zsh")}
    words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=$#words; PREFIX=$words[-1]
    _storehouse | grep -e "^$PREFIX"`,
  fish: (words) => `source ${fileOf("fish")}; complete -C '${words.join(" ")}' | string replace -r '\\t.*' ''`,
};

function offered(shell: Shell, ...words: readonly string[]): readonly string[] {
  const { stdout, stderr } = spawnSync(shell, ["-c", offeredBy[shell](["storehouse", ...words])], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

describe.each(shells.map((shell) => ({ shell })))("$shell", ({ shell }) => {
  test.skipIf(!isThere(shell))("completes commands, those below them, options and fixed arguments", () => {
    const all = offered(shell, "");
    expect(all).toEqual(expect.arrayContaining(commandTable.map(({ name }) => name)));
    expect([...offered(shell, "s")].sort()).toEqual(
      commandTable.flatMap(({ name }) => (name.startsWith("s") ? [name] : [])).sort(),
    );
    expect(offered(shell, "sync", "--max")).toEqual(["--max-credits"]);
    expect(offered(shell, "sync", "--dataset", "review", "--js")).toEqual(["--json"]);
    expect(offered(shell, "raw", "exp")).toEqual(["export"]);
    expect(offered(shell, "raw", "export", "--ou")).toEqual(["--out"]);
    expect(offered(shell, "completion", "b")).toEqual(["bash"]);
  });
});

test.skipIf(!isThere("zsh"))(
  "zsh completes the alias that the help names: it expands it first, and finds the file behind it",
  () => {
    const script = `autoload -U compinit; compinit -u -D; source ${fileOf("zsh")}; print -r -- $_comps[storehouse.js]`;
    expect(spawnSync("zsh", ["-fc", script], { encoding: "utf8" }).stdout).toBe("_storehouse\n");
  },
);
