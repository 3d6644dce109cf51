import { expect, test } from "vitest";
import { errorCodes, type ErrorCode } from "../../src/core/error-codes.ts";
import { unreadableCodes } from "../../src/core/errors.ts";
import { isTriedLater, nextTryAt } from "../../src/core/retry-times.ts";

const minute = 60_000;
const endedAt = Date.UTC(2026, 7, 20, 4);
const waits = (code: ErrorCode, ...laterTries: readonly number[]) => waitsBefore(undefined, code, laterTries);

function waitsBefore(before: number | undefined, code: ErrorCode, laterTries: readonly number[]) {
  return laterTries.map((count) => {
    const next = nextTryAt({ code, laterTries: count, endedAt, before });
    return next === null ? null : (next - endedAt) / minute;
  });
}

test("a failed slice is requested again after minutes, then hours, then every day", () => {
  expect(waits("server_error", 0, 1, 2, 3, 4, 5, 40)).toEqual([5, 30, 120, 360, 1_440, 1_440, 1_440]);
  expect(waits("success_false", 0, 1)).toEqual([5, 30]);
});

test("one that must be requested before a time has the next shorter wait if only that ends by then", () => {
  const within = (minutes: number) => waitsBefore(endedAt + minutes * minute, "not_json", [0, 1, 2, 3, 4]);
  expect(within(121)).toEqual([5, 30, 120, 120, null]);
  expect(within(120)).toEqual([5, 30, 30, null, null]);
  expect(within(6)).toEqual([5, 5, null, null, null]);
  expect(within(5)).toEqual([null, null, null, null, null]);
});

test("an error that a retry cannot mend is never requested again", () => {
  const never = ["unknown_shape", "unexpected", "answer_too_large", "process_died"] as const;
  for (const code of never) expect(waits(code, 0, 9)).toEqual([null, null]);
  expect(nextTryAt({ code: "a code of a newer version", laterTries: 0, endedAt })).toBeNull();
});

test("every error of a call that fails its slice after some attempts says whether it is requested again", () => {
  const attempted = (Object.keys(errorCodes) as ErrorCode[]).filter(
    (code) => "attempts" in errorCodes[code] && errorCodes[code].recovery === "retry",
  );
  expect(attempted.length).toBeGreaterThan(5);
  expect(attempted.filter((code) => !isTriedLater(code))).toEqual([]);
});

test("an answer that a newer program may read is not of an error that is tried later: the try may join other days, and a replay would take it for theirs", () => {
  expect(unreadableCodes.filter(isTriedLater)).toEqual(["not_json", "not_utf8", "success_false"]);
});
