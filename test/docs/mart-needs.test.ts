import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { nightCosts } from "../../src/cli/night.ts";
import { projectRoot } from "../../src/config/config.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { martExamples } from "../../src/docs/mart-examples.ts";
import { needsWords } from "../../src/docs/marts-page.ts";
import { readCollection } from "../../src/metabase/collection-file.ts";
import { pageAt } from "../support/pages.ts";

const { dashboards } = readCollection(path.join(projectRoot, "config", "metabase"));
const cards = dashboards.flatMap((dashboard) => Object.values(dashboard.cards));
const needing = martExamples.filter(({ needs = [] }) => needs.length > 0);

let costs: ReadonlyMap<string, number>;
beforeAll(async () => {
  costs = await nightCosts();
});

describe("a mart that needs a dataset that is off by default", () => {
  test.each(needing)(
    "$mart says on its page and on each of its cards which, and what that costs a night",
    (example) => {
      const words = needsWords(example, costs).trim();
      for (const name of example.needs ?? []) expect([name, datasetNamed(name).on]).toEqual([name, false]);
      expect(pageAt("docs/marts.md").text, "npm run docs").toContain(words);
      const own = cards.filter(({ table }) => table === `mart.${example.mart}`);
      expect(own.length, `a card with \`table: mart.${example.mart}\` in a file of config/metabase`).toBeGreaterThan(0);
      for (const { name, description } of own)
        expect(description, `the card "${name}" of config/metabase says in its description: ${words}`).toContain(words);
    },
  );
});

test("every mart is on a dashboard", () => {
  const shown = new Set(cards.flatMap(({ sql }) => [...sql.matchAll(/mart\.(\w+)/g)].map(([, name]) => name)));
  expect(
    martExamples.map(({ mart }) => mart).filter((mart) => !shown.has(mart)),
    "each mart has a card in a file of config/metabase",
  ).toEqual([]);
});
