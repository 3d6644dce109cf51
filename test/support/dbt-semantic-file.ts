import { z } from "zod";

/*
 * The parts of dbt's latest semantic layer that are written, as its documentation and the schema of Fusion have them: nothing else fits.
 */

const Name = z.string().regex(/^[a-z](?!.*__)[a-z0-9_]*[a-z0-9]$/);
const Meta = z.strictObject({ adds_up_over: z.string(), one_value_of: z.array(z.string()).optional() });
const shared = {
  name: Name,
  label: z.string().min(1),
  description: z.string().min(1),
  config: z.strictObject({ meta: Meta }),
};
const Simple = z.strictObject({
  ...shared,
  type: z.literal("simple"),
  agg: z.enum(["sum", "average"]),
  expr: z.string(),
  filter: z.string().optional(),
});
const Ratio = z.strictObject({ ...shared, type: z.literal("ratio"), numerator: Name, denominator: Name });
const Granularity = z.enum(["day", "month"]);
const Entity = z.strictObject({ name: Name, type: z.literal("foreign"), expr: z.string() });
/** What rows of many marts are about. */
export const SharedModel = z.strictObject({
  name: Name,
  description: z.string().min(1),
  semantic_model: z.strictObject({ enabled: z.literal(true) }),
  columns: z.tuple(
    [
      z.strictObject({
        name: Name,
        description: z.string(),
        entity: z.strictObject({ type: z.literal("primary"), name: Name }),
      }),
    ],
    z.strictObject({
      name: Name,
      description: z.string().min(1),
      dimension: z.strictObject({ type: z.literal("categorical") }),
    }),
  ),
});
/** A mart with its entities, dimensions and metrics. */
export const SemanticModel = z.strictObject({
  name: Name,
  description: z.string().min(1),
  semantic_model: z.strictObject({ enabled: z.literal(true) }),
  primary_entity: Name,
  agg_time_dimension: Name,
  columns: z.array(
    z.strictObject({
      name: Name,
      description: z.string().min(1),
      granularity: Granularity.optional(),
      dimension: z.strictObject({ type: z.enum(["time", "categorical"]) }),
    }),
  ),
  derived_semantics: z.strictObject({ entities: z.array(Entity).min(1) }).optional(),
  metrics: z.array(z.discriminatedUnion("type", [Simple, Ratio])).min(1),
});
const Spine = z.strictObject({
  name: Name,
  description: z.string().min(1),
  time_spine: z.strictObject({ standard_granularity_column: z.literal("date_day") }),
  columns: z.tuple([z.strictObject({ name: z.literal("date_day"), granularity: Granularity })]),
});
/** The file `semantic_models.yml`: days, apps and countries, then the marts. */
export const SemanticFile = z.strictObject({
  version: z.literal(2),
  models: z.tuple([Spine, SharedModel, SharedModel], SemanticModel),
});
