import { z } from "zod";

/** What Metabase takes, property by property; like the newest version it refuses unknown properties. */
const Id = z.int().min(1);
const Text = z.string().refine((text) => text.trim() !== "", "value must be a non-blank string");
const Settings = z.record(z.string(), z.unknown());

export const Setup = z.strictObject({
  token: Text,
  user: z.strictObject({
    email: z.email(),
    password: z.string().refine((text) => text.length >= 6 && text !== "password", "password is too common."),
    first_name: Text.nullish(),
    last_name: Text.nullish(),
    site_name: z.string().nullish(),
  }),
  prefs: z.strictObject({ site_name: Text, site_locale: z.string().nullish(), allow_tracking: z.boolean().nullish() }),
});

export const Login = z.strictObject({ username: Text, password: Text });

/** What the Postgres driver takes. */
const Details = z.strictObject({
  host: Text,
  port: z.int().min(1).max(65_535),
  dbname: Text,
  user: Text,
  password: z.string(),
  ssl: z.boolean(),
  "ssl-mode": z.enum(["allow", "prefer", "require", "verify-ca", "verify-full"]).optional(),
  "ssl-use-client-auth": z.boolean().optional(),
  "ssl-root-cert-options": z.enum(["local", "uploaded"]).optional(),
  "ssl-root-cert-value": z.string().optional(),
  "schema-filters-type": z.enum(["all", "inclusion", "exclusion"]),
  "schema-filters-patterns": z.string().optional(),
  "json-unfolding": z.boolean().optional(),
  "additional-options": z.string().optional(),
});
export type Details = z.output<typeof Details>;

export const NewDatabase = z.strictObject({
  name: Text,
  engine: z.literal("postgres"),
  details: Details,
  is_full_sync: z.boolean().optional(),
  auto_run_queries: z.boolean().nullish(),
});
export const DatabaseUpdate = z.strictObject({
  name: Text.nullish(),
  engine: z.literal("postgres").nullish(),
  details: Details.nullish(),
});

export const TableUpdate = z.strictObject({
  display_name: Text.nullish(),
  description: z.string().nullish(),
  visibility_type: z.string().nullish(),
});

/** The semantic types that our rules may name, as Metabase's own documentation lists them. */
const SemanticType = z.enum([
  "type/PK",
  "type/FK",
  "type/Country",
  "type/Name",
  "type/Title",
  "type/Description",
  "type/ImageURL",
  "type/URL",
  "type/Category",
  "type/Percentage",
  "type/Currency",
  "type/Score",
  "type/Quantity",
]);
const FieldSettings = z.strictObject({
  number_style: z.enum(["decimal", "percent", "scientific", "currency"]).optional(),
  number_separators: z.enum([".,", ",.", ", ", ".", ".’"]).optional(),
  decimals: z.int().min(0).optional(),
  currency: z.string().length(3).optional(),
  suffix: z.string().optional(),
  prefix: z.string().optional(),
  view_as: z.string().optional(),
});

export const FieldUpdate = z.strictObject({
  display_name: Text.nullish(),
  description: Text.nullish(),
  semantic_type: SemanticType.nullish(),
  visibility_type: z.enum(["retired", "sensitive", "normal", "hidden", "details-only"]).nullish(),
  has_field_values: z.enum(["auto-list", "list", "search", "none"]).nullish(),
  fk_target_field_id: Id.nullish(),
  settings: FieldSettings.nullish(),
});

export const NewCollection = z.strictObject({ name: Text, description: Text.nullish(), parent_id: Id.nullish() });

const FieldReference = z.tuple([z.literal("field"), Id, z.record(z.string(), z.unknown()).nullable()]);
const Tag = z.strictObject({
  id: z.uuid(),
  name: Text,
  "display-name": Text,
  type: z.literal("dimension"),
  dimension: FieldReference,
  "widget-type": z.enum(["string/=", "date/all-options"]),
});
const NativeQuery = z.strictObject({
  type: z.literal("native"),
  database: Id,
  native: z.strictObject({ query: Text, "template-tags": z.record(z.string(), Tag) }),
});
const BuiltQuery = z.strictObject({
  type: z.literal("query"),
  database: Id,
  query: z.strictObject({
    "source-table": Id,
    aggregation: z.array(z.array(z.unknown()).min(1)).length(1),
    filter: z.tuple([z.literal("="), FieldReference, z.literal(true)]).optional(),
    breakout: z.array(FieldReference).max(1).optional(),
  }),
});
export const Query = z.discriminatedUnion("type", [NativeQuery, BuiltQuery]);
export type Query = z.output<typeof Query>;

const Display = z.enum(["table", "line", "bar", "area", "row", "scalar", "smartscalar", "combo", "pie"]);
export const NewCard = z.strictObject({
  name: Text,
  description: Text.nullish(),
  type: z.enum(["question", "model", "metric"]).nullish(),
  display: Display,
  dataset_query: Query,
  visualization_settings: Settings,
  collection_id: Id.nullish(),
});
export const CardUpdate = NewCard.partial().extend({ archived: z.boolean().nullish() });

export const NewDashboard = z.strictObject({
  name: Text,
  description: z.string().nullish(),
  collection_id: Id.nullish(),
});

const Parameter = z.strictObject({
  id: Text,
  name: Text,
  slug: Text,
  type: z.enum(["string/=", "date/all-options", "number/="]),
  sectionId: Text.optional(),
  default: z.unknown().optional(),
});
const Mapping = z.strictObject({
  parameter_id: Text,
  card_id: Id.nullish(),
  target: z.array(z.unknown()).min(2).max(3),
});
const Place = z.strictObject({
  id: z.int(),
  size_x: z.int().min(1),
  size_y: z.int().min(1),
  row: z.int().min(0),
  col: z.int().min(0).max(23),
  card_id: Id.nullish(),
  action_id: Id.nullish(),
  dashboard_tab_id: z.int().nullish(),
  parameter_mappings: z.array(Mapping).nullish(),
  visualization_settings: Settings.nullish(),
  inline_parameters: z.array(Text).nullish(),
  series: z.array(z.strictObject({ id: Id })).nullish(),
});
export type Place = z.output<typeof Place>;
export const DashboardUpdate = z.strictObject({
  name: Text.nullish(),
  description: z.string().nullish(),
  parameters: z.array(Parameter).nullish(),
  dashcards: z.array(Place).nullish(),
  tabs: z.array(z.strictObject({ id: z.int(), name: Text })).nullish(),
  archived: z.boolean().nullish(),
});
export type Parameter = z.output<typeof Parameter>;
