import { describe, expect, test } from "vitest";
import type { Answer } from "../../src/api/credit-headers.ts";
import { iosKeywordRanking } from "../../src/api/operations/keyword.ts";
import { errorOf, mayBeExhausted } from "../../src/api/replies.ts";

const answerOf = (status: number, resetsAt: number | null = null): Answer => ({
  status,
  body: Buffer.from('{"success":true,"error":"ignore me"}'),
  credits: { cost: 3, remaining: null, resetsAt, rateRemaining: null, notBefore: null },
  receivedAt: 0,
  durationMs: 0,
  serverTime: null,
});

describe("a status says what to do, whatever the body says", () => {
  test.each([
    [204, "SkipError", "no_content"],
    [400, "SkipError", "bad_request"],
    [401, "AbortError", "unauthorised"],
    [402, "DeferError", "credits_exhausted"],
    [403, "AbortError", "forbidden"],
    [404, "SkipError", "not_found"],
    [408, "RetryError", "timeout"],
    [422, "SkipError", "bad_request"],
    [425, "RetryError", "server_error"],
    [429, "RetryError", "too_many_requests"],
    [500, "RetryError", "server_error"],
    [501, "RetryError", "server_error"],
    [502, "RetryError", "server_error"],
    [503, "RetryError", "server_error"],
    [504, "RetryError", "server_error"],
    [520, "RetryError", "server_error"],
    [599, "RetryError", "server_error"],
    // nobody expects these, so nobody asks again for them
    [202, "SkipError", "unexpected_status"],
    [206, "SkipError", "unexpected_status"],
    [301, "SkipError", "unexpected_status"],
    [304, "SkipError", "unexpected_status"],
    [405, "SkipError", "unexpected_status"],
    [410, "SkipError", "unexpected_status"],
    [413, "SkipError", "bad_request"],
    [414, "SkipError", "bad_request"],
    [431, "SkipError", "bad_request"],
    [418, "SkipError", "unexpected_status"],
    [451, "SkipError", "unexpected_status"],
    [499, "SkipError", "unexpected_status"],
  ])("%i is a %s: %s", (status, name, code) => {
    expect(errorOf(iosKeywordRanking, answerOf(status))).toMatchObject({
      name,
      code,
      context: { operation: "ios.keyword-ranking", status },
    });
  });

  test.each([200, 201])("%i is an answer", (status) => {
    expect(errorOf(iosKeywordRanking, answerOf(status))).toBeNull();
  });
});

test("an empty answer leaves its slice empty, a refused one skipped, an odd one failed", () => {
  expect([204, 400, 404, 418].map((status) => errorOf(iosKeywordRanking, answerOf(status)))).toMatchObject([
    { leaves: "empty" },
    { leaves: "skipped" },
    { leaves: "skipped" },
    { leaves: "failed" },
  ]);
});

test("exhausted credits say until when to wait, where the answer said so", () => {
  expect(errorOf(iosKeywordRanking, answerOf(402, 5000))).toMatchObject({ until: 5000 });
  expect(errorOf(iosKeywordRanking, answerOf(402))).toMatchObject({ until: null });
});

test("refusals that name no reason of their own leave open whether the credits ran out, nothing else does", () => {
  const open = Array.from({ length: 500 }, (_, index) => 100 + index).filter((status) =>
    mayBeExhausted(answerOf(status)),
  );
  expect(open).toEqual([400, 402, 403, 422, 429]);
});
