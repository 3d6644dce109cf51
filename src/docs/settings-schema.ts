import { z } from "zod";
import { settingsFor } from "../config/settings.ts";
import { datasetOptions } from "../datasets/shared/all.ts";

type JsonSchema = Readonly<Record<string, unknown>> & { readonly properties?: Readonly<Record<string, JsonSchema>> };

/** JSON Schema of config/storehouse.yaml, for editors. What the settings of all datasets have in common is written once, under `$defs`. */
export function settingsSchema(): string {
  const whole = z.toJSONSchema(settingsFor(datasetOptions), { io: "input" }) as JsonSchema;
  const { datasets } = whole.properties ?? {};
  const own = Object.entries(datasets?.properties ?? {}).map(([name, schema]) => ({ name, ...split(schema) }));
  const bare = own.find(({ options }) => options === noOptions);
  if (bare === undefined || own.some(({ common }) => common !== bare.common))
    throw new Error("the settings of the datasets differ in more than their options");
  const $defs = {
    dataset: JSON.parse(bare.common) as unknown,
    dataset_without_options: withOptions(noOptions),
  };
  const properties = Object.fromEntries(
    own.map(({ name, options }) => [
      name,
      options === noOptions ? { $ref: "#/$defs/dataset_without_options" } : withOptions(options),
    ]),
  );
  const schema = { ...whole, properties: { ...whole.properties, datasets: { ...datasets, properties } }, $defs };
  return `${laidOut(schema, "")}\n`;
}

function withOptions(options: string) {
  // an editor may ignore keys next to a `$ref`, so both are in a list
  return {
    allOf: [{ $ref: "#/$defs/dataset" }, { type: "object", properties: { options: JSON.parse(options) as unknown } }],
  };
}

const noOptions = JSON.stringify({
  description: "Options of this dataset.",
  type: "object",
  properties: {},
  additionalProperties: false,
});

/** The schema of a dataset's settings as text: what it has in common with others, with any options, and its own options. */
function split(schema: JsonSchema): { readonly common: string; readonly options: string } {
  const { options, ...properties } = schema.properties ?? {};
  const common = { ...schema, properties: { ...properties, options: { type: "object" } } };
  return { common: JSON.stringify(common), options: JSON.stringify(options) };
}

const width = 120;

/** JSON in which each part that fits on one line is on one line, as people write it. */
function laidOut(value: unknown, indent: string): string {
  const line = JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, " ");
  if (typeof value !== "object" || value === null || indent.length + line.length <= width) return line;
  const deeper = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one) => laidOut(one, deeper))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${laidOut(one, deeper)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.map((part) => `${deeper}${part}`).join(",\n")}\n${indent}${close}`;
}
