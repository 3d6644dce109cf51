import { readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "../config/config.ts";
import type { Relation } from "../export/relation.ts";
import { markdown } from "./markdown.ts";
import { martExamples } from "./mart-examples.ts";

/** Where the answers of the examples stand; a test writes them (`vitest -u`) and holds them. */
export const martAnswers = path.join(projectRoot, "src", "docs", "mart-answers.txt");

/** README's page about the marts: each with its grain, and a query with its answer. */
export function martPage(relations: readonly Relation[]): string {
  const comments = new Map(relations.map(({ name, comment }) => [name, comment]));
  const answers = new Map(
    readFileSync(martAnswers, "utf8")
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1).trim()]),
  );
  const grains = martExamples.map(({ mart }) => {
    const [grain = "", ...rest] = (comments.get(`mart.${mart}`) ?? "").split(/(?<=[.?]) /);
    return [`\`${mart}\``, grain, rest.filter((text) => text.endsWith("?")).join(" ")];
  });
  const examples = martExamples.map(
    ({ mart, question, query }) =>
      `<details><summary><code>${mart}</code>: ${question}</summary>\n\n\`\`\`sql\n${query};\n\`\`\`\n\n\`\`\`\n${answers.get(mart) ?? ""}\n\`\`\`\n\n</details>`,
  );
  return [markdown(["mart", "grain", "questions"], grains), ...examples].join("\n\n");
}
