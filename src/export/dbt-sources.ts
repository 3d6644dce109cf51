import { stringify } from "yaml";
import { daysBetweenAnswers, type Timing } from "../core/timing.ts";
import type { Column, Relation } from "../postgres/relations.ts";

/**
 * What is known about a table or mart in addition to the catalogue: the datasets whose rows it has, how fresh it should be (null: its rows
 * do not show that), and by which time column.
 */
export type TableFacts = {
  readonly datasets: readonly string[];
  readonly freshness: Freshness | null;
  readonly freshBy: string;
};

/** The input for the sources. `fixed`: the values of a view's column, by column name, in every view that has it. */
export type DbtRequest = {
  readonly relations: readonly Relation[];
  readonly facts: ReadonlyMap<string, TableFacts>;
  readonly fixed: ReadonlyMap<string, readonly string[]>;
};

const schemas = [
  { schema: "core", description: "Normalised dimensions (dim_*) and facts (fact_*) of Storehouse." },
  { schema: "mart", description: "Marts for analysts: wide views with names spelled out." },
] as const;

const heading = `# Written by \`storehouse dbt\` from the comments and keys of the database; run the command again instead of editing this file.
# For dbt Core 1.10.5 and newer, and Fusion.
`;

/** dbt reads YAML 1.1, in which `no`, `on` and `12:30` are not text: such words are quoted. */
export const dbtYaml = { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false } as const;

/** dbt's `sources.yml` for core and mart. The same database and configuration give the same text. */
export function dbtSources(request: DbtRequest): string {
  const sources = schemas.map(({ schema, description }) => ({
    name: sourceName(schema),
    schema,
    description,
    config: { tags: ["storehouse"] },
    tables: request.relations.filter((one) => one.schema === schema).map((relation) => tableOf(relation, request)),
  }));
  return heading + stringify({ version: 2, sources }, dbtYaml);
}

/** The name of a schema's dbt source. */
export function sourceName(schema: string): string {
  return `storehouse_${schema}`;
}

function tableOf(relation: Relation, { facts, fixed }: DbtRequest) {
  const known = facts.get(relation.name);
  const tests = keyTests(relation);
  const accepted = new Map([...(relation.isView ? fixed : []), ...acceptedValues(relation)]);
  return {
    name: relation.table,
    description: withoutJinja(relation.comment),
    ...(known === undefined ? {} : configOf(known)),
    ...(tests.length === 0 ? {} : { data_tests: tests }),
    columns: relation.columns.map((column) => columnOf(column, relation, accepted.get(column.name))),
  };
}

/** Tags and freshness: dbt reads both below `config`. */
function configOf({ datasets, freshness, freshBy }: TableFacts): object {
  const tags = datasets.length === 0 ? {} : { tags: [...datasets] };
  if (freshness === null) return datasets.length === 0 ? {} : { config: tags };
  const { warnDays, errorDays } = freshness;
  return {
    config: {
      ...tags,
      loaded_at_field: freshBy,
      freshness: { warn_after: { count: warnDays, period: "day" }, error_after: { count: errorDays, period: "day" } },
    },
  };
}

/** A key of several columns becomes a test of the table: no two rows have the same key. */
function keyTests({ key }: Relation): readonly object[] {
  return key.length < 2 ? [] : [{ unique: { arguments: { column_name: `(${key.join(", ")})` } } }];
}

function columnOf(
  { name, type, comment, isNullable }: Column,
  { key, foreignKeys }: Relation,
  accepted?: readonly string[],
) {
  const tests = [
    ...(key.length === 1 && key[0] === name ? ["unique"] : []),
    ...(key.includes(name) && !isNullable ? ["not_null"] : []),
    ...(accepted === undefined ? [] : [{ accepted_values: { arguments: { values: [...accepted] } } }]),
    ...foreignKeys
      .filter(({ column, to }) => column === name && to.startsWith("core."))
      .map(({ to, toColumn }) => ({ relationships: { arguments: { to: reference(to), field: toColumn } } })),
  ];
  return {
    name,
    description: withoutJinja(comment),
    data_type: type,
    ...(tests.length === 0 ? {} : { data_tests: tests }),
  };
}

function reference(relation: string): string {
  const [schema = "", table = ""] = relation.split(".");
  return `source('${sourceName(schema)}', '${table}')`;
}

/** dbt reads descriptions as templates: text that could be read as one is quoted with one. */
export function withoutJinja(text: string): string {
  return text.replaceAll(/\{[{%#]/g, (opening) => `{{ '${opening}' }}`);
}

/** The values that a text column may have, by column, if a check of its table lists them. */
export function acceptedValues({ checks }: Pick<Relation, "checks">): ReadonlyMap<string, readonly string[]> {
  return new Map(checks.flatMap(listed));
}

/** As Postgres writes `check (store in ('ios', 'android'))` back. */
const list = /^CHECK \(\(\(?"?(\w+)"?\)?(?:::text)? = ANY \(\(?ARRAY\[(.*)\]\)?(?:::text\[\])?\)\)\)$/;

function listed(check: string): readonly (readonly [string, readonly string[]])[] {
  const [, column, values] = list.exec(check) ?? [];
  if (column === undefined || values === undefined) return [];
  const found = [...values.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = ""]) => value.replaceAll("''", "'"));
  return [[column, found]];
}

/** The days without a new row after which a table is late, and after which that is an error. */
export type Freshness = { readonly warnDays: number; readonly errorDays: number };

/** If one night fails, the next one catches up; after that it is worth a warning. */
const nightsToWarn = 2;
const nightsToFail = 7;

/** How old the newest row of a dataset with this timing may be, counted from when it was fetched. */
export function freshnessOf(timing: Timing): Freshness {
  const every = daysBetweenAnswers(timing);
  return { warnDays: every + nightsToWarn, errorDays: every + nightsToFail };
}

/** The same, counted from the day of the rows, for marts, which do not know when they were fetched. */
export function dayFreshnessOf(timing: Timing): Freshness {
  // a day ends before it is published, and its run is the day after
  const published = 1 + ("settleDays" in timing ? timing.settleDays : 0);
  const { warnDays, errorDays } = freshnessOf(timing);
  return { warnDays: warnDays + published, errorDays: errorDays + published };
}

/** The rows of a table that several datasets write are as late as those of the slowest. */
export function slowest(all: readonly Freshness[]): Freshness {
  return {
    warnDays: Math.max(...all.map(({ warnDays }) => warnDays)),
    errorDays: Math.max(...all.map(({ errorDays }) => errorDays)),
  };
}
