import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { datasets } from "../../src/datasets/shared/all.ts";

const read = (file: string): string => readFileSync(path.join(projectRoot, file), "utf8");
const settings = JSON.parse(read("config/storehouse.schema.json"));

test("options of datasets are on the page of configuration and in its schema, each with its default", () => {
  const rows = read("docs/configuration.md").split("\n");
  for (const { name, options } of datasets)
    for (const [option, of] of Object.entries(options?.shape ?? {})) {
      const row = rows.find((line) => line.includes(`datasets.${name}.options.${option}\``));
      expect(row).toContain(of.description);
      const { properties } = settings.properties.datasets.properties[name].properties.options;
      expect(properties[option].default).toEqual(of.parse(undefined));
      expect(row).toContain(JSON.stringify(properties[option].default));
    }
});

test("the schema names every dataset and no other", () => {
  const { properties, additionalProperties } = settings.properties.datasets;
  expect([Object.keys(properties), additionalProperties]).toEqual([datasets.map(({ name }) => name), false]);
});
