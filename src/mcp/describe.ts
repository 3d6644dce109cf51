import { accountOf } from "../config/config-of-account.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import { isOn, type Settings } from "../config/settings.ts";
import { fail } from "../core/errors.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { readRelationDatasets } from "../planner/relation-datasets.ts";
import type { Database } from "../postgres/database.ts";
import { readRelations, type Relation } from "../postgres/relations.ts";
import { sql } from "../postgres/sql.ts";

/** The schemas that the reader role may read. */
export const readSchemas = ["mart", "core", "ops"] as const;

/** A schema that the reader role may read. */
export type ReadSchema = (typeof readSchemas)[number];

/** The tables and views of a schema, each with its comment. */
export async function listRelations(db: Database, schema: ReadSchema) {
  const relations = await readRelations(db);
  return {
    relations: relations.filter((one) => one.schema === schema).map(({ name, comment }) => ({ name, about: comment })),
  };
}

/** A table or view with its columns, and the datasets whose rows it shows. Throws `unknown_table` with the nearest name. */
export async function describeRelation(db: Database, name: string, settings: Settings) {
  const all = (await readRelations(db)).toSorted((a, b) => order(a) - order(b));
  const found = all.find((one) => one.name === name) ?? all.find(({ table }) => table === name);
  if (found === undefined)
    throw fail("unknown_table", {
      table: name,
      near: didYouMean(
        name,
        all.flatMap((one) => [one.name, one.table]),
      ),
    });
  const datasets = (await readRelationDatasets(db)).get(found.name) ?? [];
  const scheduled = await readScheduled(db, settings);
  return {
    name: found.name,
    about: found.comment,
    key: found.key,
    columns: found.columns.map(({ name: column, type, comment, isNullable }) => ({
      name: column,
      type,
      about: comment,
      ...(found.isView ? {} : { can_be_null: isNullable }),
    })),
    refers_to: found.foreignKeys.map(({ column, to, toColumn }) => ({ column, to: `${to}.${toColumn}` })),
    datasets: datasets.map((dataset) => {
      const { summary, on } = datasetNamed(dataset);
      return {
        name: dataset,
        about: summary,
        is_on: isOn({ name: dataset, on: on || scheduled.has(dataset) }, settings),
      };
    }),
  };
}

/** The datasets that lines of the schedule name: they are on, even if off by default. */
async function readScheduled(db: Database, settings: Settings): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ dataset: string }>`
    select distinct unnest(datasets) as dataset from ops.next_run where account = ${accountOf(settings)}`.execute(db);
  return new Set(rows.map(({ dataset }) => dataset));
}

function order({ schema }: Relation): number {
  return readSchemas.findIndex((one) => one === schema);
}
