import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object with keys",
  record: "an object with keys",
};

function kindOf(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "number") return Number.isFinite(input) ? "a number" : String(input);
  return kinds[typeof input] ?? typeof input;
}

function wanted(name: string, input: unknown): string {
  const kind = kinds[name] ?? name;
  // text in an address, converted to a number: nobody wrote NaN
  if (Number.isNaN(input)) return `must be ${kind}`;
  const found = kindOf(input);
  const isFraction = name === "int" && found === "a number";
  return isFraction || kind === found ? `must be ${kind}` : `must be ${kind}, not ${found}`;
}

function bound({ origin, inclusive }: { origin: string; inclusive?: boolean }, most: boolean, value: unknown): string {
  const many = `${most ? "at most" : "at least"} ${String(value)}`;
  const one = Number(value) === 1;
  if (origin === "string") return !most && one ? "must not be empty" : `must have ${many} character${one ? "" : "s"}`;
  if (origin === "array" || origin === "set") return `must have ${many} item${one ? "" : "s"}`;
  if (inclusive === false) return `must be ${most ? "less" : "more"} than ${String(value)}`;
  return `must be ${many}`;
}

/** The kinds that a union accepts, if the value has none of them; otherwise what is wrong with the value in each of its forms. */
function unionWords({ errors, input }: Extract<Issue, { code: "invalid_union" }>): string {
  const firsts = errors.map(([first]) => first);
  const names = firsts.map((one) =>
    one?.code === "invalid_type" && one.path.length === 0 ? (kinds[one.expected] ?? one.expected) : null,
  );
  if (names.length === 0) return "has none of the allowed forms";
  if (names.includes(null)) {
    const problems = firsts.flatMap((one) =>
      one === undefined ? [] : `${one.path.join(".")} ${one.message}`.trimStart(),
    );
    return `has none of the allowed forms: ${[...new Set(problems)].join(", or ")}`;
  }
  return `must be ${[...new Set(names)].join(" or ")}, not ${kindOf(input)}`;
}

/**
 * The problem of a value, in words that follow its name: `api.concurrency must be a whole number, not text`. For `safeParse(value, { error:
 * schemaWords })`; a schema with its own message keeps it. No value is repeated: it may be a secret.
 */
export function schemaWords(issue: Issue): string {
  if (issue.input === undefined && issue.code !== "unrecognized_keys") return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return wanted(issue.expected, issue.input);
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return bound(issue, false, issue.minimum);
    case "too_big":
      return bound(issue, true, issue.maximum);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return issue.format === "regex" ? `must match ${issue.pattern}` : `must be of the form ${issue.format}`;
    case "unrecognized_keys":
      return `has ${issue.keys.length > 1 ? "keys that are" : "a key that is"} not known: ${issue.keys.join(", ")}`;
    case "invalid_union":
      return unionWords(issue);
    case "invalid_key":
      return "has an invalid key";
    case "invalid_element":
      return "has an invalid item";
    default:
      return "is invalid";
  }
}
