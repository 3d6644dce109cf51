import { readdirSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { readYaml } from "../config/read-yaml.ts";
import { fail } from "../core/errors.ts";

const gridColumns = 24;

const Text = z.string().trim().min(1, "must not be empty");
const Key = z.string().regex(/^[a-z][a-z\d_]*$/, "must be lower case letters, digits and _");
const Table = z
  .string()
  .regex(/^(mart|core|ops)\.[a-z][a-z\d_]*$/, "must be a table of mart, core or ops, with its schema");
const Column = z.string().regex(/^[a-z][a-z\d_]*$/, "is not a column name");

/** The place of a card on the grid of 24 columns: column, row, width, height. */
const Place = z
  .tuple([z.int().min(0), z.int().min(0), z.int().min(1), z.int().min(1)], "must be [column, row, width, height]")
  .refine(
    ([column, , width]) => column + width <= gridColumns,
    `must end within the ${gridColumns} columns of the grid`,
  );

const Filter = z.strictObject({
  name: Text,
  column: Column,
  /** Table of the column, if it is not the card's: the card's query names that table in a separate part. */
  table: Table.optional(),
  kind: z.enum(["values", "days"], "must be values or days").default("values"),
  default: z.string().min(1).optional(),
  /** A query whose first value is the default when the dashboard is made; later choices of people stay. */
  first: Text.optional(),
});

const Card = z.strictObject({
  name: Text,
  description: Text,
  table: Table,
  sql: Text,
  display: z.enum(
    ["table", "line", "bar", "area", "row", "scalar", "smartscalar", "combo", "pie"],
    "is not a kind of picture",
  ),
  settings: z.record(z.string(), z.unknown()).default({}),
  /** Columns of this card's table that replace a filter's column, by the filter's key. */
  columns: z.record(Key, Column).default({}),
  place: Place,
});

const Dashboard = z
  .strictObject({
    name: Text,
    description: Text,
    text: Text,
    filters: z.record(Key, Filter).default({}),
    cards: z.record(Key, Card).refine((cards) => Object.keys(cards).length > 0, "must not be empty"),
  })
  .superRefine(({ filters, cards }, context) => {
    for (const [key, { sql, columns }] of Object.entries(cards)) {
      const unknown = [...filtersIn(sql), ...Object.keys(columns)].find((name) => !(name in filters));
      if (unknown !== undefined)
        context.addIssue({
          code: "custom",
          path: ["cards", key, "sql"],
          message: `names a filter that the dashboard does not have: ${unknown}`,
        });
    }
    const overlap = overlapOf(Object.entries(cards).map(([key, { place }]) => ({ key, place })));
    if (overlap !== null)
      context.addIssue({
        code: "custom",
        path: ["cards", overlap.key, "place"],
        message: `overlaps that of ${overlap.other}`,
      });
  });

const Metric = z.strictObject({
  name: Text,
  description: Text,
  table: Table,
  aggregate: z.enum(["sum", "avg", "min", "max", "count", "distinct"], "is not an aggregate function"),
  column: Column.optional(),
  /** The column whose sum divides the aggregate. */
  over: Column.optional(),
  /** Boolean column that must be true. */
  only: Column.optional(),
  day: Column.optional(),
});

const Metrics = z.strictObject({ metrics: z.record(Key, Metric).default({}) });

/** A dashboard of the starter collection, as in its file. */
export type DashboardFile = z.output<typeof Dashboard> & { readonly key: string };
/** A card of a dashboard, as in the file. */
export type CardFile = z.output<typeof Card>;
/** A filter of a dashboard, as in the file. */
export type FilterFile = z.output<typeof Filter>;
/** A metric, as in metrics.yaml. */
export type MetricFile = z.output<typeof Metric>;
/** The starter collection. */
export type CollectionFiles = {
  readonly dashboards: readonly DashboardFile[];
  readonly metrics: Readonly<Record<string, MetricFile>>;
};

/**
 * Reads the starter collection from a folder: metrics.yaml, and one dashboard from each other file. Throws `bad_config`, with file and
 * line.
 */
export function readCollection(folder: string): CollectionFiles {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .sort();
  const dashboards = files
    .filter((file) => file !== "metrics.yaml")
    .map((file) => ({
      key: path.basename(file, ".yaml").replaceAll("-", "_"),
      ...readYaml(path.join(folder, file), Dashboard),
    }));
  // things in Metabase are found by name
  const once = (what: string, names: readonly string[]) => {
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice === undefined) return;
    throw fail("bad_config", { file: folder, line: 1, key: "name", problem: `${twice} is the name of two ${what}` });
  };
  once(
    "dashboards",
    dashboards.map(({ name }) => name),
  );
  once(
    "cards",
    dashboards.flatMap(({ cards }) => Object.values(cards).map(({ name }) => name)),
  );
  return {
    dashboards,
    metrics: readYaml(path.join(folder, "metrics.yaml"), Metrics).metrics,
  };
}

/** The filters that an SQL text names, each once. */
export function filtersIn(sql: string): readonly string[] {
  return [...new Set([...sql.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1] ?? ""))];
}

type Placed = { readonly key: string; readonly place: z.output<typeof Place> };

function overlapOf(cards: readonly Placed[]): { readonly key: string; readonly other: string } | null {
  for (const [
    index,
    {
      key,
      place: [x, y, width, height],
    },
  ] of cards.entries())
    for (const {
      key: other,
      place: [left, top, across, down],
    } of cards.slice(0, index))
      if (x < left + across && left < x + width && y < top + down && top < y + height) return { key, other };
  return null;
}
