import type { Command } from "commander";
import { expect, test } from "vitest";
import { commandGroups, commandTable } from "../../src/cli/command-table.ts";
import { createProgram } from "../../src/cli/program.ts";
import { leftWordsIn } from "../support/left-words.ts";
import { quietProgram } from "../support/quiet-program.ts";

function below(command: Command): readonly Command[] {
  return command.commands.flatMap((one) => [one, ...below(one)]);
}

const program = await createProgram();
const commands = below(program);

test.each(commands.map((command) => [command.name(), command] as const))(
  "the help of %s shows no default in brackets, and says of --dataset that it may be repeated",
  (_, command) => {
    const help = command.helpInformation();
    expect(help).not.toContain("[]");
    const dataset = command.options.find(({ long }) => long === "--dataset");
    if (dataset?.parseArg !== undefined) expect(dataset.description).toContain("may be repeated");
  },
);

test.each(commands.map((command) => [command.name(), command] as const))(
  "the help of %s breaks no line within a sentence",
  (_, command) => {
    let help = "";
    command.configureOutput({ writeOut: (text) => void (help += text), getOutHelpWidth: () => 10_000 }).outputHelp();
    const behind = help.split("display help for command").at(-1)?.split("\n") ?? [];
    expect(behind.filter((line) => /^\S/.test(line) && !/[.:]$/.test(line))).toEqual([]);
  },
);

test("the help of the program names every command with its summary", async () => {
  const help = (await createProgram([])).helpInformation().replaceAll(/\s+/g, " ");
  for (const { name, summary } of commandTable) expect(help).toContain(`${name} ${summary}`);
});

test("the help of the program lists each command under its heading", async () => {
  const help = (await createProgram([])).helpInformation();
  const listed = help.split(/^(?=\S.*:$)/m).map((part) => ({
    heading: part.split(":")[0] ?? "",
    names: [...part.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name),
  }));
  for (const [heading, entries] of Object.entries(commandGroups)) {
    const names = entries.map(({ name }) => name);
    expect(listed).toContainEqual({ heading, names: heading === "Help" ? [...names, "help"] : names });
  }
});

test("a dataset may be given several times, each time with commas", () => {
  const retry = commands.find((command) => command.name() === "retry");
  retry?.parseOptions(["--dataset", "a,b", "--dataset", "c"]);
  expect(retry?.opts()["dataset"]).toEqual(["a", "b", "c"]);
});

test("a port that cannot be is refused before anything is started", async () => {
  const quiet = await quietProgram("sandbox");
  await expect(quiet.parseAsync(["sandbox", "--port", "99999"], { from: "user" })).rejects.toThrow("65535");
});

test("more runs of the schedule than are shown are refused, not left out in silence", async () => {
  const quiet = await quietProgram("schedule");
  await expect(quiet.parseAsync(["schedule", "--count", "1001"], { from: "user" })).rejects.toThrow("from 1 to 1000");
});

test.each(["sandbox", "console", "gateway"])(
  "%s does not take an empty host for every address of the machine",
  async (name) => {
    const quiet = await quietProgram(name);
    await expect(quiet.parseAsync([name, "--host", " "], { from: "user" })).rejects.toThrow("It is empty");
  },
);

test.each([program, ...commands].map((command) => [command.name(), command] as const))(
  "the help of %s is in the field's words",
  (_, command) => {
    let help = "";
    command.configureOutput({ writeOut: (text) => void (help += text), getOutHelpWidth: () => 10_000 }).outputHelp();
    expect(help.split("\n").flatMap((line) => leftWordsIn(line).map((word) => `${word}: ${line}`))).toEqual([]);
  },
);
