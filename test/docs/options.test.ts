import { expect, test } from "vitest";
import { datasets } from "../../src/datasets/shared/all.ts";
import { generatedFiles } from "../../src/docs/generated.ts";

test("what is special to a dataset is in README's table and in the configuration's schema, each with its default", async () => {
  const [readme, schema] = await generatedFiles();
  const settings = JSON.parse(schema?.text ?? "{}");
  for (const { name, options } of datasets)
    for (const [option, of] of Object.entries(options?.shape ?? {})) {
      const row = readme?.text.split("\n").find((line) => line.includes(`datasets.${name}.options.${option}\``));
      expect(row).toContain(of.description);
      const { properties } = settings.properties.datasets.properties[name].properties.options;
      expect(properties[option].default).toEqual(of.parse(undefined));
      expect(row).toContain(JSON.stringify(properties[option].default));
    }
});

test("the schema names every dataset and no other", async () => {
  const [, schema] = await generatedFiles();
  const { properties, additionalProperties } = JSON.parse(schema?.text ?? "{}").properties.datasets;
  expect([Object.keys(properties), additionalProperties]).toEqual([datasets.map(({ name }) => name), false]);
});
