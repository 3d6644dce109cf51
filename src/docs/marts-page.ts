import { readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "../config/config.ts";
import type { Relation } from "../postgres/relations.ts";
import { nightCosts, nightFigure } from "../cli/night.ts";
import type { MartExample } from "./market-mart-examples.ts";
import { martExamples } from "./mart-examples.ts";
import { pageText, markdownTable } from "./page.ts";

/** The file with the answers of the examples; a test writes them (`vitest -u`) and checks them. */
export const martAnswers = path.join(projectRoot, "src", "docs", "mart-answers.txt");

/** The page of marts: what a row of each stands for, and an example question with its SQL and its answer. */
export async function martsPage(relations: readonly Relation[]): Promise<string> {
  const answers = readAnswers();
  const costs = await nightCosts();
  return pageText({
    file: "marts.md",
    title: "Marts",
    about: [
      "Marts are views for analysts: they have names instead of keys, and each answers one kind of question. [For analysts](analysts.md) explains how to read them, and [columns](reference/columns.md#columns) describes every column.",
      "Each mart below comes with an example question, its query and the result. To try them, run `npm run demo -- --everything --stay`: it loads the market with these results (3 apps, 2 countries, 35 days, every dataset) and keeps the database up. Run `set storehouse.today = '2026-08-20'` first: that is the day on which the demo ends. A test checks the results.",
    ],
    body: [
      markdownTable(
        ["mart", "one row", "questions"],
        martExamples.map(({ mart }) => grainOf(mart, relations)),
      ),
      ...martExamples.map(
        (example) =>
          `## ${example.mart}\n\n${example.question}${needsWords(example, costs)}\n\n\`\`\`sql\n${example.query};\n\`\`\`\n\n\`\`\`text\n${answers.get(example.mart) ?? ""}\n\`\`\``,
      ),
    ],
  });
}

/** Which datasets a mart requires in addition to those that are on, and what they cost per night; empty if it requires none. */
export function needsWords({ needs = [] }: Pick<MartExample, "needs">, costs: ReadonlyMap<string, number>): string {
  if (needs.length === 0) return "";
  const each = needs.map((name) => `the dataset ${name}: about ${nightFigure(costs.get(name) ?? 0)} credits a night`);
  return ` Requires ${each.join(", and ")} for 20 apps.`;
}

/** A mart, the sentence in its comment that says what a row stands for, and the questions there. */
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
