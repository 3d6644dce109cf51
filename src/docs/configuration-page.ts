import { z } from "zod";
import { Environment } from "../config/env.ts";
import { Settings } from "../config/settings.ts";
import { datasets } from "../datasets/shared/all.ts";
import { pageText, markdownTable } from "./page.ts";

/** The page of configuration: every variable of the environment and every key of config/storehouse.yaml. */
export function configurationPage(): string {
  const headings = ["default", "meaning"];
  return pageText({
    file: "configuration.md",
    title: "Configuration",
    about: [
      "Secrets and addresses come from the environment, then from `.env` in the working folder, or, if there is none, from `.env` in the project's folder. `.env.example` lists them. Everything else is in `config/storehouse.yaml`. Every part of that file is optional, but an empty file is an error (it may be about to be written). `config/storehouse.schema.json` gives editors completion. An invalid value stops the command, which names it with its line.",
    ],
    body: [
      "## Environment",
      markdownTable(["variable", ...headings], rowsOf(jsonSchema(Environment), "")),
      "## config/storehouse.yaml",
      "`<name>` is the name of a [dataset](datasets.md) under `datasets`, of a column under `when`, and elsewhere a name that you choose. A dataset refuses a setting that it cannot use.",
      markdownTable(["key", ...headings], rowsOf(jsonSchema(Settings), "")),
      "## Options of datasets",
      "Options that only one dataset has are under `datasets.<name>.options`.",
      markdownTable(
        ["key", ...headings],
        datasets.flatMap(({ name, options }) =>
          options === null ? [] : rowsOf(jsonSchema(options), `datasets.${name}.options.`),
        ),
      ),
    ],
  });
}

type JsonSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly description?: string;
  readonly default?: unknown;
  readonly secret?: boolean;
};

function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
}

/** A row for each value that a schema takes, at any depth; its key begins with `prefix`. */
function rowsOf(schema: JsonSchema, prefix: string): readonly (readonly string[])[] {
  const named = Object.entries(schema.properties ?? {}).map(([name, inner]) => [`${prefix}${name}`, inner] as const);
  const mapped =
    typeof schema.additionalProperties === "object" && Object.keys(schema.additionalProperties).length > 0
      ? [[`${prefix}<name>`, schema.additionalProperties] as const]
      : [];
  return [...named, ...mapped].flatMap(([name, inner]) => {
    const below = [
      ...rowsOf(inner, `${name}.`),
      ...(inner.items === undefined ? [] : rowsOf(inner.items, `${name}[].`)),
    ];
    return below.length > 0 ? below : [rowOf(name, inner)];
  });
}

function rowOf(name: string, { default: preset, description = "", secret = false }: JsonSchema): readonly string[] {
  return [
    `\`${name}\``,
    preset === undefined ? "" : `\`${JSON.stringify(preset)}\``,
    `${description}${secret ? ` Or \`${name}_FILE\`: a file that holds it.` : ""}`,
  ];
}
