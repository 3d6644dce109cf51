import { type Document, isMap, isNode, LineCounter, parseDocument, visit, type YAMLParseError } from "yaml";
import { z } from "zod";
import { fail } from "../core/errors.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import { readText } from "./read-text.ts";
import { Settings } from "./settings.ts";
import { schemaWords } from "../core/schema-words.ts";

/** A key that a schema does not know: the path to it, and the words that an error says about it. */
export type UnknownKey = (key: string, path: readonly PropertyKey[]) => string;

/**
 * Reads a yaml file through a schema; a missing file reads as one that says nothing. `byName` has the paths of maps in which a name without a value counts.
 * Throws `bad_config`, which names file, line and key.
 */
export function readYaml<S extends z.ZodType>(
  file: string,
  schema: S,
  unknownKey: UnknownKey = () => "is not known",
  byName: readonly string[] = [],
): z.output<S> {
  const lines = new LineCounter();
  const found = readText(file);
  if (found?.trim() === "") throw fail("bad_config", { file, line: 1, problem: isEmpty });
  const text = found ?? "";
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const unreadable = text.indexOf("\uFFFD");
  // a keyword with it would be requested, and paid for, as it is written
  if (unreadable >= 0) throw fail("bad_config", { file, line: lines.linePos(unreadable).line, problem: notUtf8 });
  const broken = document.errors[0];
  if (broken !== undefined)
    throw fail("bad_config", { file, line: lines.linePos(broken.pos[0]).line, problem: problemIn(broken) });
  const result = schema.safeParse(withoutNulls(valueOf(file, document, lines), byName) ?? {}, { error: schemaWords });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])];
  const problem = unknown === undefined ? messageOf(issue) : unknownKey(unknown, issue?.path ?? []);
  // a rule that is a sentence of its own does not continue the key
  const isSentence = /^(?:a|the) /.test(problem ?? "");
  throw fail("bad_config", {
    file,
    line: lineOf(document, lines, path),
    key: path.length > 0 ? path.join(".") : undefined,
    colon: isSentence && path.length > 0 ? ":" : undefined,
    problem,
  });
}

/** Some editors empty a file before they write it: its defaults would then be requested, and paid for. */
const isEmpty = "is empty: write your settings, or {} for the defaults";

const notUtf8 = "is not valid UTF-8: save the file as UTF-8";

/** What is wrong, in words; for an invalid name of an entry, the rule for names. */
function messageOf(issue: z.core.$ZodIssue | undefined): string | undefined {
  return issue?.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue?.message;
}

/** The parser's own words, except where they are for programmers. */
function problemIn({ code, message }: YAMLParseError): string {
  return code === "MULTIPLE_DOCS" ? "a second document begins here (---), but a file may have only one" : message;
}

function valueOf(file: string, document: Document, lines: LineCounter): unknown {
  let line = 1;
  visit(document, {
    Alias: (_, alias, path) => {
      const meant = alias.resolve(document);
      const isWithin = meant !== undefined && path.includes(meant);
      if (meant === undefined || isWithin) line = lines.linePos(alias.range?.[0] ?? 0).line;
      if (isWithin) throw fail("bad_config", { file, line, problem: `*${alias.source} refers to itself` });
    },
  });
  try {
    return document.toJS();
  } catch (cause) {
    // an alias without its anchor, or one that would expand without end, fails only here
    throw fail("bad_config", { file, line, problem: cause instanceof Error ? cause.message : undefined }, cause);
  }
}

/** A key without a value counts as left out; so does a section that has only comments. In a map of `byName` it is an entry. */
function withoutNulls(value: unknown, byName: readonly string[], path = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, byName, `${path}.`));
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).flatMap(([key, inner]) => {
    if (inner === null) return byName.includes(path) ? [[key, {}]] : [];
    return [[key, withoutNulls(inner, byName, path === "" ? key : `${path}.${key}`)]];
  });
  return Object.fromEntries(given);
}

/** The line of the deepest part of a path that the file has: of its key, or of an item of a list. */
function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent = document.getIn(path.slice(0, depth - 1), true);
    const key = isMap(parent) && parent.items.find((pair) => String(pair.key) === String(path[depth - 1]))?.key;
    const node = isNode(key) ? key : document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/** An account or a caller may have a name only. */
const byName = ["accounts", "gateway.callers"];

/**
 * Reads config/storehouse.yaml; a missing file means defaults. `schema` comes from `settingsFor`; without it only the shape of each
 * dataset's settings is checked. Throws a UsageError that names file, line and key.
 */
export function readSettings(file: string, schema: z.ZodType = Settings): Settings {
  // all datasets' settings have the same shape, except for options, which the dataset itself reads
  return readYaml(file, schema, (key, path) => unknownName(key, path, schema), byName) as Settings;
}

function unknownName(key: string, path: readonly PropertyKey[], schema: z.ZodType): string {
  const isDataset = path.length === 1 && path[0] === "datasets";
  return `${isDataset ? "is not a dataset" : "is not a setting"}${didYouMean(key, keysAt(schema, path))}`;
}

/** The keys that a schema has at a path of a value; none if the path leads to no object. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = schema;
  for (const step of path) at = below(bare(at), step);
  const found = bare(at);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function below(schema: unknown, step: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) return (schema.shape as Record<PropertyKey, unknown>)[step];
  if (schema instanceof z.ZodArray) return schema.element;
  return schema instanceof z.ZodRecord ? schema.valueType : undefined;
}

function bare(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return isWrapped ? bare(schema.unwrap()) : schema;
}
