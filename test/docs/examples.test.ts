import { readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { logEvents } from "../../src/core/log-events.ts";
import { parse } from "yaml";
import { AnswerFile } from "../../src/archive/answer-file.ts";
import { createProgram } from "../../src/cli/program.ts";
import { isSecret } from "../../src/config/env.ts";
import { projectRoot } from "../../src/config/config.ts";
import { settingsFor } from "../../src/config/settings.ts";
import { datasetNamed, datasetOptions } from "../../src/datasets/shared/all.ts";
import packageJson from "../../package.json" with { type: "json" };
import { freshDatabase } from "../support/database.ts";
import { blocksOf, docsPages, namedInline, pageAt, typedLines, writtenPages } from "../support/pages.ts";

/** The words of a command line; what stands in quotes is one word. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}

/** What a command line runs: the words behind `storehouse`, without what explains them behind two spaces; 1 for what an error text fills in. */
function typed(line: string): readonly string[] | null {
  const [, rest] = /^(?:npx )?storehouse (.+)$/.exec(line.trim()) ?? [];
  return rest === undefined ? null : wordsOf((rest.split(/ {2,}| #/)[0] ?? "").replaceAll(/\{\w+\}/g, "1"));
}

/** The real program, whose commands do nothing and print nothing. */
async function idleProgram(): Promise<Command> {
  const program = await createProgram();
  const still = (command: Command): void => {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
    if (command.commands.length === 0) command.action(() => {});
    command.commands.forEach(still);
  };
  still(program);
  return program;
}

const refusals = new Map<string, Promise<string | null>>();

/** Why the program does not take these words; null where it does. Pages say many of them more than once. */
function refusal(words: readonly string[]): Promise<string | null> {
  const key = JSON.stringify(words);
  const known = refusals.get(key) ?? refusalOf(words);
  refusals.set(key, known);
  return known;
}

async function refusalOf(words: readonly string[]): Promise<string | null> {
  try {
    await (await idleProgram()).parseAsync([...words], { from: "user" });
    return null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

/** A name without all of its arguments is no mistake within a sentence. */
const isUnfinished = /missingArgument|missingMandatoryOptionValue|optionMissingArgument|^commander\.help/;

const cases = <T>(of: (page: (typeof docsPages)[number]) => readonly T[]) =>
  docsPages.flatMap((page) => of(page).map((one) => [page.file, one] as const));

describe("examples of docs", () => {
  test("show command lines that the program takes", async () => {
    const lines = cases((page) => [...typedLines(page), ...blocksOf(page, "sh").flatMap((block) => block.split("\n"))]);
    const commands = lines.filter(([, line]) => typed(line) !== null);
    expect(commands.length).toBeGreaterThan(30);
    const wrong: unknown[] = [];
    for (const [file, line] of commands) {
      const why = await refusal(typed(line) ?? []);
      if (why !== null) wrong.push([file, line, why]);
    }
    expect(wrong).toEqual([]);
  });

  test("name commands and options in sentences that the program knows", async () => {
    const names = cases(namedInline).filter(([, code]) => typed(code) !== null);
    expect(names.length).toBeGreaterThan(40);
    const wrong: unknown[] = [];
    for (const [file, code] of names) {
      const why = await refusal(typed(code) ?? []);
      if (why !== null && !isUnfinished.test(why)) wrong.push([file, code, why]);
    }
    expect(wrong).toEqual([]);
  });

  test("name settings, variables, tables and functions that exist", () => {
    const schema = readFileSync(path.join(projectRoot, "migrations", "schema.sql"), "utf8");
    const settings = pageAt("docs/configuration.md").text;
    const compose = readFileSync(path.join(projectRoot, "docker-compose.yml"), "utf8");
    const isKnown = (name: string): boolean => {
      if (name in logEvents || isSecret(name.replace(/_FILE$/, ""))) return true;
      if (/^(core|mart|ops|raw)\.\w+$/.test(name)) return new RegExp(String.raw`\b${name}\b`).test(schema);
      if (/^(portfolio|datasets|retention|credits|api|worker|database|health|notify)\.[\w.<>]+$/.test(name))
        return settings.includes(`\`${name}`);
      if (/^(API|DATABASE|LOG|METABASE|NOTIFY|POSTGRES|STOREHOUSE)_[A-Z_]+$/.test(name))
        return settings.includes(`\`${name}\``) || compose.includes(name) || name.startsWith("STOREHOUSE_TEST_");
      return true;
    };
    const names = writtenPages.flatMap((page) => namedInline(page).map((name) => [page.file, name] as const));
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter(([, name]) => !isKnown(name.replace(/[(=].*$/, "")))).toEqual([]);
  });

  test("run npm scripts that there are", () => {
    const scripts = cases((page) => [...page.text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = ""]) => name));
    expect(scripts.filter(([, name]) => !(name in packageJson.scripts))).toEqual([]);
  });

  test("show configuration that is taken", () => {
    const settings = settingsFor(datasetOptions);
    const blocks = cases((page) => blocksOf(page, "yaml"));
    expect(blocks.length).toBeGreaterThan(1);
    for (const [, block] of blocks) settings.parse(parse(block));
  });

  test("show answer files that can be imported", () => {
    const blocks = cases((page) => blocksOf(page, "json"));
    expect(blocks.length).toBeGreaterThan(0);
    for (const [, block] of blocks) {
      const file = AnswerFile.parse(JSON.parse(block));
      expect(datasetNamed(file.dataset).operations.map(({ id }) => id)).toContain(file.operation);
    }
  });

  test("show SQL that runs", async () => {
    await using database = await freshDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const blocks = cases((page) => blocksOf(page, "sql"));
    expect(blocks.length).toBeGreaterThan(20);
    const wrong: unknown[] = [];
    for (const [file, block] of blocks)
      await client.query(block).catch((error: unknown) => wrong.push([file, block, String(error)]));
    await client.end();
    expect(wrong).toEqual([]);
  });
});
