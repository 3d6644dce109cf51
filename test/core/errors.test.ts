import { describe, expect, test } from "vitest";
import { errorCodes, type ErrorCode, type Recovery } from "../../src/core/error-codes.ts";
import {
  AbortError,
  DeferError,
  fail,
  FencedError,
  mayBeCharged,
  RetryError,
  SkipError,
  StorehouseError,
  unchargedCodes,
  UsageError,
  wasSent,
} from "../../src/core/errors.ts";

const classes: Record<Recovery, abstract new (...args: never[]) => StorehouseError> = {
  usage: UsageError,
  retry: RetryError,
  defer: DeferError,
  skip: SkipError,
  abort: AbortError,
  fenced: FencedError,
};

type Entry = { recovery: Recovery; says: string; next: string; attempts?: number; leaves?: string };
const codes = Object.entries(errorCodes) as [ErrorCode, Entry][];

/** Facts for every place that the code's words have, and one more. */
function factsFor(entry: Entry): Record<string, string> {
  const places = [...`${entry.says} ${entry.next}`.matchAll(/\{(\w+)\}/g)].map(
    ([, name]) => [name ?? "", `the ${name}`] as const,
  );
  return { ...Object.fromEntries(places), operation: "ios.keyword-ranking" };
}

describe.each(codes)("%s", (code, entry) => {
  test("builds the class that its recovery names", () => {
    const error = fail(code, { status: 418 });
    expect(error.constructor).toBe(classes[entry.recovery]);
    expect(error).toBeInstanceOf(StorehouseError);
    expect(error).toMatchObject({ code, name: classes[entry.recovery].name, context: { status: 418 } });
  });

  test("says in one line its code, all facts, and what to do next", () => {
    const facts = factsFor(entry);
    const { message } = fail(code, facts);
    expect(message).toMatch(new RegExp(`^${code}: `));
    for (const fact of Object.values(facts)) expect(message).toContain(fact);
    expect(message.endsWith(`; ${entry.next.replaceAll(/\{(\w+)\}/g, "the $1")}`)).toBe(true);
    expect(message).not.toMatch(/[\n{}]/);
  });

  test("says a whole sentence where facts are missing", () => {
    expect(fail(code).message).not.toMatch(/[{}]|\s{2}|undefined|null|\(\)/);
  });
});

test("the problem alone has all facts that the next step does not name, and neither code nor next step", () => {
  expect(fail("bad_answer_file", { file: "a.json", problem: "no", bytes: 3 }).problem).toBe(
    "a.json is not loaded: no (bytes=3)",
  );
  expect(fail("not_agreed", { credits: "12,000", limit: "1,000", plan: "3" }).message).toMatch(
    /^not_agreed: the plan costs 12,000 credits, .* = 1,000, .*confirm it; `storehouse backfill --plan 3 --yes` runs it$/,
  );
});

test("facts that are not known are left out, texts are quoted", () => {
  const { message } = fail("unexpected", { keyword: 'say "hi"', rank: 0, sure: false, page: null, until: undefined });
  expect(message).toContain('(keyword="say \\"hi\\"", rank=0, sure=false);');
});

test("a fact with characters that a replacement would read is printed as it is", () => {
  expect(fail("bad_setting", { variable: "$&", problem: "$1 {variable}" }).message).toContain("$& $1 {variable}");
});

test("the cause is kept, and none invented", () => {
  const cause = new Error("reset");
  expect(fail("cut_connection", {}, cause).cause).toBe(cause);
  expect("cause" in fail("cut_connection")).toBe(false);
});

test("a retry has its number of attempts, a skip the state that it leaves", () => {
  const reported = codes.map(([code, entry]) => {
    const error = fail(code);
    if (error instanceof RetryError) return error.attempts === (entry.attempts ?? 3) && error.attempts > 1;
    if (error instanceof SkipError) return error.leaves === (entry.leaves ?? "failed");
    return entry.attempts === undefined && entry.leaves === undefined;
  });
  expect(reported.every(Boolean)).toBe(true);
});

test("a put-off knows until when, or that it does not", () => {
  expect(fail("credits_exhausted", { until: 5 })).toMatchObject({ until: 5 });
  for (const context of [{}, { until: null }, { until: "soon" }])
    expect(fail("credits_exhausted", context)).toMatchObject({ until: null });
});

test("a call without a reply says whether it was sent and whether it may have been charged; what is not known counts as both", () => {
  const reported = (code: ErrorCode) => [wasSent(fail(code)), mayBeCharged(fail(code))];
  expect(reported("bad_request")).toEqual([false, false]);
  expect(reported("not_encodable")).toEqual([false, false]);
  expect(reported("day_over")).toEqual([false, false]);
  expect(reported("api_unavailable")).toEqual([false, false]);
  expect(reported("no_connection")).toEqual([true, false]);
  for (const code of [
    "cut_connection",
    "timeout",
    "answer_too_large",
    "redirected",
    "stopped",
    "process_died",
  ] as const)
    expect([code, ...reported(code)]).toEqual([code, true, true]);
  expect(reported("unexpected")).toEqual([true, true]);
  expect([...unchargedCodes].sort()).toEqual([
    "api_unavailable",
    "bad_request",
    "day_over",
    "no_connection",
    "not_encodable",
  ]);
});

test("what is put off says until when as a time, and keeps the instant as data", () => {
  const until = Date.UTC(2026, 10, 27);
  for (const code of ["credits_exhausted", "budget_exhausted", "api_unavailable"] as const) {
    const error = fail(code, { until });
    expect(error.message).toContain("2026-11-27 00:00 UTC");
    expect(error.message).not.toContain(String(until));
    expect(error).toMatchObject({ until });
  }
});

test("the end of a pause that the API named is a sentence, not a fact among others", () => {
  const until = Date.UTC(2026, 10, 27, 4, 5);
  for (const code of ["too_many_requests", "server_error", "credits_exhausted"] as const) {
    const { problem } = fail(code, { operation: "app.reviews", status: 429, until });
    expect(problem).toMatch(
      / \(operation="app\.reviews", status=429\); the next try is not before 2026-11-27 04:05 UTC$/,
    );
  }
  expect(fail("server_error", { until }).message).not.toContain("=");
});
