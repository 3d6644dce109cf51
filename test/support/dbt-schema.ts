import { isObject } from "../../src/core/is-object.ts";
/*
 * What dbt itself accepts of a property file, where Storehouse writes one: the objects of its published JSON schema (`resources/latest.json` of
 * dbt Core 1.12, which Fusion generates), each with the names that it must have and may have. A name beyond these is refused.
 */

type Rule =
  | "text"
  | "texts"
  | "whole number"
  | "true or false"
  /** No matter what the schema says, nothing of it is written. */
  | "any"
  | { readonly one: readonly string[] }
  | { readonly object: string }
  | { readonly list: string };

type Shape = { readonly must: readonly string[]; readonly may: Readonly<Record<string, Rule>> };

const named = (rule: Rule, names: string): Readonly<Record<string, Rule>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, rule]));

const grain = { one: "nanosecond microsecond millisecond second minute hour day week month quarter year".split(" ") };
const entityType = { one: ["foreign", "natural", "primary", "unique"] } as const;
const element = { ...named("text", "name label description"), config: "any" } as const;
const tests = named({ list: "test" }, "data_tests tests");
const freshness = { freshness: { object: "freshness" } } as const;

const shapes: Readonly<Record<string, Shape>> = {
  file: { must: [], may: { version: "whole number", sources: { list: "source" }, models: { list: "model" } } },
  source: {
    must: ["name"],
    may: {
      ...named("text", "name schema database catalog description loader"),
      quoting: "any",
      config: { object: "source config" },
      tables: { list: "table" },
    },
  },
  "source config": {
    must: [],
    may: { ...freshness, tags: "texts", meta: "any", enabled: "true or false", event_time: "text" },
  },
  table: {
    must: ["name"],
    may: {
      ...named("text", "name identifier description loader"),
      ...named("any", "quoting external"),
      ...tests,
      config: { object: "table config" },
      columns: { list: "column" },
    },
  },
  "table config": {
    must: [],
    may: {
      ...named("text", "event_time loaded_at_field loaded_at_query"),
      ...freshness,
      tags: "texts",
      meta: "any",
      enabled: "true or false",
    },
  },
  freshness: { must: [], may: { ...named({ object: "age" }, "warn_after error_after"), filter: "text" } },
  // seconds are of Fusion alone
  age: { must: [], may: { count: "whole number", period: { one: ["minute", "hour", "day"] } } },
  column: {
    must: ["name"],
    may: {
      ...named("text", "name description data_type"),
      ...named("any", "quote constraints config policy_tags"),
      ...tests,
      granularity: grain,
      dimension: { object: "dimension" },
      entity: { object: "entity" },
    },
  },
  // a test is a text, or an object with its name over these
  test: { must: [], may: { ...named("text", "name description column_name"), ...named("any", "config arguments") } },
  model: {
    must: ["name"],
    may: {
      ...named("text", "name description primary_entity agg_time_dimension deprecation_date"),
      ...named("any", "config constraints versions"),
      ...tests,
      columns: { list: "column" },
      metrics: { list: "metric" },
      semantic_model: { object: "semantic model" },
      time_spine: { object: "time spine" },
      derived_semantics: { object: "derived semantics" },
    },
  },
  "semantic model": {
    must: ["enabled"],
    may: { ...named("text", "name group"), enabled: "true or false", config: "any" },
  },
  "time spine": {
    must: ["standard_granularity_column"],
    may: { standard_granularity_column: "text", custom_granularities: "any" },
  },
  dimension: {
    must: ["type"],
    may: { ...element, type: { one: ["categorical", "time"] }, is_partition: "true or false", validity_params: "any" },
  },
  entity: { must: ["type"], may: { ...element, type: entityType } },
  "derived semantics": { must: [], may: { dimensions: "any", entities: { list: "derived entity" } } },
  "derived entity": { must: ["name", "type", "expr"], may: { ...element, type: entityType, expr: "text" } },
  metric: {
    must: ["name"],
    may: {
      ...named("text", "name label description expr filter numerator denominator agg_time_dimension window entity"),
      ...named("any", "hidden percentile percentile_type join_to_timespine fill_nulls_with non_additive_dimension"),
      ...named("any", "input_metric input_metrics period_agg calculation base_metric conversion_metric"),
      ...named(grain, "grain_to_date time_granularity"),
      constant_properties: "any",
      type: { one: ["simple", "ratio", "cumulative", "derived", "conversion"] },
      agg: { one: "sum min max count_distinct sum_boolean average percentile median count".split(" ") },
      config: { object: "metric config" },
    },
  },
  "metric config": { must: [], may: { enabled: "true or false", group: "text", meta: "any", tags: "texts" } },
};

/** What dbt would refuse of a file that was read as YAML: each with the way to it. */
export function dbtProblems(file: unknown): readonly string[] {
  return objectProblems(file, "file", "");
}

function objectProblems(value: unknown, name: string, at: string): readonly string[] {
  const { must, may } = shapes[name] ?? { must: [], may: {} };
  if (!isObject(value)) return [`${at} is no ${name}`];
  return [
    ...must.filter((key) => !Object.hasOwn(value, key)).map((key) => `${at} lacks ${key}`),
    ...Object.entries(value).flatMap(([key, one]) => {
      const rule = may[key];
      return rule === undefined ? [`${at}.${key} is nothing that a ${name} has`] : problems(one, rule, `${at}.${key}`);
    }),
  ];
}

function problems(value: unknown, rule: Rule, at: string): readonly string[] {
  if (rule === "any") return [];
  if (typeof rule === "string") return fits[rule](value) ? [] : [`${at} is no ${rule}`];
  if ("one" in rule) return rule.one.some((one) => one === value) ? [] : [`${at} is ${String(value)}`];
  if ("object" in rule) return objectProblems(value, rule.object, at);
  if (!Array.isArray(value)) return [`${at} is no list`];
  return value.flatMap((one: unknown, place) =>
    rule.list === "test" ? testProblems(one, `${at}[${place}]`) : objectProblems(one, rule.list, `${at}[${place}]`),
  );
}

function testProblems(value: unknown, at: string): readonly string[] {
  if (typeof value === "string") return [];
  if (!isObject(value) || Object.keys(value).length !== 1) return [`${at} is no test`];
  return Object.entries(value).flatMap(([name, one]) => objectProblems(one, "test", `${at}.${name}`));
}

const isText = (value: unknown): value is string => typeof value === "string";
const fits = {
  text: isText,
  texts: (value: unknown) => isText(value) || (Array.isArray(value) && value.every(isText)),
  "whole number": Number.isInteger,
  "true or false": (value: unknown) => typeof value === "boolean",
} as const;
