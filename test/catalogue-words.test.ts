import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../src/config/config.ts";
import { leftWordsIn } from "./support/left-words.ts";

const lines = readFileSync(path.join(projectRoot, "migrations", "schema.sql"), "utf8").split("\n");

describe("the catalogue uses the field's words", () => {
  test("in the comments of schemas, tables, views, columns and functions", () => {
    const comments = lines.flatMap((line) => /(?:^|\s)-- (.*)$/.exec(line)?.slice(1) ?? []);
    expect(comments.length).toBeGreaterThan(1500);
    expect(comments.filter((comment) => leftWordsIn(comment).length > 0)).toEqual([]);
  });

  test("in the names of tables, views and columns", () => {
    const names = lines.flatMap((line) => /^create (?:table|view) (\S+)|^ {2}(\w+) \S/.exec(line)?.slice(1) ?? []);
    const words = names.filter((name) => name !== undefined).map((name) => name.replaceAll(/[._]/g, " "));
    expect(words.length).toBeGreaterThan(1500);
    expect(words.filter((name) => leftWordsIn(name).length > 0)).toEqual([]);
  });
});
