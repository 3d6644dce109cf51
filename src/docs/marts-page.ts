import { readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "../config/config.ts";
import type { Relation } from "../postgres/relations.ts";
import { martExamples } from "./mart-examples.ts";
import { pageText, table } from "./page.ts";

/** Where the answers of the examples stand; a test writes them (`vitest -u`) and holds them. */
export const martAnswers = path.join(projectRoot, "src", "docs", "mart-answers.txt");

/** The page of marts: what a row of each stands for, and a question to each with its SQL and its answer. */
export function martsPage(relations: readonly Relation[]): string {
  const answers = readAnswers();
  return pageText({
    file: "marts.md",
    title: "Marts",
    about: [
      "Marts are views for analysts: names instead of keys, one question each. [For analysts](analysts.md) says how to read them, and [columns](reference/columns.md#columns) explains every column.",
      "Each question below has its answer. Try it: `npm run demo -- --everything --stay` loads the market that gives these answers (3 apps, 2 countries, 35 days, every dataset) and keeps the database up; `set storehouse.today = '2026-08-20'` first, the day on which the demo ends. A test holds the answers.",
    ],
    body: [
      table(
        ["mart", "one row", "questions"],
        martExamples.map(({ mart }) => grainOf(mart, relations)),
      ),
      ...martExamples.map(
        ({ mart, question, query }) =>
          `## ${mart}\n\n${question}\n\n\`\`\`sql\n${query};\n\`\`\`\n\n\`\`\`text\n${answers.get(mart) ?? ""}\n\`\`\``,
      ),
    ],
  });
}

/** A mart with the sentence of its comment that says what a row stands for, and the questions in it. */
function grainOf(mart: string, relations: readonly Relation[]): readonly string[] {
  const { comment } = relations.find(({ name }) => name === `mart.${mart}`) ?? { comment: "" };
  const [grain = "", ...rest] = comment.split(/(?<=[.?]) /);
  return [`[\`${mart}\`](#${mart})`, grain, rest.filter((text) => text.endsWith("?")).join(" ")];
}

function readAnswers(): ReadonlyMap<string, string> {
  return new Map(
    readFileSync(martAnswers, "utf8")
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1).trim()]),
  );
}
