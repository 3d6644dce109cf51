import { createHash } from "node:crypto";
import { z } from "zod";
import { creditClasses, requestedWindow, type Slice } from "../core/slice.ts";
import { isDay, type Day } from "../core/day.ts";
import { cleanText, type ParsedText } from "../core/text.ts";
import { lastDay } from "../core/window.ts";
import type { LandedPage } from "../raw/read-answers.ts";

/** The format that our files name; a changed format gets a new number. */
const format = "storehouse-answer-1";

const dayText = z.custom<Day>((value) => typeof value === "string" && isDay(value), "is not a day: write YYYY-MM-DD");
const storable = z.string().refine((text) => cleanText(text) === text, "contains a character that no table can store");
const instant = z.iso.datetime({ offset: true, error: "is not a time: write it as 2026-03-31T06:30:00Z" });
const bodyForms = { body: z.unknown(), body_text: z.string(), body_base64: z.base64() };
const oneBody = "must contain one of body, body_text and body_base64";

const Page = z
  .strictObject({ fetched_at: instant.optional(), ...optional(bodyForms) })
  .refine((page) => bodyCount(page) === 1, oneBody);

/**
 * The whole answer of one slice as a file, named as `raw export` names it. May be left out: `format`, `items` if the call names none,
 * `fingerprint`, and `fetched_at` (then the time of the file counts). An answer of several pages has `pages` instead of a body, and `is_cut`
 * if it reports more pages, which were not paid for.
 */
export const AnswerFile = z
  .strictObject({
    format: z.literal(format).optional(),
    dataset: z.string(),
    operation: z.string(),
    scope: z.record(storable, storable),
    items: z.array(storable.min(1)).min(1).nullish(),
    window: z.strictObject({ from: dayText, to: dayText }),
    class: z.enum(creditClasses),
    as_of: dayText,
    fingerprint: storable.optional(),
    fetched_at: instant.optional(),
    is_cut: z.literal(true).optional(),
    pages: z.array(Page).min(1).optional(),
    ...optional(bodyForms),
  })
  .refine((file) => bodyCount(file) === (file.pages === undefined ? 1 : 0), `${oneBody}, or pages`);

/** A valid file. */
export type AnswerFile = z.output<typeof AnswerFile>;

type Body = { [K in keyof typeof bodyForms]?: z.output<(typeof bodyForms)[K]> | undefined };

function optional<S extends Record<string, z.ZodType>>(shape: S): { [K in keyof S]: z.ZodOptional<S[K]> } {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.optional()])) as {
    [K in keyof S]: z.ZodOptional<S[K]>;
  };
}

function bodyCount(holder: Body): number {
  return Object.keys(bodyForms).filter((name) => holder[name as keyof Body] !== undefined).length;
}

/** The value of a file, and its body if that can be taken from the file unchanged. */
export type ParsedFile = { readonly json: unknown; readonly body?: ParsedText | undefined };

/**
 * Parses a file as JSON; if it has the form of `answerText` with one page, the body, which is most of it, is parsed separately and kept as
 * written. Throws what JSON.parse throws.
 */
export function parseFile(text: string): ParsedFile {
  const at = text.indexOf(bodyBegins);
  const body =
    at < 0 || !text.endsWith(fileEnds) ? null : asWritten(text.slice(at + bodyBegins.length, -fileEnds.length));
  if (body !== null)
    try {
      return { json: { ...(JSON.parse(`${text.slice(0, at)}}`) as object), body: body.json }, body };
    } catch {
      // the text before the body is not the head of such a file
    }
  return { json: JSON.parse(text) };
}

const bodyBegins = ',\n"body": ';
const fileEnds = "\n}\n";

/** A text of JSON, if it is written as we write it; null if it is not JSON, or if a number or space in it would be lost. */
function asWritten(text: string): ParsedText | null {
  try {
    const json: unknown = JSON.parse(text);
    return JSON.stringify(json) === text ? { text, json } : null;
  } catch {
    return null;
  }
}

/**
 * The bodies of a file with their times; `fallback` (epoch-ms) is the time of a page that names none. `body`: the only body, if it is
 * parsed already.
 */
export function pagesOf(file: AnswerFile, fallback: number, body?: ParsedText): readonly LandedPage[] {
  const own = file.fetched_at === undefined ? fallback : Date.parse(file.fetched_at);
  return (file.pages ?? [file]).map((page) => ({
    body: body === undefined ? bytesOf(page) : Buffer.from(body.text),
    parsed: body,
    fetchedAt: page.fetched_at === undefined ? own : Date.parse(page.fetched_at),
  }));
}

function bytesOf({ body, body_text: text, body_base64: base64 }: Body): Buffer {
  if (text !== undefined) return Buffer.from(text);
  return base64 === undefined ? Buffer.from(JSON.stringify(body)) : Buffer.from(base64, "base64");
}

/**
 * A slice and its pages as the text of a file: equal answers give equal texts in every warehouse. `isCut`: the answer reports more pages,
 * which were not paid for.
 */
export function answerText(slice: Slice, pages: readonly LandedPage[], isCut = false): string {
  const head = {
    format,
    dataset: slice.dataset,
    operation: slice.operation,
    scope: Object.fromEntries(Object.entries(slice.scope).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(slice.items === null ? {} : { items: slice.items }),
    window: { from: slice.window.start, to: lastDay(requestedWindow(slice)) },
    class: slice.class,
    as_of: slice.asOf,
    ...(slice.fingerprint === "" ? {} : { fingerprint: slice.fingerprint }),
    ...(isCut ? { is_cut: true } : {}),
  };
  const received = pages.map(({ body, fetchedAt }) => ({
    fetched_at: new Date(fetchedAt).toISOString(),
    ...formOf(body),
  }));
  const [first] = received;
  // one line per field: people read these files, and a body may be long
  const fields = Object.entries(
    received.length === 1 && first !== undefined ? { ...head, ...first } : { ...head, pages: received },
  );
  return `{\n${fields.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(",\n")}\n}\n`;
}

/** The most readable form that gives the same bytes again. */
function formOf(body: Buffer): Body {
  const text = body.toString("utf8");
  if (!Buffer.from(text).equals(body)) return { body_base64: body.toString("base64") };
  try {
    const json: unknown = JSON.parse(text);
    if (JSON.stringify(json) === text) return { body: json };
  } catch {
    // not JSON: the characters as received
  }
  return { body_text: text };
}

/** The path of a file's text inside the folder of an export; the same text always has the same path. */
export function answerPath(slice: Slice, text: string): string {
  return `${slice.dataset}/${slice.operation}/${slice.window.start}-${sha256(text).slice(0, 16)}.json`;
}

/** SHA-256 in hexadecimal digits. */
export function sha256(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}
