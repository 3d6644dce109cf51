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
});
