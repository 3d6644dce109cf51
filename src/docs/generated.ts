import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { operations } from "../api/operations/all.ts";
import { describeOperation, rangeWords } from "../cli/describe.ts";
import { projectRoot } from "../config/config.ts";
import { Environment } from "../config/env.ts";
import { Settings, settingsFor } from "../config/settings.ts";
import { errorCodes } from "../core/error-codes.ts";
import { logEvents } from "../core/log-events.ts";
import { readRelations } from "../export/read-relations.ts";
import type { Relation } from "../export/relation.ts";
import type { Database } from "../postgres/database.ts";
import { incidentKinds } from "../incidents/kinds.ts";
import { fleetMetrics, workerMetrics } from "../health/metric-list.ts";
import { datasetOptions, datasets } from "../datasets/shared/all.ts";
import { columnTables } from "./column-tables.ts";
import { datasetTable } from "./dataset-table.ts";
import { markdown } from "./markdown.ts";
import { martPage } from "./mart-page.ts";
import { schemaText } from "./schema-text.ts";

/** A file that is wholly or partly generated: its path under the project and what it must hold. */
export type GeneratedFile = { readonly file: string; readonly text: string };

const storeWords = { ios: "iosstore", android: "androidstore" };

/** Every generated file as it must be, `db` being an empty warehouse; README keeps its prose around the marked tables. */
export async function generatedFiles(db: Database): Promise<readonly GeneratedFile[]> {
  const readme = await readFile(path.join(projectRoot, "README.md"), "utf8");
  const relations = await readRelations(db);
  const made = await Promise.all(
    Object.entries(tables).map(async ([name, make]) => [name, await make(relations)] as const),
  );
  const schema = z.toJSONSchema(settingsFor(datasetOptions), { io: "input" });
  return [
    { file: "README.md", text: made.reduce((text, [name, table]) => replaceMarked(text, name, table), readme) },
    { file: "migrations/schema.sql", text: await schemaText(db) },
    { file: "config/storehouse.schema.json", text: `${JSON.stringify(schema, null, 2)}\n` },
  ];
}

/** The tables of README by the name of their marker. */
const tables: Readonly<Record<string, (relations: readonly Relation[]) => string | Promise<string>>> = {
  datasets: datasetTable,
  marts: martPage,
  columns: columnTables,
  operations: () =>
    markdown(
      ["operation", "id", "credits", "longest range", "items a call", "method and path"],
      operations
        .map((operation) => ({ ...describeOperation(operation, storeWords), longest: rangeWords(operation) }))
        .map(({ id, name, cost, longest, itemLimit, method, path: template }) => [
          name,
          `\`${id}\``,
          String(cost),
          longest,
          itemLimit === null ? "" : `${itemLimit.items} ${itemLimit.parameter}`,
          `\`${method} ${template}\``,
        ]),
    ),
  environment: () =>
    markdown(
      ["variable", "default", "meaning"],
      settingsRows(z.toJSONSchema(Environment, { io: "input" }) as JsonSchema, ""),
    ),
  settings: () =>
    markdown(
      ["key", "default", "meaning"],
      [
        ...settingsRows(z.toJSONSchema(Settings, { io: "input" }) as JsonSchema, ""),
        ...datasets.flatMap(({ name, options }) =>
          options === null
            ? []
            : settingsRows(z.toJSONSchema(options, { io: "input" }) as JsonSchema, `datasets.${name}.options.`),
        ),
      ],
    ),
  events: () =>
    markdown(
      ["event", "level", "meaning"],
      Object.entries(logEvents).map(([event, { level, says }]) => [`\`${event}\``, level, says]),
    ),
  metrics: () =>
    markdown(
      ["metric", "kind", "labels", "meaning"],
      Object.entries({ ...fleetMetrics, ...workerMetrics }).map(([name, { kind, labels, help }]) => [
        `\`${name}\``,
        kind,
        labels.join(", "),
        help,
      ]),
    ),
  incidents: () =>
    markdown(
      ["kind", "what is wrong", "next step"],
      Object.entries(incidentKinds).map(([kind, { says, next }]) => [`\`${kind}\``, says, next]),
    ),
  errors: () =>
    markdown(
      ["code", "what happens", "meaning", "next step"],
      Object.entries(errorCodes).map(([code, { recovery, says, next }]) => [`\`${code}\``, recovery, says, next]),
    ),
};

type JsonSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly description?: string;
  readonly default?: unknown;
  readonly secret?: boolean;
};

function settingsRows(schema: JsonSchema, prefix: string): readonly (readonly string[])[] {
  const named = Object.entries(schema.properties ?? {}).map(([name, inner]) => [`${prefix}${name}`, inner] as const);
  const mapped =
    typeof schema.additionalProperties === "object" && Object.keys(schema.additionalProperties).length > 0
      ? [[`${prefix}<name>`, schema.additionalProperties] as const]
      : [];
  return [...named, ...mapped].flatMap(([name, inner]) => {
    const below = [
      ...settingsRows(inner, `${name}.`),
      ...(inner.items === undefined ? [] : settingsRows(inner.items, `${name}[].`)),
    ];
    if (below.length > 0) return below;
    return [
      [
        `\`${name}\``,
        inner.default === undefined ? "" : `\`${JSON.stringify(inner.default)}\``,
        `${inner.description ?? ""}${inner.secret === true ? ` Or \`${name}_FILE\`: a file that holds it.` : ""}`,
      ],
    ];
  });
}

function replaceMarked(text: string, name: string, table: string): string {
  const [open, close] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [text.indexOf(open), text.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`README.md has no marks for the table ${name}`);
  return `${text.slice(0, from)}${open}\n\n${table}\n\n${text.slice(to)}`;
}
