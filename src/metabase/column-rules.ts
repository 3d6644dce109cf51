import { capital } from "../core/words.ts";

/** How a number is shown, in Metabase's terms; the same for columns of tables and of questions. */
type Format = Readonly<Record<string, string | number>>;

/** How Metabase presents a column, beyond its comment. Properties that are left out stay as they are in Metabase. */
export type ColumnPresentation = {
  readonly semantic?: string;
  readonly format?: Format;
  readonly visibility?: "normal" | "details-only" | "sensitive";
  readonly values?: "list" | "search" | "none";
};

type Rule = ColumnPresentation & {
  readonly name: RegExp;
  /** Only columns of these kinds; all if left out. A question's columns have no kind, and none is JSON. */
  readonly kinds?: readonly Kind[];
  /** Only tables whose name with schema matches. */
  readonly table?: RegExp;
};

type Kind = "number" | "text" | "json" | "other";

const whole: Format = { number_style: "decimal", decimals: 0 };
const money: Format = { number_style: "decimal", decimals: 2 };
const fine: Format = { number_style: "decimal", decimals: 4 };
const tenths: Format = { number_style: "decimal", decimals: 1 };
const dollars: Format = { number_style: "currency", currency: "USD", decimals: 2 };
const percent: Format = { number_style: "percent", decimals: 1 };
const figures: readonly Kind[] = ["number"];
const words: readonly Kind[] = ["text"];

/**
 * How a column's name decides its presentation: the first matching rule with a visibility decides whether it is hidden, the first other
 * match how it is shown. Money gets no sign, since another column names the currency of each row. Percentages are multiplied by a hundred,
 * except shares in core, which are shown as the service scales them.
 */
const rules: readonly Rule[] = [
  // bookkeeping
  { name: /^(slice_id|fetched_at|row_key|row_hash)$/, visibility: "sensitive" },
  { name: /./, kinds: ["json"], visibility: "sensitive" },
  { name: /_key$/, table: /^core\.(?!dim_)/, visibility: "details-only" },

  // who and where
  { name: /^country_(code|name)$/, semantic: "type/Country", values: "list" },
  { name: /^app_name$/, semantic: "type/Name", values: "list" },
  { name: /^(keyword|search_term)$/, kinds: words, values: "search" },
  { name: /^(title|subtitle)$/, kinds: words, semantic: "type/Title" },
  { name: /^(content|description|release_notes|whats_new)$/, kinds: words, semantic: "type/Description" },
  { name: /(^|_)(icon|image|frame|preview)_url$/, semantic: "type/ImageURL" },
  { name: /_url$/, semantic: "type/URL" },
  { name: /^group_name$|^(keyword|app)_groups$/, kinds: words, semantic: "type/Category", values: "list" },
  { name: /_name$/, kinds: words, semantic: "type/Name" },
  {
    name: /^(store|device_code|dataset|operation|class|kind|gender|network|chart|outcome|attribution|movement|reason|state)$|(^|_)currency(_code)?$|_(state|status|type|level|kind|source|class|resolution)$/,
    kinds: words,
    semantic: "type/Category",
    values: "list",
  },

  // how much
  { name: /_share$|^share$|_rate$|^(cr|ttr)$/, table: /^core\./, kinds: figures, format: fine },
  { name: /(^|_)(impression|category)_share$/, kinds: figures, format: fine },
  { name: /^percent_|_percent$/, kinds: figures, format: { number_style: "decimal", decimals: 1, suffix: " %" } },
  { name: /_share$|_rate$/, kinds: figures, semantic: "type/Percentage", format: percent },
  { name: /_usd(_|$)/, kinds: figures, semantic: "type/Currency", format: dollars },
  {
    name: /(^|_)(spend|revenue|budget|bid|cpa|cpt|cpm|cpi|arpu|roas)(_|$)|(^|_)cost_per_/,
    kinds: figures,
    format: money,
  },
  { name: /(^|_)rating$|(^|_)score$/, kinds: figures, semantic: "type/Score", format: money },
  { name: /(^|_)days(_|$)|_day_count$/, kinds: figures, format: { ...whole, suffix: " days" } },
  {
    name: /(^|_)count$|^rows_|(^|_)credits$/,
    kinds: figures,
    semantic: "type/Quantity",
    format: whole,
  },
  { name: /^average_|_average_|(^|_)category_rank$|_sum$/, kinds: figures, format: tenths },
  { name: /(^|_)(rank|position|volume)$|^places_/, kinds: figures, format: whole },
  // with thousands separators an id or a year would read as an amount
  { name: /_id$|^(year|iso_year)$/, kinds: figures, format: { number_separators: "." } },
];

/** What the rules say about a column. `type` is the Postgres type's name, left out for a question's columns. */
export function presentationOf(column: string, table?: string, type?: string): ColumnPresentation {
  const kind = type === undefined ? undefined : kindOf(type);
  const fits = ({ name, kinds, table: tables }: Rule) =>
    name.test(column) &&
    (kinds === undefined || (kind === undefined ? !kinds.includes("json") : kinds.includes(kind))) &&
    (tables === undefined || (table !== undefined && tables.test(table)));
  const fitting = rules.filter(fits);
  const visibility = fitting.find((rule) => rule.visibility !== undefined)?.visibility;
  // a hidden column needs no format
  if (visibility === "sensitive") return { visibility };
  const shown = fitting.find((rule) => rule.visibility === undefined);
  return {
    ...(shown?.semantic === undefined ? {} : { semantic: shown.semantic }),
    ...(shown?.format === undefined ? {} : { format: shown.format }),
    ...(shown?.values === undefined ? {} : { values: shown.values }),
    ...(visibility === undefined ? {} : { visibility }),
  };
}

function kindOf(type: string): Kind {
  if (/^(smallint|integer|bigint|numeric|real|double precision)/.test(type)) return "number";
  if (/^jsonb?$/.test(type)) return "json";
  return /^(text|character|name)/.test(type) ? "text" : "other";
}

/** Abbreviations, as people write them. */
const short: Readonly<Record<string, string>> = {
  ad: "ad",
  arpu: "ARPU",
  cpa: "CPA",
  cpi: "CPI",
  cpm: "CPM",
  cpt: "CPT",
  ios: "iOS",
  ipad: "iPad",
  iphone: "iPhone",
  lat: "LAT",
  mmp: "MMP",
  roas: "ROAS",
};

const wholeNames: Readonly<Record<string, string>> = {
  cr: "Conversion rate",
  ttr: "Tap-through rate",
  date_day: "Day",
};

/** A readable name, if the one that Metabase makes from the column reads badly; else null. */
export function displayNameOf(column: string): string | null {
  const known = wholeNames[column];
  if (known !== undefined) return known;
  const parts = column.split("_");
  if (!parts.some((part) => part !== "ad" && part in short)) return null;
  const text = parts.map((part) => short[part] ?? part).join(" ");
  return /^(ios|ipad|iphone)$/.test(parts[0] ?? "") ? text : capital(text);
}

/** True for a name that Metabase made from the column's name, and that nobody has chosen. */
export function isMadeName(displayName: string, column: string): boolean {
  const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z\d]/g, "");
  return bare(displayName) === bare(column);
}
