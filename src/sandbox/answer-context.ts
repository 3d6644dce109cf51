import type { z } from "zod";
import { addDays, type Day } from "../core/day.ts";
import { daysOf } from "../core/window.ts";
import { storeOf, type Store } from "../core/store.ts";
import type { Operation, Param } from "../api/define-operation.ts";
import type { AccountAllowance } from "./accounts.ts";
import type { MarketApp } from "./market/apps.ts";
import type { Market } from "./market/market.ts";
import { Refusal } from "../api/serve/refusal.ts";
import { countsEnd } from "./check-params.ts";
import type { TrackedKeywords } from "./tracked-keywords.ts";

/** All that an answer may depend on besides the parameters. */
export type AnswerContext = {
  readonly market: Market;
  /** The data of today is not published: answers leave it out. */
  readonly today: Day;
  /** The caller's credits before this call. */
  readonly allowance: AccountAllowance;
  /** The sandbox's own time, as epoch-ms. */
  readonly now: number;
  /** Whether the account has search ads and stores connected. */
  readonly connected: boolean;
  /** The form of the rows of DAILY reports. */
  readonly dailyReports: "days" | "totals" | "undated";
  /** Whether an end is inclusive if the contract does not say. */
  readonly openEndInclusive: boolean;
  readonly tracked: TrackedKeywords;
  /** An instant in the format of this deployment: epoch-ms or a local date-time without zone. */
  instant(at: number): number | string;
};

type Params = Record<string, Param>;
type Values<P extends Params> = {
  [K in keyof P as P[K] extends Param<z.ZodType, true> ? K : never]: z.output<P[K]["schema"]>;
} & {
  [K in keyof P as P[K] extends Param<z.ZodType, true> ? never : K]?: z.output<P[K]["schema"]>;
};

/** The checked values of a call of an operation. */
export type ValuesOf<O extends Operation> = Values<O["params"]>;

/** The answer generator of one operation: checked values in, unwrapped answer out. */
export type AnswerGenerator = {
  readonly operation: string;
  generate(values: Readonly<Record<string, unknown>>, context: AnswerContext): unknown;
};

/** Answer generators by operation id. */
export type AnswerTable = Readonly<Record<string, AnswerGenerator>>;

/**
 * Pairs an operation with the generator of its answers, which returns undefined for no content. It may throw a Refusal, and is called only
 * with values that fit the operation.
 */
export function answerTo<O extends Operation>(
  operation: O,
  generate: (values: ValuesOf<O>, context: AnswerContext) => z.input<O["answer"]> | undefined,
): AnswerGenerator {
  // the values were parsed by the operation's own schemas, which the generic table cannot express
  return { operation: operation.id, generate: (values, context) => generate(values as ValuesOf<O>, context) };
}

/** Makes the table of these answers. */
export function answerTable(answers: readonly AnswerGenerator[]): AnswerTable {
  return Object.fromEntries(answers.map((answer) => [answer.operation, answer]));
}

/** The app with this id; refuses with 404 if the market has none. */
export function knownApp(context: AnswerContext, store: Store, trackId: string): MarketApp {
  const app = context.market.app(store, trackId);
  if (app === null) throw new Refusal(404, `there is no app ${trackId}`);
  return app;
}

/** The app with this id, of whichever store; refuses with 404 if the market has none. */
export function appWithId(context: AnswerContext, trackId: string): MarketApp {
  return knownApp(context, storeOf(trackId), trackId);
}

/** The last day whose data is published. */
export function yesterday(context: AnswerContext): Day {
  return addDays(context.today, -1);
}

/** True for a day whose data is published. */
export function isPublished(context: AnswerContext, day: Day): boolean {
  return day < context.today;
}

/** The published days of a requested range, oldest first, with its end as defined by the operation. */
export function publishedDays(context: AnswerContext, operation: Operation, range: { start: Day; end: Day }): Day[] {
  const inclusive = operation.range !== null && countsEnd(operation.range, context);
  return daysOf({ start: range.start, end: inclusive ? addDays(range.end, 1) : range.end }).filter((day) =>
    isPublished(context, day),
  );
}

/** An instant as a local date-time without zone, in the format of the service. */
export function localTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}
