import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { settingsFor } from "../../src/config/settings.ts";
import { projectRoot } from "../../src/config/config.ts";
import { datasetOptions, datasets } from "../../src/datasets/shared/all.ts";

const read = (file: string): string => readFileSync(path.join(projectRoot, file), "utf8");
const settings = JSON.parse(read("config/storehouse.schema.json"));
const asTheProgramReads = settingsFor(datasetOptions);
const asEditorsRead = z.fromJSONSchema(withoutRefs());

/** The schema with each `$ref` replaced by what it refers to, and the parts of each dataset in one. */
function withoutRefs() {
  const { $defs, ...schema } = structuredClone(settings);
  const { properties } = schema.properties.datasets;
  for (const name of Object.keys(properties)) {
    const [, last] = properties[name].allOf ?? $defs.dataset_without_options.allOf;
    properties[name] = { ...$defs.dataset, properties: { ...$defs.dataset.properties, ...last.properties } };
  }
  return schema;
}

test("the schema means what the program reads, with what datasets have in common written once", () => {
  expect(withoutRefs()).toEqual(z.toJSONSchema(asTheProgramReads, { io: "input" }));
});

test("options of datasets are on the page of configuration and in its schema, each with its default", () => {
  const rows = read("docs/configuration.md").split("\n");
  for (const { name, options } of datasets)
    for (const [option, of] of Object.entries(options?.shape ?? {})) {
      const row = rows.find((line) => line.includes(`datasets.${name}.options.${option}\``));
      expect(row).toContain(of.description);
      const { properties } = settings.properties.datasets.properties[name].allOf[1].properties.options;
      expect(properties[option].default).toEqual(of.parse(undefined));
      expect(row).toContain(JSON.stringify(properties[option].default));
    }
});

test("the schema names every dataset and no other", () => {
  const { properties, additionalProperties } = settings.properties.datasets;
  expect([Object.keys(properties), additionalProperties]).toEqual([datasets.map(({ name }) => name), false]);
});

test.each([
  {},
  { datasets: {} },
  { datasets: { keyword_rank: { on: true, countries: ["US"], history_days: 90 } } },
  { datasets: { keyword_rank: { options: {} } } },
  { datasets: { category_rank: { start: "2026-01-01", options: { resolutions: ["daily", "hourly"] } } } },
  { portfolio: { source: "both", apps: [{ id: 7, countries: ["US"], keywords: ["a"] }] }, credits: { ask_above: 5 } },
])("editors and the program both accept %j", (document) => {
  expect([asEditorsRead, asTheProgramReads].map((schema) => schema.safeParse(document).success)).toEqual([true, true]);
});

test.each([
  { datasets: { keyword_ranks: {} } },
  { datasets: { keyword_rank: { onn: true } } },
  { datasets: { keyword_rank: { options: { resolutions: ["daily"] } } } },
  { datasets: { keyword_rank: { countries: ["us"] } } },
  { datasets: { category_rank: { history: 5 } } },
  { datasets: { category_rank: { history_days: 0 } } },
  { datasets: { category_rank: { options: { resolution: ["daily"] } } } },
  { datasets: { category_rank: { options: { resolutions: ["weekly"] } } } },
  { portfolio: { apps: [{ id: 7 }] } },
  { health: { port: 70_000 } },
  { elsewhere: 1 },
])("editors and the program both refuse %j", (document) => {
  expect([asEditorsRead, asTheProgramReads].map((schema) => schema.safeParse(document).success)).toEqual([
    false,
    false,
  ]);
});

test("each key on the page of configuration has a meaning", () => {
  const rows = read("docs/configuration.md").split("\n");
  expect(rows.filter((row) => /^\| `.*\|\s*\|$/.test(row))).toEqual([]);
});
