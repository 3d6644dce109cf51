import { errorCodes, type ErrorCode, type ErrorEntry, type Recovery } from "./error-codes.ts";
import { beyondPeriodCodes } from "./waiting-codes.ts";
import { minuteOf } from "./words.ts";

/** Facts about an error, as data: never a URL, never the token. */
export type ErrorContext = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The base class of our errors: a stable `code`, context as data, and what to do next in the message. */
export abstract class StorehouseError extends Error {
  readonly code: ErrorCode;
  readonly context: ErrorContext;

  constructor(code: ErrorCode, context: ErrorContext, cause?: unknown) {
    super(sentence(code, context), cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.context = context;
  }

  /** What is wrong and with which values, without the code and the next step: for the text of another error. */
  get problem(): string {
    return problemOf(this.code, this.context);
  }

  /** Only what to do next. */
  get next(): string {
    return filled(errorCodes[this.code].next, this.context);
  }
}

/** Settings, arguments or a machine that cannot work: report it to the person and exit 2. */
export class UsageError extends StorehouseError {}
/** May pass without a change: retry a few times, with back-off. */
export class RetryError extends StorehouseError {
  get attempts(): number {
    return entryOf(this.code).attempts ?? 3;
  }
}
/** Postponed to a known time; costs no attempt. `until` is epoch-ms, null if unknown. */
export class DeferError extends StorehouseError {
  get until(): number | null {
    const until = this.context["until"];
    return typeof until === "number" ? until : null;
  }
}
/** This slice is unavailable; all others continue. */
export class SkipError extends StorehouseError {
  get leaves(): "empty" | "skipped" | "failed" {
    return entryOf(this.code).leaves ?? "failed";
  }
}
/** Stop all requests. */
export class AbortError extends StorehouseError {}
/** Another process owns the slice now, or this process must stop: end without writing anything. */
export class FencedError extends StorehouseError {}

function entryOf(code: ErrorCode): ErrorEntry {
  return errorCodes[code];
}

/**
 * True when a call that ended with this error, and without a reply, was attempted: then it has a row in ops.request. Unless the error says
 * otherwise, it was.
 */
export function wasSent({ code }: StorehouseError): boolean {
  return entryOf(code).sent ?? true;
}

/** True when a call that ended with this error, and without a reply, may have been charged: always, unless the error says otherwise. */
export function mayBeCharged({ code }: StorehouseError): boolean {
  return entryOf(code).charged ?? true;
}

/** True for the error of an unusable answer that was, or may have been, charged; a later answer may be usable. */
export function isUnusableCharged(error: StorehouseError): boolean {
  const { charged, unreadable } = entryOf(error.code);
  return error instanceof RetryError && (charged === true || unreadable === true);
}

/** The codes of calls that cannot have been charged: a request without a status and with any other code may have been. */
export const unchargedCodes = codesOf(({ charged }) => charged === false);

/** The codes that stop the requests of an account: another account may still fetch the slice. */
export const accountRefusalCodes = codesOf(({ recovery }) => recovery === "abort");

/** The codes of slices whose stored answer may be unreadable. */
export const unreadableCodes = codesOf(({ unreadable }) => unreadable === true);

function codesOf(isOne: (entry: ErrorEntry) => boolean): readonly ErrorCode[] {
  return (Object.keys(errorCodes) as ErrorCode[]).filter((code) => isOne(entryOf(code)));
}

const classes = {
  usage: UsageError,
  retry: RetryError,
  defer: DeferError,
  skip: SkipError,
  abort: AbortError,
  fenced: FencedError,
} as const satisfies Record<Recovery, new (code: ErrorCode, context: ErrorContext, cause?: unknown) => StorehouseError>;

/** Makes the error of the class for the recovery of a code. */
export function fail(code: ErrorCode, context: ErrorContext = {}, cause?: unknown): StorehouseError {
  return new classes[errorCodes[code].recovery](code, context, cause);
}

/** Converts an unexpected error to one of ours; `hide` removes secrets from its text. */
export function unexpected(cause: unknown, hide: (text: string) => string): StorehouseError {
  return fail("unexpected", { problem: loggedText(cause, hide) }, cause);
}

/** The text of an error for the log, without secrets: all of ours, and the beginning of an unexpected one. */
export function loggedText(thrown: unknown, hide: (text: string) => string): string {
  return thrown instanceof StorehouseError ? hide(thrown.message) : hide(String(thrown)).slice(0, 300);
}

/** One line: what is wrong, with which values, and what to do next. */
function sentence(code: ErrorCode, context: ErrorContext): string {
  return `${code}: ${problemOf(code, context)}; ${filled(errorCodes[code].next, context)}`;
}

function problemOf(code: ErrorCode, context: ErrorContext): string {
  const { says, next } = errorCodes[code];
  const { until, ...others } = context;
  const isNamed = (name: string) => `${says}${next}`.includes(`{${name}}`);
  // what a period has left, and when it ends, says nothing if waiting does not help
  const waits = !beyondPeriodCodes.includes(code);
  const rest = Object.entries(others)
    .filter(([name, value]) => value !== undefined && value !== null && !isNamed(name) && (waits || name !== "taken"))
    .map(([name, value]) => `${name}=${typeof value === "string" ? JSON.stringify(value) : String(value)}`);
  const facts = rest.length > 0 ? ` (${rest.join(", ")})` : "";
  const wait =
    waits && typeof until === "number" && !isNamed("until") ? `; the next try is not before ${minuteOf(until)}` : "";
  return `${filled(says, context)}${facts}${wait}`;
}

/** A text with its placeholders filled; a placeholder without a known fact is left out. */
function filled(words: string, context: ErrorContext): string {
  return words
    .replaceAll(/\s?\{(\w+)\}/g, (place, name: string) => {
      const value = context[name];
      return value === undefined || value === null ? "" : place.replace(`{${name}}`, () => factText(name, value));
    })
    .trimStart();
}

/** A fact for people: `until` is an instant, so it is not shown in milliseconds. */
function factText(name: string, value: ErrorContext[string]): string {
  if (name !== "until" || typeof value !== "number") return String(value);
  return minuteOf(value);
}

/** The message of an error, its code if it has none, or the text of anything else that was thrown. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.message === "" ? causeCode(thrown) : thrown.message;
}

/** The code that Node or a library gave an error; "unknown" for one without. */
export function causeCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown";
}

/** The message of one of our errors without its leading code: for places that show the code separately. */
export function withoutCode(message: string, code: string): string {
  return message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message;
}
