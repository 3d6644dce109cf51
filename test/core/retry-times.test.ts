import { expect, test } from "vitest";
import { errorCodes, type ErrorCode } from "../../src/core/error-codes.ts";
import { unreadableCodes } from "../../src/core/errors.ts";
import { isTriedLater, nextTryAt } from "../../src/core/retry-times.ts";

const minute = 60_000;
const endedAt = Date.UTC(2026, 7, 20, 4);
const waits = (code: ErrorCode, ...failures: readonly number[]) =>
  failures.map((count) => {
    const next = nextTryAt({ code, failures: count, endedAt });
    return next === null ? null : (next - endedAt) / minute;
  });

test("a failed slice is requested again after minutes, then hours, then every day", () => {
  expect(waits("server_error", 4, 5, 6, 7, 8, 9, 40)).toEqual([5, 30, 120, 360, 1_440, 1_440, 1_440]);
  expect(waits("success_false", 2, 3)).toEqual([5, 30]);
  expect(waits("unexpected_status", 1, 2)).toEqual([5, 30]);
  // an attempt that landed pages of many did not count
  expect(waits("server_error", 0, 1)).toEqual([5, 5]);
});

test("what is not requested again at once is tried later all the sooner", () => {
  const tried = [1, 2, 3].map((failures) => nextTryAt({ code: "not_json", failures, atOnce: 1, endedAt }));
  expect(tried).toEqual([5, 30, 120].map((minutes) => endedAt + minutes * minute));
});

test("an error that a retry cannot mend is never requested again", () => {
  const never = ["unknown_shape", "unexpected", "answer_too_large", "process_died"] as const;
  for (const code of never) expect(waits(code, 1, 9)).toEqual([null, null]);
  expect(nextTryAt({ code: "a code of a newer version", failures: 1, endedAt })).toBeNull();
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
