/** What can run a statement: a database, one of its connections, or a transaction. */
export interface Queryable {
  run(text: string, values: readonly unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** A piece of SQL with its parameters: part of another one, or a statement whose rows are of type `Row`. */
export interface SqlFragment<Row = unknown> {
  /** Text between the parts, one more than parts. */
  readonly texts: readonly string[];
  /** Fragments, which are inserted unchanged, and values, which become parameters. */
  readonly parts: readonly unknown[];
  execute(on: Queryable): Promise<{ readonly rows: Row[] }>;
}

class Fragment<Row> implements SqlFragment<Row> {
  readonly texts: readonly string[];
  readonly parts: readonly unknown[];

  constructor(texts: readonly string[], parts: readonly unknown[]) {
    this.texts = texts;
    this.parts = parts;
  }

  async execute(on: Queryable): Promise<{ readonly rows: Row[] }> {
    const { text, values } = compiled(this);
    return (await on.run(text, values)) as { readonly rows: Row[] };
  }
}

/** The text of a statement with `$1`, `$2` ... for its values. */
function compiled(fragment: SqlFragment): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const textOf = ({ texts, parts }: SqlFragment): string =>
    texts
      .map((text, index) => {
        if (index >= parts.length) return text;
        const part = parts[index];
        return `${text}${part instanceof Fragment ? textOf(part) : `$${values.push(part)}`}`;
      })
      .join("");
  return { text: textOf(fragment), values };
}

/*
 * A tag, not a query builder: all SQL here is written as text, and loading a builder's three hundred files took a third of every start.
 */
function tag<Row = unknown>(texts: TemplateStringsArray, ...parts: readonly unknown[]): SqlFragment<Row> {
  return new Fragment<Row>(texts, parts);
}

/** Writes SQL: `sql<Row>`select ... ${value}``. A value becomes a parameter, a fragment is inserted unchanged. */
export const sql = Object.assign(tag, {
  /** Text that is already SQL; never text from outside. */
  raw: <Row = unknown>(text: string): SqlFragment<Row> => new Fragment<Row>([text], []),
  /** A quoted name, its parts joined with dots. */
  id: (...names: readonly string[]): SqlFragment => new Fragment([names.map(quotedName).join(".")], []),
  /** A name written with dots: `core.dim_app`, `s.state`. */
  ref: (name: string): SqlFragment => sql.id(...name.split(".")),
  /** Values or fragments, joined with commas unless another separator is given. */
  join: (parts: readonly unknown[], separator: SqlFragment = new Fragment([", "], [])): SqlFragment => {
    const all = parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
    return new Fragment(
      Array.from({ length: all.length + 1 }, () => ""),
      all,
    );
  },
  /** A text or number as a literal, where Postgres takes no parameter. */
  lit: (value: string | number): SqlFragment =>
    new Fragment([typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`], []),
});

/** A statement for a person to run elsewhere, with its values as literals. Throws for a value that has none. */
export function withLiterals({ texts, parts }: SqlFragment): string {
  return texts
    .map((text, index) => {
      if (index >= parts.length) return text;
      const part = parts[index];
      return `${text}${part instanceof Fragment ? withLiterals(part) : literal(part)}`;
    })
    .join("")
    .trim();
}

function literal(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (Array.isArray(value)) return `array[${value.map(literal).join(", ")}]`;
  throw new Error(`no literal for a value of type ${typeof value}`);
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The last millisecond that both sides can write with a four-digit year. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** An instant (epoch-ms) as a timestamptz; one before 1970 or after the year 9999 is the nearest of these. */
export function instant(at: number | null): SqlFragment<Date | null> {
  const kept = at === null ? null : new Date(Math.max(0, Math.min(lastInstant, at)));
  return sql`${kept === null ? null : kept.toISOString()}::timestamptz`;
}
