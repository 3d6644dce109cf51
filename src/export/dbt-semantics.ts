import { stringify } from "yaml";
import type { Column, Relation } from "../postgres/relations.ts";
import { dbtYaml, sourceName, withoutJinja } from "./dbt-sources.ts";
import { martMetrics, type MartMetrics } from "./mart-metrics.ts";
import { capital } from "../core/words.ts";

/** A file of a dbt project. */
export type DbtFile = { readonly name: string; readonly text: string };

const heading = `# Written by \`storehouse dbt --semantic-layer\` from the comments, keys and metrics of the marts; run the command again instead of editing this file.
# For dbt Core 1.12 and newer, and Fusion.
`;
const timeSpine = "storehouse_days";

const source = (schema: string, table: string) => `{{ source('${sourceName(schema)}', '${table}') }}`;

/** Subjects of rows in many marts: each is a separate semantic model, whose dimensions group and filter the metrics of the marts. */
const sharedEntities = [
  {
    entity: "app",
    description:
      "One row per app: its name and its groups. If an app is in several groups, one text lists all their names.",
    dimensions: {
      app_name: "Name of the app as last seen.",
      app_groups: "Names of its groups (portfolio.groups in the configuration), separated by commas.",
    },
    /** How a mart names it. */
    key: (names: ReadonlySet<string>) => {
      if (!names.has("track_id")) return null;
      // marts of search ads have no store: there are none on Android
      return names.has("store") ? "store || ':' || track_id" : "'ios:' || track_id";
    },
    select: `select a.store || ':' || a.track_id as app, a.app_name, g.app_groups
from ${source("core", "dim_app")} as a
left join (
  select store, track_id, string_agg(group_name, ', ' order by group_name) as app_groups
  from ${source("mart", "app_group")}
  group by store, track_id
) as g on g.store = a.store and g.track_id = a.track_id
`,
  },
  {
    entity: "country",
    description: "One row per country: its name and region.",
    dimensions: {
      country_name: "Common English name of the country.",
      region: "Continent-sized region of the country, by UN M49.",
    },
    key: (names: ReadonlySet<string>) => (names.has("country_code") ? "country_code" : null),
    select: `select country_code as country, country_name, region from ${source("core", "dim_country")}\n`,
  },
] as const;

/**
 * The semantic layer of the marts as files of a dbt project: a model for each mart, from which dbt makes semantic models; their metrics;
 * and the days that dbt joins them to.
 */
export function dbtSemantics(relations: readonly Relation[]): readonly DbtFile[] {
  const marts = relations.flatMap((relation) => {
    const metrics = relation.schema === "mart" ? martMetrics[relation.table] : undefined;
    return metrics === undefined ? [] : [{ relation, metrics }];
  });
  const spine = {
    name: timeSpine,
    description: "Days, for the semantic layer.",
    time_spine: { standard_granularity_column: "date_day" },
    columns: [{ name: "date_day", granularity: "day" }],
  };
  const shared = sharedEntities.map(({ entity, description, dimensions }) => ({
    name: modelName(entity),
    description,
    semantic_model: { enabled: true },
    columns: [
      { name: entity, description: `Key of the ${entity}.`, entity: { type: "primary", name: entity } },
      ...Object.entries(dimensions).map(([name, text]) => ({
        name,
        description: text,
        dimension: { type: "categorical" },
      })),
    ],
  }));
  const models = [spine, ...shared, ...marts.map(({ relation, metrics }) => modelOf(relation, metrics))];
  return [
    { name: "semantic_models.yml", text: heading + stringify({ version: 2, models }, dbtYaml) },
    { name: `${timeSpine}.sql`, text: selectFrom("core", "dim_date", "date_day") },
    ...sharedEntities.map(({ entity, select }) => ({ name: `${modelName(entity)}.sql`, text: select })),
    ...marts.map(({ relation: { table } }) => ({
      name: `${modelName(table)}.sql`,
      text: selectFrom("mart", table, "*"),
    })),
  ];
}

function modelName(mart: string): string {
  return `storehouse_${mart}`;
}

function selectFrom(schema: string, table: string, columns: string): string {
  return `select ${columns} from ${source(schema, table)}\n`;
}

function modelOf(relation: Relation, metrics: MartMetrics) {
  const { table, comment, columns, key } = relation;
  const dimensions = columns.filter(({ name, type }) => isDimension({ name, type }, key) && name !== metrics.time);
  return {
    name: modelName(table),
    description: withoutJinja(comment),
    semantic_model: { enabled: true },
    primary_entity: entityName(table),
    agg_time_dimension: metrics.time,
    columns: [
      {
        ...described(columns, metrics.time),
        granularity: metrics.time === "date_day" ? "day" : "month",
        dimension: { type: "time" },
      },
      ...dimensions.map(({ name }) => ({ ...described(columns, name), dimension: { type: "categorical" } })),
    ],
    ...entitiesOf(columns),
    metrics: metricsOf(relation, metrics),
  };
}

/** The app and the country of a row, if it has them. */
function entitiesOf(columns: readonly Column[]): { readonly derived_semantics?: object } {
  const names = new Set(columns.map(({ name }) => name));
  const entities = sharedEntities.flatMap(({ entity, key }) => {
    const expr = key(names);
    return expr === null ? [] : [{ name: entity, type: "foreign", expr }];
  });
  return entities.length === 0 ? {} : { derived_semantics: { entities } };
}

/** A row of the mart. */
function entityName(mart: string): string {
  return `${mart}_row`;
}

/** True for columns that group and filter rows: the key, texts and booleans. */
function isDimension({ name, type }: Pick<Column, "name" | "type">, key: readonly string[]): boolean {
  return key.includes(name) || ["text", "boolean"].includes(type);
}

function described(columns: readonly Column[], name: string) {
  return { name, description: withoutJinja(columns.find((column) => column.name === name)?.comment ?? "") };
}

function metricsOf({ table, columns }: Relation, metrics: MartMetrics): readonly object[] {
  const { choose = {}, only = {}, onlyOf = {}, addsUpOver = "everything", sums, averages = [], ratios = {} } = metrics;
  const filterOf = (column: string) => {
    const conditions = Object.entries({ ...choose, ...only, ...onlyOf[column] }).map(
      ([name, condition]) => `{{ Dimension('${entityName(table)}__${name}') }} ${condition}`,
    );
    return conditions.length === 0 ? {} : { filter: conditions.join(" and ") };
  };
  const wholeOf = (column: string) => {
    const flags = Object.keys(onlyOf[column] ?? {});
    return flags.length === 0 ? "" : `, as long as ${flags.join(" and ")} is true for every row`;
  };
  const chosen = Object.keys(choose);
  const metric = (column: string, agg: string, addsOver: string) => ({
    name: `${table}_${column}`,
    label: labelOf(column, table),
    description: described(columns, column).description,
    type: "simple",
    agg,
    expr: column,
    ...filterOf(column),
    config: {
      meta: {
        adds_up_over: `${addsOver}${wholeOf(column)}`,
        ...(chosen.length === 0 ? {} : { one_value_of: chosen }),
      },
    },
  });
  return [
    ...sums.map((column) => metric(column, "sum", addsUpOver)),
    ...averages.map((column) => metric(column, "average", "nothing")),
    ...Object.entries(ratios).map(([name, [numerator, denominator]]) => ({
      name: `${table}_${name}`,
      label: labelOf(name, table),
      description: `${described(columns, numerator).description} Divided by: ${described(columns, denominator).description}`,
      type: "ratio",
      numerator: `${table}_${numerator}`,
      denominator: `${table}_${denominator}`,
      config: { meta: { adds_up_over: "nothing" } },
    })),
  ];
}

function labelOf(column: string, mart: string): string {
  return `${capital(column.replaceAll("_", " "))} (${mart})`;
}
